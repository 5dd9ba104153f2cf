"""`collect`: this machine's sessions, each line once, whatever happened in between."""

from __future__ import annotations

import hashlib
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.agents import cards
from stationmaster.cli.telemetry import collect_run
from stationmaster.client import server
from stationmaster.client.collecting import looking as collecting, sources
from stationmaster.client.collecting.progress import Progress
from tests.support import processes, recordings, sessions, talks
from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.reports import totals
from tests.support.scripted import Reply, scripted_server, taken
from tests.support.sessions import DAY


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def _collect(made: dict[str, str], home: Path, **env: str) -> dict[str, Any]:
    return dict(succeed("collect", "--data-dir", made["data"], "--home", home, env=env))


def _of_turns(count: int, session_count: int = 1) -> dict[str, int]:
    return {
        "input_tokens": 10 * count,
        "output_tokens": 5 * count,
        "sessions": session_count,
        "user_messages": count,
    }


_LISTING_MODULES = """
import atexit, sys
from stationmaster.cli import main
atexit.register(lambda: print(*sys.modules, sep="\\n", file=sys.stderr))
sys.exit(main())
"""


def test_a_first_run_into_a_folder_loads_one_agent_and_no_servers_library(
    made: dict[str, str], home: Path
) -> None:
    sessions.a_session(home)

    run = subprocess.run(
        [sys.executable, "-c", _LISTING_MODULES, "collect", "--home", home,
         "--data-dir", made["data"]],
        check=True, capture_output=True, text=True,
    )  # fmt: skip

    loaded = set(run.stderr.splitlines())
    readers = {name for name in loaded if name.endswith((".agent", ".transcript", ".otlp"))}
    assert "stationmaster.agents.claude_code.transcript" in readers
    assert not loaded & {"pyarrow", "httpx", "rich", "asyncio", "ssl", "sqlalchemy", "duckdb"}
    others = tuple(f"{cards.package(name)}." for name in set(cards.PRODUCTS) - {"claude-code"})
    assert not {name for name in readers if name.startswith(others)}


def test_the_sessions_of_all_agents_are_found_and_summed_up(
    made: dict[str, str], home: Path
) -> None:
    for agent in recordings.AGENTS:
        shutil.copytree(recordings.ROOT / agent / "transcripts", home, dirs_exist_ok=True)

    found = _collect(made, home)

    assert sum(found["agents"].values()) == sum(found["events"].values())
    assert set(found["agents"]) == set(recordings.AGENTS)
    assert sorted(found) == [
        "agents",
        "bytes",
        "drops",
        "events",
        "files",
        "requests",
        "skipped_files",
        "tokens",
    ]
    assert found["files"] == 10
    assert found["bytes"] == sum(
        file.stat().st_size
        for agent in recordings.AGENTS
        for file in recordings.transcript_files(agent)
    )
    assert found["requests"] == found["skipped_files"] == 0
    assert found["tokens"]["output_tokens"] > 0


def test_the_home_folder_of_the_person_is_read_by_default(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)

    done = command("collect", "--data-dir", made["data"], "--json", env={"HOME": str(home)})

    assert done.json["files"] == 1


