"""`computers serve`, `ssh`, `cp`, `port-forward` and `trust`, with the real programs of OpenSSH."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from stationmaster import clock
from tests.support.cast import Cast
from tests.support.commands import command
from tests.support.relaying import tcp_server
from tests.support.servers import Server, running_server, settings_for
from tests.support.sshd import needs_sshd

from tests.api.relay.exchange import Echo  # isort: skip

PROGRAM = [sys.executable, "-m", "stationmaster", "computers"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("remote"), "sqlite")) as running:
        yield running


@pytest.fixture(scope="module")
def access(server: Server) -> dict[str, str]:
    key = str(Cast(server.services.db, "acme").keys["member"])
    return {"STATIONMASTER_URL": server.url, "STATIONMASTER_KEY": key}


class Place:
    """A machine: the variables with which its programs run."""

    def __init__(self, folder: Path, access: dict[str, str]) -> None:
        self.folder = folder
        self.variables = {
            **os.environ, **access, "STATIONMASTER_CLIENT_DIR": str(folder), "HOME": str(folder),
        }  # fmt: skip

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*PROGRAM, *arguments], env=self.variables, input=given, capture_output=True, timeout=60
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *arguments],
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]) -> Place:
    return Place(tmp_path_factory.mktemp("laptop"), access)


@contextmanager
def served(place: Place, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The agent of a registered machine, once it is connected."""
    serving = place.start("serve", *arguments)
    try:
        assert serving.stdout is not None
        assert any(line.startswith("Connected") for line in iter(serving.stdout.readline, ""))
        yield serving
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(20) == 0
    finally:
        stop(serving)


def stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def registered(place: Place, name: str) -> Place:
    """The place as a registered machine, which needs no key any more."""
    assert place.run("register", name, "--yes").returncode == 0
    del place.variables["STATIONMASTER_URL"], place.variables["STATIONMASTER_KEY"]
    return place


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]) -> Iterator[Place]:
    """A registered machine that is served."""
    place = registered(Place(tmp_path_factory.mktemp("machine"), access), "build")
    with served(place):
        yield place


@needs_sshd
def test_a_command_runs_there_with_its_input_output_and_status(
    machine: Place, laptop: Place
) -> None:
    data = os.urandom(2 * 2**20)
    copied = laptop.run("ssh", "build", "--", "cat; echo said >&2; exit 7", given=data)
    assert (copied.returncode, copied.stdout == data) == (7, True)
    assert copied.stderr == b"said\n"


@needs_sshd
def test_files_are_copied_both_ways(machine: Place, laptop: Place, tmp_path: Path) -> None:
    here, there = tmp_path / "here file", tmp_path / "there"
    here.write_bytes(os.urandom(100_000))
    assert laptop.run("cp", str(here), f"build:{there}").returncode == 0
    assert laptop.run("cp", f"build:{there}", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back").read_bytes() == here.read_bytes()


@needs_sshd
def test_editors_reach_it_by_an_entry_of_ssh_config(machine: Place, laptop: Place) -> None:
    assert laptop.run("ssh-config", "--install").returncode == 0
    config = laptop.folder / ".ssh" / "config"
    done = subprocess.run(
        ["ssh", "-F", str(config), "sm-build", "echo", "hello"],
        env=laptop.variables,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "hello\n", done.stderr


@needs_sshd
def test_another_host_key_is_refused_until_it_is_trusted(
    laptop: Place, access: dict[str, str], tmp_path: Path
) -> None:
    place = registered(Place(tmp_path, access), "reinstalled")
    with served(place):
        assert laptop.run("ssh", "reinstalled", "--", "true").returncode == 0
    for name in ("host_key", "host_key.pub"):
        (tmp_path / "ssh-server" / name).unlink()
    with served(place):
        refused = laptop.run("ssh", "reinstalled", "--", "true")
        assert refused.returncode == 255
        assert b"SSH host key of this computer has changed" in refused.stderr

        assert laptop.run("trust", "reinstalled", "--yes").returncode == 0
        assert laptop.run("ssh", "reinstalled", "--", "true").returncode == 0


def test_local_ports_lead_to_the_computers(access: dict[str, str], tmp_path: Path) -> None:
    place = Place(tmp_path, access)
    assert place.run("register", "ports", "--yes").returncode == 0
    with tcp_server(Echo) as open_port, tcp_server(Echo) as other_port:
        serving = place.start("serve", "--allow-port", str(open_port))
        tunnel = place.start("port-forward", "ports", f":{open_port}", f":{other_port}", "--json")
        try:
            assert serving.stdout is not None
            assert tunnel.stdout is not None
            assert any(line.startswith("Connected") for line in iter(serving.stdout.readline, ""))
            ports = [json.loads(tunnel.stdout.readline())["local"] for _ in range(2)]
            assert echoed(ports[0]) == b"x"
            assert echoed(ports[1]) == b""
            assert json.loads(tunnel.stdout.readline())["code"] == "port_not_allowed"
            assert place.run("remove", "ports", "--yes").returncode == 0
            assert echoed(ports[0]) == b""
            assert (tunnel.wait(20), serving.wait(20)) == (3, 0)
        finally:
            stop(serving)
            stop(tunnel)


def echoed(port: int) -> bytes:
    """What comes back for a byte; nothing where the connection is not made."""
    with (
        suppress(ConnectionError),
        socket.create_connection(("127.0.0.1", port), timeout=30) as connection,
    ):
        connection.sendall(b"x")
        return connection.recv(1)
    return b""


def test_what_is_missing_is_said() -> None:
    assert "not registered" in command("computers", "serve").stderr
    assert "needs a server and a key" in command("computers", "ssh", "x").stderr
