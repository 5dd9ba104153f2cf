"""`collect`: this machine's sessions, each line once, whatever happened in between."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from stationmaster.client.collecting import sources
from stationmaster.client.collecting.progress import Progress
from tests.cli.telemetry.collect.homes import collect_from, session_of_turns
from tests.support import recordings, sessions, talks
from tests.support.commands import command, succeed
from tests.support.reports import totals
from tests.support.sessions import DAY


def test_the_home_folder_of_the_person_is_read_by_default(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)

    done = command("collect", "--data-dir", made["data"], "--json", env={"HOME": str(home)})

    assert done.json["files"] == 1


def test_a_second_run_reads_nothing(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    collect_from(made, home)

    again = collect_from(made, home)

    assert again["files"] == again["bytes"] == 0
    assert again["events"] == {}
    assert totals(made["data"], DAY) == session_of_turns(2)


def test_a_database_is_read_again_when_it_changed_and_counts_once(
    made: dict[str, str], home: Path
) -> None:
    database = talks.Database(talks.database_path(home))
    database.write(talks.Talk(talks.session(), [talks.prompt(), talks.answer()]))
    assert collect_from(made, home)["files"] == 1
    assert collect_from(made, home)["files"] == 0

    database.write(talks.Talk(talks.session(), [talks.answer(after=9_000)]))
    again = collect_from(made, home)
    database.connection.close()

    assert again["files"] == 1
    assert again["tokens"]["output_tokens"] == 23
    assert totals(made["data"], DAY) == {
        "input_tokens": 20,
        "output_tokens": 46,
        "sessions": 1,
        "user_messages": 1,
    }


def test_lines_that_were_added_are_read_alone(made: dict[str, str], home: Path) -> None:
    session = sessions.a_session(home, last_turn=2)
    collect_from(made, home)
    added = sessions.turns("s1", 3, 4)
    with session.open("ab") as file:
        file.write(added)

    again = collect_from(made, home)

    assert again["files"] == 1
    assert again["bytes"] == len(added)
    assert totals(made["data"], DAY) == session_of_turns(4)


def test_a_half_written_line_is_read_when_it_is_whole(made: dict[str, str], home: Path) -> None:
    session = sessions.a_session(home, last_turn=1)
    whole, added = session.read_bytes(), sessions.turns("s1", 2, 2)
    session.write_bytes(whole + added[:-30])
    collect_from(made, home)
    session.write_bytes(whole + added)

    again = collect_from(made, home)

    assert again["drops"] == {}
    assert totals(made["data"], DAY) == session_of_turns(2)


def test_a_truncated_session_is_read_again_and_counts_once(
    made: dict[str, str], home: Path
) -> None:
    session = sessions.a_session(home, last_turn=3)
    collect_from(made, home)
    session.write_bytes(sessions.turns("s1", 1, 2))

    again = collect_from(made, home)

    assert again["bytes"] == session.stat().st_size
    assert totals(made["data"], DAY) == session_of_turns(3)


def test_a_rewritten_session_is_read_again(made: dict[str, str], home: Path) -> None:
    session = sessions.a_session(home, last_turn=2)
    collect_from(made, home)
    session.write_bytes(sessions.turns("s1", 5, 9))

    collect_from(made, home)

    assert totals(made["data"], DAY) == session_of_turns(7)


def test_a_damaged_progress_file_means_reading_again_and_counting_once(
    made: dict[str, str], home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    collect_from(made, home)
    [progress] = (tmp_path / "client").glob("collected-*.json")
    progress.write_bytes(progress.read_bytes()[:-9])

    again = collect_from(made, home)

    assert again["files"] == 1
    assert totals(made["data"], DAY) == session_of_turns(2)


def test_a_crash_before_the_position_is_saved_loses_and_doubles_nothing(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.a_session(home, last_turn=2)

    def crash(*_: object) -> None:
        raise SystemExit(137)

    with monkeypatch.context() as crashing:
        crashing.setattr(Progress, "save", crash)
        done = command("collect", "--data-dir", made["data"], "--home", home)
    assert done.code == 137
    assert totals(made["data"], DAY) == session_of_turns(2)

    again = collect_from(made, home)

    assert again["files"] == 1
    assert totals(made["data"], DAY) == session_of_turns(2)


def test_a_data_folder_made_anew_gets_everything_again(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    collect_from(made, home)
    shutil.rmtree(made["data"])
    succeed("init", "--data-dir", made["data"])

    assert collect_from(made, home)["files"] == 1
    assert totals(made["data"], DAY) == session_of_turns(2)


def test_session_files_are_left_untouched(made: dict[str, str], home: Path) -> None:
    shutil.copytree(recordings.ROOT / "claude-code" / "transcripts", home)
    before = state_of(home)

    collect_from(made, home)

    assert state_of(home) == before


def state_of(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_files_that_may_not_be_read_are_passed_over(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = sessions.a_session(home, "s1")
    sessions.a_session(home, "s2")
    head_of = sources.head_of

    def refused(path: str) -> bytes:
        if path == str(locked):
            raise PermissionError(13, "Permission denied", path)
        return head_of(path)

    with monkeypatch.context() as refusing:
        refusing.setattr(sources, "head_of", refused)
        found = collect_from(made, home)
    assert (found["files"], found["skipped_files"]) == (1, 1)

    assert collect_from(made, home)["files"] == 1
    assert totals(made["data"], DAY) == session_of_turns(4, 2)