def test_a_second_run_reads_nothing(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    _collect(made, home)

    again = _collect(made, home)

    assert again["files"] == again["bytes"] == 0
    assert again["events"] == {}
    assert totals(made["data"], DAY) == _of_turns(2)


def test_a_database_is_read_again_when_it_changed_and_counts_once(
    made: dict[str, str], home: Path
) -> None:
    database = talks.Database(talks.database_path(home))
    database.write(talks.Talk(talks.session(), [talks.prompt(), talks.answer()]))
    assert _collect(made, home)["files"] == 1
    assert _collect(made, home)["files"] == 0

    database.write(talks.Talk(talks.session(), [talks.answer(after=9_000)]))
    again = _collect(made, home)
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
    _collect(made, home)
    added = sessions.turns("s1", 3, 4)
    with session.open("ab") as file:
        file.write(added)

    again = _collect(made, home)

    assert again["files"] == 1
    assert again["bytes"] == len(added)
    assert totals(made["data"], DAY) == _of_turns(4)


def test_a_half_written_line_is_read_when_it_is_whole(made: dict[str, str], home: Path) -> None:
    session = sessions.a_session(home, last_turn=1)
    whole, added = session.read_bytes(), sessions.turns("s1", 2, 2)
    session.write_bytes(whole + added[:-30])
    _collect(made, home)
    session.write_bytes(whole + added)

    again = _collect(made, home)

    assert again["drops"] == {}
    assert totals(made["data"], DAY) == _of_turns(2)


def test_a_truncated_session_is_read_again_and_counts_once(
    made: dict[str, str], home: Path
) -> None:
    session = sessions.a_session(home, last_turn=3)
    _collect(made, home)
    session.write_bytes(sessions.turns("s1", 1, 2))

    again = _collect(made, home)

    assert again["bytes"] == session.stat().st_size
    assert totals(made["data"], DAY) == _of_turns(3)


def test_a_rewritten_session_is_read_again(made: dict[str, str], home: Path) -> None:
    session = sessions.a_session(home, last_turn=2)
    _collect(made, home)
    session.write_bytes(sessions.turns("s1", 5, 9))

    _collect(made, home)

    assert totals(made["data"], DAY) == _of_turns(7)


def test_a_damaged_progress_file_means_reading_again_and_counting_once(
    made: dict[str, str], home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    _collect(made, home)
    [progress] = (tmp_path / "client").glob("collected-*.json")
    progress.write_bytes(progress.read_bytes()[:-9])

    again = _collect(made, home)

    assert again["files"] == 1
    assert totals(made["data"], DAY) == _of_turns(2)


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
    assert totals(made["data"], DAY) == _of_turns(2)

    again = _collect(made, home)

    assert again["files"] == 1
    assert totals(made["data"], DAY) == _of_turns(2)


def test_a_data_folder_made_anew_gets_everything_again(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    _collect(made, home)
    shutil.rmtree(made["data"])
    succeed("init", "--data-dir", made["data"])

    assert _collect(made, home)["files"] == 1
    assert totals(made["data"], DAY) == _of_turns(2)


def test_session_files_are_left_untouched(made: dict[str, str], home: Path) -> None:
    shutil.copytree(recordings.ROOT / "claude-code" / "transcripts", home)
    before = _state(home)

    _collect(made, home)

    assert _state(home) == before


def _state(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_watching_reads_what_a_growing_session_gets(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.a_session(home, last_turn=1)
    turns = iter((2, 3))

    def wait(_: float) -> None:
        turn = next(turns, None)
        if turn is None:
            raise SystemExit(0)
        with session.open("ab") as file:
            file.write(sessions.turns("s1", turn, turn))

    monkeypatch.setattr(collect_run, "_wait", wait)
    done = command("collect", "--watch", "--data-dir", made["data"], "--home", home)

    assert done.code == 0
    assert len(done.stderr.splitlines()) == 3
    assert totals(made["data"], DAY) == _of_turns(3)


def test_watching_goes_on_while_the_server_is_away(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.a_session(home, last_turn=1)
    rounds = iter((True, True))

    def wait(_: float) -> None:
        if next(rounds, None) is None:
            raise SystemExit(0)

    monkeypatch.setattr(collect_run, "_wait", wait)
    monkeypatch.setattr("stationmaster.client.collecting.sending._WAIT_MAX_S", 0)
    with scripted_server(*[Reply(503)] * 12, taken(3)) as server:
        done = command("collect", "--watch", "--url", server.url, "--key", "sm_key", "--home", home)

    first, second = done.stderr.splitlines()
    assert "does not take data now" in first
    assert second.startswith("1 session file ")
    assert len(server.bodies) == 13


def test_ctrl_c_ends_watching_quietly(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    watching = subprocess.Popen(
        [*processes.PROGRAM, "collect", "--watch", "--data-dir", made["data"], "--home", home],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert watching.stderr is not None
    first = watching.stderr.readline()
    # Python passes over one that comes while it clears away; whoever pressed it does so again.
    while watching.poll() is None:
        watching.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            watching.wait(timeout=PATIENCE_S)
    rest = watching.communicate()[1]

    assert first.startswith("1 session file ")
    assert watching.returncode == 130
    assert "Traceback" not in rest


def test_no_text_of_a_session_is_sent(home: Path) -> None:
    sessions.a_session(home, text="MARKED text")
    with scripted_server() as server:
        succeed("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert [event["kind"] for event in server.events].count("model_call") == 2
    assert not any(b"MARKED" in body or b"/home/dev" in body for body in server.bodies)


def test_each_server_and_key_gets_everything_once(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server() as server:
        sent = [
            succeed("collect", "--home", home, "--url", server.url, "--key", key)["files"]
            for key in ("sm_a", "sm_a", "sm_b", "sm_b")
        ]

    assert sent == [1, 0, 1, 0]


def test_a_server_that_refuses_the_key_ends_it_at_once(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server(Reply(401, b'{"detail": "This key is not valid."}')) as server:
        done = command("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert done.error == "the server answers 401: This key is not valid."
    assert len(server.bodies) == 1


def test_a_refused_delivery_is_tried_again_by_the_next_run(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server(Reply(401), taken(5)) as server:
        command("collect", "--home", home, "--url", server.url, "--key", "sm_key")

        again = succeed("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert again["files"] == 1


def test_a_server_without_a_key_is_wrong(home: Path) -> None:
    assert (
        command("collect", "--home", home, "--url", "http://127.0.0.1:1").error
        == "--url needs --key or STATIONMASTER_KEY"
    )


def test_a_folder_that_was_never_made_is_named(tmp_path: Path, home: Path) -> None:
    done = command("collect", "--data-dir", tmp_path / "none", "--home", home)

    assert done.error.startswith(f"{tmp_path}/none is not a Stationmaster data folder")


def test_reading_in_two_processes_into_a_folder_gives_the_same_reports(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        sessions.a_session(home, f"s{number}", last_turn=2)
    monkeypatch.setattr("stationmaster.client.collecting.reading._BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(collecting, "processes", lambda: 2)

    found = _collect(made, home)

    assert found["files"] == 6
    assert _collect(made, home)["files"] == 0
    assert totals(made["data"], DAY) == _of_turns(12, 6)


def test_a_failure_in_one_of_two_processes_ends_with_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        sessions.a_session(home, f"s{number}")
    monkeypatch.setattr("stationmaster.client.collecting.reading._BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr("stationmaster.client.collecting.sending._WAIT_MAX_S", 0)
    monkeypatch.setattr(collecting, "processes", lambda: 2)
    url = f"http://127.0.0.1:{processes.free_port()}"

    done = command("collect", "--home", home, "--url", url, "--key", "sm_key")

    assert "does not take data now" in done.error


def test_two_processes_send_to_a_running_server_what_one_does(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        sessions.a_session(home, f"s{number}", last_turn=2)
    monkeypatch.setattr("stationmaster.client.collecting.reading._BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(collecting, "processes", lambda: 2)
    with processes.a_server(Path(made["data"])) as server:
        to = ("--url", server.url, "--key", made["api_key"])
        found = succeed("collect", "--home", home, *to)
        answer = httpx.get(
            f"{server.url}/api/v1/analytics/tokens",
            params={"startDate": DAY, "endDate": DAY},
            headers={"authorization": f"Bearer {made['api_key']}"},
            timeout=PATIENCE_S,
        )

    assert found["tokens"]["input_tokens"] == 80
    assert answer.json()["data"][0]["input_tokens"] == 80


def test_the_position_is_saved_while_a_long_import_goes_on(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        sessions.a_session(home, f"s{number}", last_turn=3)
    monkeypatch.setattr("stationmaster.client.collecting.reading._EVENTS_PER_DELIVERY", 5)
    monkeypatch.setattr(collecting, "_SAVED_EVERY_S", 0)
    saved: list[float] = []
    save = Progress.save

    def counting(self: Progress) -> None:
        saved.append(time.monotonic())
        save(self)

    monkeypatch.setattr(Progress, "save", counting)
    started = time.monotonic()

    _collect(made, home)

    assert len(saved) >= 3
    assert time.monotonic() - started < 30
    assert totals(made["data"], DAY) == _of_turns(9, 3)


def test_the_server_that_this_machine_sends_to_is_used_where_none_is_named(
    home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    with scripted_server() as there:
        server.save(tmp_path / "client", server.Server(there.url, "sm_known"))
        found = succeed("collect", "--home", home)
        again = succeed("collect", "--home", home, "--url", there.url)

    assert (found["files"], again["files"]) == (1, 0)
    assert there.headers[0]["authorization"] == "Bearer sm_known"


def test_a_data_folder_that_is_named_is_taken_before_the_known_server(
    made: dict[str, str], home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    server.save(tmp_path / "client", server.Server("http://127.0.0.1:1", "sm_known"))

    assert _collect(made, home)["files"] == 1


def test_two_at_once_do_not_disturb_one_another(made: dict[str, str], home: Path) -> None:
    sessions.a_session(home)
    first = subprocess.Popen(
        [*processes.PROGRAM, "collect", "--watch", "--data-dir", made["data"], "--home", home],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert first.stderr is not None
    assert first.stderr.readline().startswith("1 session file ")

    second = command("collect", "--data-dir", made["data"], "--home", home)
    begun = time.monotonic()
    first.terminate()
    rest = first.communicate(timeout=60)[1]

    assert second.error == "another `stationmaster collect` is at work for this destination"
    assert (first.returncode, rest) == (0, "")
    assert time.monotonic() - begun < 30
    assert _collect(made, home)["files"] == 0


def test_one_that_was_killed_leaves_nothing_that_stops_the_next(home: Path, tmp_path: Path) -> None:
    for number in range(40):
        sessions.a_session(home, f"s{number}", last_turn=30)
    with scripted_server() as server:
        to = ("collect", "--home", str(home), "--url", server.url, "--key", "sm_key")
        for delay in (0.0, 0.1):
            sent = len(server.bodies)
            killed = subprocess.Popen([*processes.PROGRAM, *to], stderr=subprocess.DEVNULL)
            while len(server.bodies) == sent and killed.poll() is None:
                time.sleep(0.005)
            time.sleep(delay)
            killed.kill()
            killed.wait()
        assert command(*to).code == 0
        assert succeed(*to)["files"] == 0
        calls = {e["event_id"] for e in server.events if e["kind"] == "model_call"}

    assert len(calls) == 40 * 30
    left = {path.suffix or path.name for path in (tmp_path / "client").iterdir()}
    assert left <= {".json", ".lock", "machine"}


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
        found = _collect(made, home)
    assert (found["files"], found["skipped_files"]) == (1, 1)

    assert _collect(made, home)["files"] == 1
    assert totals(made["data"], DAY) == _of_turns(4, 2)


def test_watching_ends_at_once_while_the_server_is_away(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server(Reply(503, headers={"retry-after": "30"})) as server:
        watching = subprocess.Popen(
            [
                *processes.PROGRAM,
                "collect",
                "--watch",
                "--home",
                home,
                "--url",
                server.url,
                "--key",
                "k",
            ],
            stderr=subprocess.PIPE,
        )
        while not server.bodies:
            time.sleep(0.01)
        watching.terminate()
        _, said = watching.communicate(timeout=PATIENCE_S)

    assert (watching.returncode, said) == (0, b"")


def test_sessions_that_are_deleted_or_put_aside_are_no_fault_of_a_watcher(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sessions.a_session(home, "s1"), sessions.a_session(home, "s2")

    def delete() -> None:
        first.unlink()

    def put_aside() -> None:
        second.rename(second.with_name("old.jsonl"))
        sessions.a_session(home, "s2", last_turn=3)

    def turn_the_clock_back() -> None:
        os.utime(second, (1, 1))
        monkeypatch.setenv("STATIONMASTER_NOW", "2020-01-01T00:00:00Z")

    steps = iter((delete, put_aside, turn_the_clock_back))

    def wait(_: float) -> None:
        step = next(steps, None)
        if step is None:
            raise SystemExit(0)
        step()

    monkeypatch.setattr(collect_run, "_wait", wait)
    done = command("collect", "--watch", "--data-dir", made["data"], "--home", home)

    assert done.code == 0, done.stderr
    assert totals(made["data"], DAY) == _of_turns(5, 2)


def test_the_end_says_which_agents_where_it_went_and_what_comes_next(
    made: dict[str, str], home: Path
) -> None:
    sessions.a_session(home)
    collect = ("collect", "--data-dir", made["data"], "--home", home)

    first, second = command(*collect).stderr, command(*collect).stderr

    assert first.startswith("1 session file (0.0 MB), 5 events (claude-code 5) to ")
    assert f"to {made['data']}\n" in first
    assert f"stationmaster analytics activity --data-dir {made['data']}" in first
    assert second.startswith("Nothing new since 20")
    assert "Next" not in second


def test_a_machine_without_sessions_is_told_so(made: dict[str, str], home: Path) -> None:
    done = command("collect", "--data-dir", made["data"], "--home", home)

    assert done.stderr == "No session files of a coding agent were found.\n"


def test_a_bar_is_for_terminals_alone(home: Path) -> None:
    sessions.a_session(home)
    parent, child = pty.openpty()
    with scripted_server() as server:
        to = ("--home", str(home), "--url", server.url, "--key", "sm_key")
        done = subprocess.run([*processes.PROGRAM, "collect", *to], stderr=child, timeout=60)
        os.close(child)
        seen = b""
        with suppress(OSError):
            while part := os.read(parent, 65_536):
                seen += part
        os.close(parent)
        piped = command("collect", *to)

    assert done.returncode == 0
    assert b"reading" in seen
    assert piped.stderr.startswith("Nothing new since 20")
