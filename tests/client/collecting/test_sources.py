"""Finding session files: those of known agents, in their folders, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Agent
from stationmaster.client.collecting import sources
from stationmaster.client.collecting.folders import FolderFile
from stationmaster.client.collecting.sources import IsWanted, SessionFile
from stationmaster.errors import BadRequest
from tests.support import recordings, sessions, talks


def _all(found: FolderFile, agent: Agent) -> bool:
    return True


def _find(home: Path, is_wanted: IsWanted = _all) -> list[SessionFile]:
    return sources.of_this_machine(Home(str(home)), is_wanted).sessions


def test_the_sessions_of_every_agent_are_found_under_a_home_folder(tmp_path: Path) -> None:
    for agent in recordings.RECORDED:
        shutil.copytree(recordings.ROOT / agent / "transcripts", tmp_path, dirs_exist_ok=True)

    found = _find(tmp_path)

    by_agent = {
        agent: sorted(Path(file.path).name for file in found if file.product == agent)
        for agent in recordings.RECORDED
    }
    assert by_agent == {
        agent: sorted(file.name for file in recordings.transcript_files(agent))
        for agent in recordings.RECORDED
    }
    assert {file.product for file in found} == set(recordings.RECORDED)


def test_a_session_of_several_files_is_found_as_one(tmp_path: Path) -> None:
    storage = talks.database_path(tmp_path).parent / "storage"
    path = talks.write_files(storage, talks.Talk(talks.session(), [talks.prompt()]))

    found = _find(tmp_path)

    assert found == [SessionFile(str(path), "opencode", path.stat().st_size)]


def test_the_log_beside_a_database_is_no_session(tmp_path: Path) -> None:
    database = talks.Database(talks.database_path(tmp_path))
    assert len(list(database.path.parent.iterdir())) == 3

    found = _find(tmp_path)

    assert [file.path for file in found] == [str(database.path)]
    database.connection.close()


def test_an_empty_home_folder_has_no_sessions(tmp_path: Path) -> None:
    assert _find(tmp_path) == []


def test_other_files_and_links_in_an_agents_folder_are_no_sessions(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path)
    (session.parent / "notes.jsonl").write_bytes(b"plain words\n")
    (session.parent / "empty.jsonl").write_bytes(b"")
    (session.parent / "link.jsonl").symlink_to(session)
    (session.parent / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (session.parent / "folder.jsonl").mkdir()

    found = _find(tmp_path)

    assert found == [SessionFile(str(session), "claude-code", session.stat().st_size)]


def test_unwanted_sessions_are_left_out(tmp_path: Path) -> None:
    sessions.a_session(tmp_path, "s1")
    wanted = sessions.a_session(tmp_path, "s2")

    found = _find(tmp_path, lambda found, _: found.path == str(wanted))

    assert [file.path for file in found] == [str(wanted)]


def test_a_file_that_goes_away_while_looking_is_no_session(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path)

    def delete(found: FolderFile, agent: Agent) -> bool:
        session.unlink()
        return True

    assert _find(tmp_path, delete) == []


def test_files_are_ordered_largest_first_then_by_path() -> None:
    files = [SessionFile("b", "codex", 5), SessionFile("a", "codex", 5), SessionFile("c", "x", 9)]

    assert [file.path for file in sources.largest_first(files)] == ["c", "a", "b"]


def test_the_files_below_a_folder_are_sorted_and_without_links(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "a")

    assert list(sources.files_below(tmp_path)) == [
        str(tmp_path / name) for name in ("a", "b/1", "b/2")
    ]


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"no such file or folder: .*/missing$"):
        list(sources.files_below(tmp_path / "missing"))


def test_a_file_of_no_agent_is_not_identified(tmp_path: Path) -> None:
    file = tmp_path / "readme.txt"
    file.write_text("plain words")

    assert sources.identify(str(file), sources.head_of(str(file))) is None


def test_a_named_agent_decides_whose_file_it_is(tmp_path: Path) -> None:
    file = tmp_path / "session.txt"
    file.write_bytes(sessions.turns("s1", 1, 1))

    assert sources.identify(str(file), b"", "claude-code") == SessionFile(
        str(file), "claude-code", file.stat().st_size
    )


def test_an_agent_that_nobody_knows_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    file = sessions.a_session(tmp_path)

    with pytest.raises(BadRequest, match=r"no agent is called 'clod'; known are claude-code"):
        sources.identify(str(file), b"", "clod")
