"""`computers serve --allow-agent` and `computers sessions`, as the processes that people run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stationmaster import clock
from tests.cli.computers.test_remote import PROGRAM, Place, registered, served, stop
from tests.support.agent_sessions import COMMAND
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("sessions"), "sqlite")) as running:
        yield running


@pytest.fixture(scope="module")
def access(server: Server) -> dict[str, str]:
    key = str(Cast(server.services.db, "acme").keys["member"])
    return {"STATIONMASTER_URL": server.url, "STATIONMASTER_KEY": key}


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]) -> Place:
    return Place(tmp_path_factory.mktemp("laptop"), access)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]) -> Iterator[Place]:
    """A machine that allows one agent in one folder."""
    machine = Place(tmp_path_factory.mktemp("build"), access)
    (machine.folder / "work").mkdir()
    done = machine.run("register", "build", "--yes")
    assert done.returncode == 0, done.stderr
    allowed = ("--allow-agent", f"scripted={COMMAND}", "--workspace", str(machine.folder / "work"))
    with served(machine, *allowed):
        yield machine


def test_a_session_is_started_attached_to_listed_and_stopped(build: Place, laptop: Place) -> None:
    started = laptop.run("sessions", "start", "build", "scripted", "--prompt", "say one")
    assert started.returncode == 0, started.stderr
    session = started.stdout.decode().strip()

    said = laptop.run("sessions", "attach", "build", given=b"say two\nwrite a.txt\n1\n")
    assert said.returncode == 0, said.stderr
    lines = said.stdout.decode().splitlines()
    for line in ("> say one", "one", "> say two", "two", "? Write a.txt", "= Allow"):
        assert line in lines
    assert (build.folder / "work" / "a.txt").read_text() == "written\n"

    attached = laptop.run("sessions", "attach", "build", session, "--json", given=b"/stop\n")
    updates = [json.loads(line) for line in attached.stdout.splitlines()]
    assert [each["seq"] for each in updates] == list(range(1, len(updates) + 1))
    assert updates[-1]["status"] == "ended"
    listed = json.loads(laptop.run("sessions", "list", "build", "--json").stdout)
    assert listed["agents"] == ["scripted"]
    assert [each["state"] for each in listed["sessions"]] == ["ended"]
    table = laptop.run("sessions", "list", "build")
    assert session in table.stdout.decode()
    assert b"is connected and allows scripted" in table.stderr


def test_stop_ends_the_newest_session(build: Place, laptop: Place) -> None:
    laptop.run("sessions", "start", "build", "scripted")
    stopped = laptop.run("sessions", "stop", "build")
    assert (stopped.returncode, b"has ended" in stopped.stderr) == (0, True)
    none = laptop.run("sessions", "stop", "build")
    assert none.returncode == 1
    assert b"no running session" in none.stderr


def test_what_an_agent_says_cannot_steer_the_terminal(build: Place, laptop: Place) -> None:
    laptop.run("sessions", "start", "build", "scripted")
    said = laptop.run("sessions", "attach", "build", given=b"say \x1b[2J\x07evil\n/stop\n")

    assert b"evil" in said.stdout
    assert b"\x1b" not in said.stdout


def test_an_agent_that_is_not_allowed_is_not_started(build: Place, laptop: Place) -> None:
    refused = laptop.run("sessions", "start", "build", "codex")

    assert refused.returncode == 1
    assert b"does not allow codex (allowed: scripted)" in refused.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not end groups with a pipe")
def test_an_agent_that_reads_nothing_ends_with_all_it_started_when_serve_is_killed(
    tmp_path: Path, access: dict[str, str], laptop: Place
) -> None:
    machine = registered(Place(tmp_path, dict(access)), "killed")
    serving = machine.start(
        "serve", "--allow-agent", f"scripted={COMMAND}", "--workspace", str(tmp_path)
    )
    assert serving.stdout is not None
    assert any(line.startswith("Connected") for line in iter(serving.stdout.readline, ""))
    started = laptop.run("sessions", "start", "killed", "scripted", "--prompt", "deaf ids")
    assert started.returncode == 0, started.stderr
    written = tmp_path / "ids"
    _await(lambda: written.exists() and written.read_text().endswith("\n"))
    agent, child = written.read_text().split()
    assert _runs(agent)
    assert _runs(child)

    stop(serving)

    _await(lambda: not _runs(agent) and not _runs(child))


def _await(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def _runs(pid: str) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--allow-agent", "gemini-cly"), "did you mean gemini-cli"),
        (("--allow-agent", "x="), "is not NAME=COMMAND"),
        (("--workspace", "/does/not/exist"), "there is no folder /does/not/exist"),
    ],
)
def test_serve_refuses_agents_and_folders_that_do_not_exist(
    build: Place, arguments: tuple[str, ...], why: str
) -> None:
    refused = build.run("serve", *arguments)

    assert refused.returncode != 0
    assert why in refused.stderr.decode().lower().replace("name=command", "NAME=COMMAND")


def test_attaching_shows_what_happens_until_interrupted(build: Place, laptop: Place) -> None:
    laptop.run("sessions", "start", "build", "scripted", "--prompt", "wait")
    watching = subprocess.Popen(
        [*PROGRAM, "sessions", "attach", "build"],
        env=laptop.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watching.stdin is not None
    assert watching.stdout is not None
    assert watching.stdout.readline() == "> wait\n"
    watching.stdin.write("/cancel\n")
    watching.stdin.flush()
    assert watching.stdout.readline() == "! Cancelled.\n"
    watching.send_signal(signal.SIGINT)
    assert watching.wait(20) in (0, 130, -signal.SIGINT)
    watching.stdin.close()
    watching.stdout.close()
    laptop.run("sessions", "stop", "build")


def test_a_machine_is_paired_by_the_code_that_it_shows(
    laptop: Place, tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]
) -> None:
    machine = Place(
        tmp_path_factory.mktemp("paired"), {"STATIONMASTER_URL": access["STATIONMASTER_URL"]}
    )
    pairing = subprocess.Popen(
        [*PROGRAM, "pair", "paired"], env=machine.variables, stdout=subprocess.PIPE, text=True
    )
    assert pairing.stdout is not None
    code = pairing.stdout.readline().strip()
    approved = laptop.run("approve", code, "--yes")
    assert approved.returncode == 0, approved.stderr
    assert pairing.wait(30) == 0
    pairing.stdout.close()

    assert b"paired" in laptop.run("list").stdout
    with served(machine):
        shown = json.loads(laptop.run("sessions", "list", "paired", "--json").stdout)
        assert shown["isConnected"]
    again = laptop.run("approve", code, "--yes")
    assert b"No machine shows this code" in again.stderr
