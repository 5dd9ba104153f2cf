"""`collect --watch`: growing sessions are read, and nothing disturbs it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from stationmaster.cli.telemetry import collect_run
from tests.cli.telemetry.collect.homes import session_of_turns
from tests.support import processes, sessions
from tests.support.commands import command
from tests.support.patience import PATIENCE_S
from tests.support.reports import totals
from tests.support.scripted import Reply, scripted_server, taken
from tests.support.sessions import DAY


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
    assert totals(made["data"], DAY) == session_of_turns(3)


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
    assert "does not accept data now" in first
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
    assert totals(made["data"], DAY) == session_of_turns(5, 2)
