"""The relay of computers beside a bare one of the same libraries: bytes a second, the memory of
idle machines, and the time to the first byte of SSH beside that without a relay.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil

from benchmarks.processes import Watch, await_idle, running
from benchmarks.relay_apps import COMMAND
from benchmarks.results import Result, machine, spread
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller
from stationmaster.computers.model import Registration
from stationmaster.computers.service import register
from stationmaster.db.engine import Database

ROUNDS = 5
MEGABYTES = 64
FEW, MANY = 100, 1_000
BEATS_S = 30.0
SSH_ROUNDS = 15
RATE_GOAL, MEMORY_GOAL_MB, SSH_GOAL = 0.5, 150, 1.5
_Idle = tuple[str, str, str]
"""The id, host id and credential of a machine."""
_APPS = (sys.executable, "-m", "benchmarks.relay_apps")
_PROGRAM = (sys.executable, "-m", "stationmaster")


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as place:
        yield _idle(place)
        with _agent(place, "build"):
            yield _throughput(place)
            yield _ssh(place)


class _Place(NamedTuple):
    """A server with a key, the folder of the computer and the client beside it, and machines that
    are registered."""

    folder: Path
    url: str
    key: str
    pid: int
    idle: list[_Idle]

    @property
    def env(self) -> dict[str, str]:
        return {
            **os.environ,
            "STATIONMASTER_URL": self.url,
            "STATIONMASTER_KEY": self.key,
            "STATIONMASTER_CLIENT_DIR": str(self.folder / "client"),
        }

    def command(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        order = [*_PROGRAM, "computers", *words]
        return subprocess.run(order, env=self.env, check=True, capture_output=True)


@contextmanager
def _server(folder: Path) -> Iterator[_Place]:
    from tests.support import databases
    from tests.support.cast import Cast
    from tests.support.servers import settings_for

    settings = settings_for(folder, "sqlite")
    databases.prepare_sqlite(settings)
    (settings.data_dir / "stationmaster.json").write_text('{"format":1}\n')
    db = Database.open(settings.state_url)
    cast = Cast(db, "bench")
    key = str(cast.keys["member"])
    owner = authenticate(db, key)
    idle = [_registered(db, owner, number) for number in range(MANY)]
    db.close()
    port = _free_port()
    order = [*_PROGRAM, "api", "--workers", "1", "--data-dir", settings.data_dir]
    env = {"STATIONMASTER_REQUESTS_PER_MINUTE": "0"}
    with running([*order, "--port", str(port)], port, env=env) as process:
        yield _Place(folder, f"http://127.0.0.1:{port}", key, process.pid, idle)


@contextmanager
def _agent(place: _Place, name: str) -> Iterator[None]:
    """This machine as a registered computer whose agent is connected."""
    place.command("register", name, "--yes")
    serving = subprocess.Popen(
        [*_PROGRAM, "computers", "serve"],
        env=place.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert serving.stdout is not None
        while not serving.stdout.readline().startswith("Connected"):
            pass
        yield
    finally:
        serving.kill()
        serving.wait()


# Bytes


def _throughput(place: _Place) -> Result:
    with ExitStack() as stack:
        start = partial(_started, stack)
        target = start(lambda port: [*_APPS, "source", port])
        relay = start(lambda port: [*_APPS, "bare", port])
        pair = [*_APPS, "bare-machine", str(relay), str(target)]
        stack.enter_context(_beside(pair))
        bare = start(lambda port: [*_APPS, "bare-forward", port, str(relay)])
        forward = [*_PROGRAM, "computers", "port-forward", "build"]
        ours = start(lambda port: [*forward, f"{port}:{target}"], place.env)
        ports = {"direct": target, "bare": bare, "ours": ours}
        cases: dict[str, Callable[[int], float]] = {
            "one stream from the computer": partial(_load, 1, False),
            "one stream to the computer": partial(_load, 1, True),
            "eight streams from the computer": partial(_load, 8, False),
        }
        rates: dict[str, dict[str, list[float]]] = {
            title: {name: [] for name in ports} for title in cases
        }
        for _ in range(ROUNDS):  # In turn, so that a busy machine slows all alike.
            for title, load in cases.items():
                for name, port in ports.items():
                    rates[title][name].append(load(port))
    rows, ratios = [], []
    for title, by_name in rates.items():
        ratio = statistics.median(by_name["ours"]) / statistics.median(by_name["bare"])
        ratios.append(ratio)
        rows.append([title, *(spread(by_name[name]) for name in ports), f"{ratio:.2f}"])
    return Result(
        name="relay",
        title="Bytes through the relay of computers",
        about="MB/s of TCP over loopback: directly, through a bare relay, and through ours. The "
        "bare one, of the same libraries, pairs sockets that are open already and copies, between "
        "programs that know no callers, limits or ends of one way. Each has a process for the "
        "relay, the computer and the client. Median (least–greatest) of "
        f"{ROUNDS} rounds of {MEGABYTES} MB a stream in turn. {machine()}",
        columns=["what", "direct", "limit: bare relay", "stationmaster", "of the bare relay"],
        rows=rows,
        verdict=f"At least {min(ratios):.2f} of what the bare relay carries (goal: {RATE_GOAL}).",
        figures={"relay_of_bare": min(ratios)},
    )


def _load(streams: int, is_upload: bool, port: int) -> float:
    """MB/s of so many streams together."""
    began = time.perf_counter()
    threads = [threading.Thread(target=_exchange, args=(port, is_upload)) for _ in range(streams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return streams * MEGABYTES / (time.perf_counter() - began)


def _exchange(port: int, is_upload: bool) -> None:
    size = MEGABYTES * 1_000_000 // 2**16 * 2**16
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall((0 if is_upload else size).to_bytes(COMMAND, "big"))
        if is_upload:
            block = bytes(2**16)
            for _ in range(size // len(block)):
                connection.sendall(block)
            connection.shutdown(socket.SHUT_WR)
        count = 0
        while data := connection.recv(2**18):
            count += len(data)
    if count != (1 if is_upload else size):
        raise RuntimeError(f"{count} bytes came through port {port}")


# Idle machines


def _idle(place: _Place) -> Result:
    await_idle(place.pid)
    rows, sizes, costs = [], {0: _memory_mb(place.pid)}, {}
    for count in (FEW, MANY):
        with _machines(place, place.idle[:count]) as took_s:
            with Watch(place.pid) as watch:
                time.sleep(BEATS_S)
            sizes[count] = _memory_mb(place.pid)
        costs[count] = watch.cpu_s * 60 / BEATS_S
        await_idle(place.pid)
        rows.append(
            [
                f"{count:,}",
                f"{sizes[count]:.0f} MB",
                f"{(sizes[count] - sizes[0]) * 1024 / count:.0f} KB",
                f"{costs[count] * 1000 / count:.1f} ms",
                f"{took_s:.1f} s",
            ]
        )
    return Result(
        name="relay_idle",
        title="Idle computers at the relay",
        about=f"One process of `stationmaster api` whose memory was {sizes[0]:.0f} MB before; "
        f"control sockets of machines that do nothing but beat. {machine()}",
        columns=["computers", "memory", "more, each", "CPU each, a minute", "to connect all"],
        rows=rows,
        verdict=f"{MANY:,} idle computers take {sizes[MANY] - sizes[0]:.0f} MB of memory, "
        f"{sizes[MANY]:.0f} MB with all else of the server (goal: {MEMORY_GOAL_MB}). Ten times the "
        f"computers take {costs[MANY] / costs[FEW]:.1f} times the processor.",
        figures={"idle_mb": sizes[MANY] - sizes[0]},
    )


def _registered(db: Database, owner: Caller, number: int) -> _Idle:
    host = f"00000000-0000-4000-8000-{number:012d}"
    new = Registration(name=f"idle-{number}", remote_user="dev", host_id=host)
    computer, credential = register(db, owner, new)
    return computer.computer_id, host, credential.reveal()


@contextmanager
def _machines(place: _Place, known: list[_Idle]) -> Iterator[float]:
    """All of them connected; how many seconds that took."""
    file = place.folder / "machines.json"
    file.write_text(json.dumps(known))
    began = time.perf_counter()
    process = subprocess.Popen(
        [*_APPS, "machines", place.url, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError("the machines did not connect")
        yield time.perf_counter() - began
    finally:
        process.kill()
        process.wait()


def _memory_mb(pid: int) -> float:
    tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return float(sum(each.memory_full_info().pss for each in tree) / 2**20)


# SSH


def _ssh(place: _Place) -> Result:
    folder = place.folder / "sshd"
    with _sshd(folder) as (port, options):
        computer = json.loads(place.command("show", "build", "--json").stdout)["id"]
        login = ["ssh", *options, "-p", str(port), "127.0.0.1"]
        ours = [*_PROGRAM, "computers", "ssh", "build", "--"]
        let_in = partial(_let_in, place, computer, folder / "key.pub")
        steps = {
            "first byte of the SSH server": (
                lambda: _banner(port),
                lambda: asyncio.run(_relayed_banner(place, computer)),
            ),
            "a login that runs `true`, whole": (
                lambda: _quietly([*login, "true"], None),
                lambda: _quietly([*ours, "true"], place.env),
            ),
        }
        rows, ratios = [], []
        for title, (direct, relayed) in steps.items():
            times = _in_turn(let_in, direct, relayed)[1:]
            ratio = statistics.median(times[1]) / statistics.median(times[0])
            ratios.append(ratio)
            rows.append([title, *(f"{spread(each, ',.1f')} ms" for each in times), f"{ratio:.2f}"])
    return Result(
        name="relay_ssh",
        title="SSH through the relay of computers",
        about="Beside OpenSSH's daemon that listens on loopback. The first byte is that of the "
        "server's greeting, from the moment at which a client begins to connect, with a key that "
        "was let in just before; a whole login also starts our command twice, asks the API for the "
        "computer and lets the key in. Median "
        f"(least–greatest) of {SSH_ROUNDS} in turn. {machine()}",
        columns=["until", "direct", "stationmaster", "times direct"],
        rows=rows,
        verdict=f"The first byte of SSH takes {ratios[0]:.2f} times as long as directly (goal: "
        f"{SSH_GOAL}).",
        figures={"ssh_first_byte": ratios[0]},
    )


def _let_in(place: _Place, computer: str, key: Path) -> None:
    """What every login begins with: the computer lets a key in."""
    httpx.post(
        f"{place.url}/api/v0/computers/{computer}/ssh-grants",
        json={"publicKey": key.read_text().strip()},
        headers={"Authorization": f"Bearer {place.key}"},
        verify=False,
    ).raise_for_status()


def _in_turn(*calls: Callable[[], None]) -> list[list[float]]:
    """Milliseconds of each call, in turn."""
    times: list[list[float]] = [[] for _ in calls]
    for number in range(SSH_ROUNDS + 1):
        for which, call in enumerate(calls):
            began = time.perf_counter()
            call()
            if number:  # The first is a warm-up.
                times[which].append((time.perf_counter() - began) * 1000)
    return times


def _banner(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        if connection.recv(4) != b"SSH-":
            raise RuntimeError("this is no SSH server")


async def _relayed_banner(place: _Place, computer: str) -> None:
    from stationmaster.client.relay import sockets

    async with sockets.dialled(place.url, f"/computers/{computer}/connect", place.key) as stream:
        if not (await stream.recv(decode=False)).startswith(b"SSH-"):
            raise RuntimeError("this is no SSH server")


def _quietly(order: list[str], env: dict[str, str] | None) -> None:
    subprocess.run(order, env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL)


@contextmanager
def _sshd(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """A daemon of OpenSSH on loopback: its port, and what `ssh` needs to log in."""
    folder.mkdir(mode=0o700)
    for name in ("host_key", "key"):
        order = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(order, check=True)
    port = _free_port()
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/key.pub\nStrictModes no\nUsePAM no\n"
    )
    Path("/run/sshd").mkdir(mode=0o755, parents=True, exist_ok=True)
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise RuntimeError("this needs sshd (openssh-server)")
    options = {
        "IdentityFile": folder / "key",
        "IdentitiesOnly": "yes",
        "UserKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "no",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    with running([program, "-D", "-f", folder / "config"], port):
        yield port, words


# Processes


def _started(
    stack: ExitStack,
    order: Callable[[str], list[str]],
    env: dict[str, str] | None = None,
) -> int:
    """The port of a program that listens until the stack is closed."""
    port = _free_port()
    stack.enter_context(running(order(str(port)), port, env=env))
    return port


@contextmanager
def _beside(order: list[str]) -> Iterator[None]:
    process = subprocess.Popen(order)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
