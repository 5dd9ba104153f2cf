"""Computers over networks that lose, delay and end packets: real programs on three machines, of
which the computer and the laptop reach the server alone.

The server and all commands are processes of their own, each in its machine's network.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stationmaster.relay_messages import SILENCE_S
from tests.support.agent_sessions import COMMAND
from tests.support.networks import Station, network, why_not
from tests.support.patience import PATIENCE_S
from tests.support.processes import run_json

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
]
PORT = 8700
PROGRAM = [sys.executable, "-m", "stationmaster"]
BACK_S = 35.0
"""The longest that an agent waits before it dials again, and then some."""
_SERVED = "import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=2000, bind='127.0.0.1')"
_GET = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"Authorization": f"Bearer {sys.argv[2]}"})
print(urllib.request.urlopen(request, timeout=10).read().decode())
"""


class Box:
    """A machine with a folder of its own, where commands run."""

    def __init__(self, station: Station, folder: Path, **variables: str) -> None:
        self.station = station
        self.link = station.link
        self.folder = folder
        self.variables = {
            **os.environ, "STATIONMASTER_CLIENT_DIR": str(folder), "HOME": str(folder), **variables,
        }  # fmt: skip
        self._processes: list[subprocess.Popen[str]] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.station.command(words),
            env=self.variables,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._processes.append(process)
        return process

    def run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.station.command(words),
            env=self.variables,
            cwd=self.folder,
            input=given,
            capture_output=True,
            timeout=4 * PATIENCE_S,
        )

    def computers(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return self.run(*PROGRAM, "computers", *words, given=given)

    def get(self, url: str) -> str:
        done = self.run(
            sys.executable, "-c", _GET, url, self.variables.get("STATIONMASTER_KEY", "")
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


class World:
    """A server, a computer that it can reach, and a laptop. `serving` is the computer's agent."""

    def __init__(self, folder: Path, stations: tuple[Station, ...]) -> None:
        hub, machine, laptop = stations
        self.url = f"http://{hub.address}:{PORT}"
        data = {"STATIONMASTER_DATA_DIR": str(folder / "data")}
        made = run_json("init", "--org", "Acme", "--owner", "o@example.com", env=data)
        access = {"STATIONMASTER_URL": self.url, "STATIONMASTER_KEY": made["api_key"]}
        boxes = []
        for name, station in (("hub", hub), ("machine", machine), ("laptop", laptop)):
            (folder / name).mkdir()
            boxes.append(Box(station, folder / name, **access))
        self.hub, self.machine, self.laptop = boxes
        self.hub.variables |= data
        self.start_server()
        registered = self.machine.computers("register", "build", "--yes")
        assert registered.returncode == 0, registered.stderr
        self.id = json.loads(self.laptop.computers("show", "build", "--json").stdout)["id"]
        self.serve()

    def start_server(self) -> None:
        self.server = self.hub.start(
            *PROGRAM, "api", "--workers", "1", "--host", "0.0.0.0", "--port", str(PORT)
        )
        eventually(lambda: self.hub.run(sys.executable, "-c", _GET, self.url + "/readyz", "x"))

    def serve(self) -> None:
        self.serving = self.machine.start(
            *PROGRAM, "computers", "serve", "--allow-agent", f"scripted={COMMAND}"
        )
        self.until("online")

    def state(self) -> str:
        shown = self.hub.get(f"{self.url}/api/v0/computers/{self.id}/connection")
        return str(json.loads(shown)["state"])

    def until(self, state: str, seconds: float = PATIENCE_S) -> float:
        """How long it took until the computer was in a state."""
        began = time.monotonic()
        while self.state() != state:
            assert time.monotonic() - began < seconds, f"not {state} after {seconds} s"
            time.sleep(0.2)
        return time.monotonic() - began

    def session(self, number: int = 0) -> dict[str, Any]:
        listed = self.laptop.computers("sessions", "list", "build", "--json")
        return dict(json.loads(listed.stdout)["sessions"][number])

    def ended(self) -> str:
        """Why the newest session ended, once it has."""
        deadline = time.monotonic() + PATIENCE_S
        while (session := self.session())["state"] != "ended":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        return str(session["reason"])

    def stop(self) -> None:
        for box in (self.laptop, self.machine, self.hub):
            box.stop()


def eventually(done: Callable[[], subprocess.CompletedProcess[bytes]]) -> None:
    until = time.monotonic() + PATIENCE_S
    while (last := done()).returncode:
        assert time.monotonic() < until, last.stderr
        time.sleep(0.2)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with network(2) as stations:
        made = World(tmp_path_factory.mktemp("world"), stations)
        yield made
        made.stop()


@pytest.fixture(autouse=True)
def whole_again(world: World) -> Iterator[None]:
    """Every test begins and ends with good links."""
    yield
    for box in (world.hub, world.machine, world.laptop):
        box.link.loss, box.link.delay_s, box.link.is_cut = 0.0, 0.0, False
    world.until("online", BACK_S)


def test_the_computer_and_the_laptop_reach_each_other_through_the_server_alone(
    world: World,
) -> None:
    world.machine.start(sys.executable, "-m", "http.server", "2001", "--bind", "0.0.0.0")
    address = world.machine.station.address
    word = f"import socket; socket.create_connection(('{address}', 2001), 3)"
    eventually(lambda: world.machine.run(sys.executable, "-c", word))

    assert world.laptop.run(sys.executable, "-c", word).returncode != 0
    assert world.laptop.computers("ssh", "build", "--", "echo here").stdout == b"here\n"


def test_bytes_and_sessions_come_whole_over_links_that_lose_and_delay(world: World) -> None:
    data = os.urandom(200_000)
    for link in (world.machine.link, world.laptop.link):
        link.loss, link.delay_s = 0.03, 0.03

    copied = world.laptop.computers("ssh", "build", "--", "cat; exit 7", given=data)
    assert (copied.returncode, hashlib.sha256(copied.stdout).hexdigest()) == (
        7, hashlib.sha256(data).hexdigest(),
    )  # fmt: skip
    started = world.laptop.computers("sessions", "start", "build", "scripted")
    assert started.returncode == 0, started.stderr
    attached = world.laptop.computers("sessions", "attach", "build", given=b"many 300\n/stop\n")
    assert attached.returncode == 0, attached.stderr
    assert world.session()["reason"] == "stopped"


def test_a_link_that_is_cut_is_noticed_on_both_sides_and_taken_up_again(world: World) -> None:
    """Nobody is informed of the cut. A login ends, forwarded ports stay, a session goes on."""
    world.machine.start(sys.executable, "-c", _SERVED)
    forward = world.laptop.start(*PROGRAM, "computers", "port-forward", "build", "3000:2000")
    eventually(lambda: world.laptop.run(sys.executable, "-c", _GET, "http://127.0.0.1:3000/", "x"))
    started = world.laptop.computers("sessions", "start", "build", "scripted", "--prompt", "wait")
    assert started.returncode == 0, started.stderr
    login = world.laptop.start(*PROGRAM, "computers", "ssh", "build", "--", "echo in; sleep 600")
    assert login.stdout is not None
    assert login.stdout.readline() == "in\n"

    world.machine.link.is_cut = True
    noticed_s = world.until("offline", SILENCE_S + 10)
    assert noticed_s > 1
    refused = world.laptop.computers("ssh", "build", "--", "true")
    assert refused.returncode == 255
    assert login.wait(45) != 0, "ssh ends by itself, and does not hang"

    world.machine.link.is_cut = False
    world.until("online", BACK_S)
    assert forward.poll() is None
    eventually(lambda: world.laptop.run(sys.executable, "-c", _GET, "http://127.0.0.1:3000/", "x"))
    assert world.session()["state"] == "working"
    world.laptop.computers("sessions", "stop", "build")
    forward.send_signal(signal.SIGTERM)


def test_a_server_that_is_killed_loses_no_session_and_gets_its_computers_back(
    world: World,
) -> None:
    started = world.laptop.computers("sessions", "start", "build", "scripted", "--prompt", "wait")
    session = started.stdout.decode().strip()

    world.server.kill()
    world.server.wait()
    world.start_server()
    # A server that was killed has left "online" behind: a login shows that it is so.
    eventually(lambda: world.laptop.computers("ssh", "build", "--", "true"))

    assert (world.session()["id"], world.session()["state"]) == (session, "working")
    world.laptop.computers("sessions", "stop", "build")
    assert world.ended() == "stopped"


def test_an_agent_that_is_killed_has_lost_its_sessions_and_what_they_started(
    world: World,
) -> None:
    """Its server learns of that when it is back, and no process of an agent stays behind."""
    eventually(lambda: world.laptop.computers("ssh", "build", "--", "true"))
    started = world.laptop.computers("sessions", "start", "build", "scripted", "--prompt", "wait")
    assert started.returncode == 0, started.stderr
    world.serving.kill()
    world.serving.wait()
    world.until("offline")

    world.serve()

    assert world.ended() == "lost"
    assert _processes_with(COMMAND.split()[-1], str(world.machine.folder)) == 0


def _processes_with(word: str, home: str) -> int:
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
            count += word in words and home in (process / "environ").read_bytes().decode()
        except OSError:
            continue
    return count
