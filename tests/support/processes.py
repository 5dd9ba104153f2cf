"""The real program as a real process, on a free port, killed or stopped at will."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.support.patience import PATIENCE_S

_PORTS = range(12_000, 32_000)
_PORTS_PER_WORKER = 1_000
PROGRAM = [sys.executable, "-m", "stationmaster"]


def run(*arguments: str, env: dict[str, str] | None = None, check: bool = True) -> str:
    """Standard output of one command; fails the test when it fails, unless told otherwise."""
    done = subprocess.run(
        [*PROGRAM, *arguments], env={**os.environ, **(env or {})}, capture_output=True, text=True
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{arguments} exited {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def run_json(*arguments: str, env: dict[str, str] | None = None) -> Any:
    """The JSON that a command prints."""
    return json.loads(run(*arguments, "--json", env=env))


def free_port() -> int:
    """A port that nothing listens on, for a process that is yet to start.

    It lies below those that systems give to connections, in a block of this worker of the run, so
    that neither a connection nor another worker takes it before the process listens.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = _PORTS.start + worker * _PORTS_PER_WORKER % len(_PORTS)
    while True:
        port = first + random.randrange(_PORTS_PER_WORKER)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Process:
    """A command that runs until it is ended. `start` and `kill` may alternate."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self._arguments = arguments
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [*PROGRAM, *self._arguments],
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def kill(self) -> None:
        """SIGKILL, as a power cut would end it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(timeout=60)
        self._output()
        self._process = None

    def _output(self) -> str:
        assert self._process is not None
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            return stream.read().decode(errors="replace")[-4000:]


class ServerProcess(Process):
    """`stationmaster up` on a data folder, or another command that answers requests."""

    def __init__(
        self,
        data_dir: Path,
        env: dict[str, str] | None = None,
        *,
        command: str = "up",
        more: tuple[str, ...] = (),
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # One process costs a test half of two.
        workers = ("--workers", "1") if command == "api" else ()
        super().__init__(
            *(command, *workers, *more, "--data-dir", str(data_dir), "--port", str(self.port)),
            env={"STATIONMASTER_ANALYTICS_REQUESTS_PER_MINUTE": "0", **(env or {})},
        )

    def start(self) -> None:
        super().start()
        self.await_ready()

    def begin(self) -> None:
        """`start` without waiting until it is ready."""
        super().start()

    def await_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + PATIENCE_S
        answer = "none"
        # One client for all attempts, because to make one costs more than to ask.
        with httpx.Client(timeout=2) as http:
            while time.monotonic() < deadline:
                if self._process.poll() is not None:
                    raise AssertionError(f"the server ended: {self._output()}")
                try:
                    told = http.get(f"{self.url}/readyz")
                except httpx.TransportError:
                    time.sleep(0.05)
                    continue
                if told.status_code == 200:
                    return
                answer = told.text
                time.sleep(0.05)
        raise AssertionError(f"the server did not become ready, its answer: {answer}")


@contextmanager
def a_server(data_dir: Path, env: dict[str, str] | None = None) -> Iterator[ServerProcess]:
    """A running server process on a data folder that `init` has made."""
    server = ServerProcess(data_dir, env)
    server.start()
    try:
        yield server
    finally:
        server.stop()
