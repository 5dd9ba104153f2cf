"""`collect` in two processes, twice at once, and after one that was killed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from stationmaster.agents import cards
from stationmaster.client.collecting import looking as collecting
from stationmaster.client.collecting.progress import Progress
from tests.cli.telemetry.collect.homes import collect_from, session_of_turns
from tests.support import processes, sessions
from tests.support.commands import command, succeed
from tests.support.reports import totals
from tests.support.scripted import scripted_server
from tests.support.sessions import DAY

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


def test_reading_in_two_processes_into_a_folder_gives_the_same_reports(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        sessions.a_session(home, f"s{number}", last_turn=2)
    monkeypatch.setattr("stationmaster.client.collecting.reading._BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(collecting, "processes", lambda: 2)

    found = collect_from(made, home)

    assert found["files"] == 6
    assert collect_from(made, home)["files"] == 0
    assert totals(made["data"], DAY) == session_of_turns(12, 6)


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

    assert "does not accept data now" in done.error


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

    collect_from(made, home)

    assert len(saved) >= 3
    assert time.monotonic() - started < 30
    assert totals(made["data"], DAY) == session_of_turns(9, 3)


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

    assert second.error == "another `stationmaster collect` is running for this destination"
    assert (first.returncode, rest) == (0, "")
    assert time.monotonic() - begun < 30
    assert collect_from(made, home)["files"] == 0


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
