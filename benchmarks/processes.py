"""Servers that are measured: started in a session of their own, watched, and stopped or killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

import psutil

from benchmarks.results import ROOT

START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 60
_SAMPLE_S = 0.2
_IDLE_S = 0.03


@contextmanager
def running(
    command: Sequence[str | Path],
    port: int,
    *,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    log: Path | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that answers on a port of 127.0.0.1; all its processes have ended afterwards.

    It runs in a session of its own, so that what it starts can be ended with it. `log` takes what
    it prints.
    """
    with (log or Path(os.devnull)).open("ab") as told:
        server = subprocess.Popen(
            list(map(str, command)),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told if log else None,
            start_new_session=True,
        )
    try:
        _await_port(server, port)
        yield server
    finally:
        _stop(server)


def kill(server: subprocess.Popen[bytes]) -> None:
    """SIGKILL to all of a server's processes at once."""
    _signal_group(server, signal.SIGKILL)
    server.wait()


def program(name: str) -> str | None:
    """A program of Debian by the name of its package; as root it is installed where missing."""
    if shutil.which(name) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", name], check=False, capture_output=True)
    return shutil.which(name)


def await_idle(pid: int) -> None:
    """Return once a server and its children rest: several processes start one after the other."""
    before = -1.0
    while (now := _cpu(psutil.Process(pid))) - before > _IDLE_S:
        before = now
        time.sleep(0.5)


class Watch:
    """CPU time and peak memory of processes and their children while the block runs.

    Memory is the proportional set: pages that processes share are counted once.
    """

    def __init__(self, *pids: int) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]
        self._ended = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self.cpu_s = 0.0
        self.peak_mb = 0.0

    def __enter__(self) -> Watch:
        self.cpu_s = -sum(map(_cpu, self._processes))
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._sampler.join()
        self.cpu_s += sum(map(_cpu, self._processes))

    def _sample(self) -> None:
        while True:
            sizes = 0
            for process in chain.from_iterable(map(_tree, self._processes)):
                with suppress(psutil.Error):
                    sizes += process.memory_full_info().pss
            self.peak_mb = max(self.peak_mb, sizes / 2**20)
            if self._ended.wait(_SAMPLE_S):
                return


def _tree(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return [process, *process.children(recursive=True)]
    return []


def _cpu(process: psutil.Process) -> float:
    total = 0.0
    for each in _tree(process):
        with suppress(psutil.Error):
            times = each.cpu_times()
            total += times.user + times.system
    return total


def _await_port(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"{server.args!r} ended with {server.returncode}")
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"{server.args!r} does not answer")


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # What outlived its parent, or would not end.
        _signal_group(server, signal.SIGKILL)
        server.wait()


def _signal_group(server: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, number)
