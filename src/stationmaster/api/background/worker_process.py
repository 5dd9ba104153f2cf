"""The background worker in a process of its own, next to the server of one machine.

It ends when this process does, however that ends, and is started again when it ends by itself.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from prometheus_client.multiprocess import mark_process_dead

from stationmaster import clock, logs
from stationmaster.api.application import create_worker
from stationmaster.api.serving import server
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

LATE_S = 10.0
"""It reports once a second; a report that is older counts no more."""
SILENT_S = 60.0
"""After so long without a report it is ended, and started again."""
PAUSE_S, PAUSE_MAX_S = 1.0, 30.0
"""Before it is started again: twice as long each time, until it has lived as long as the longest.
"""
_MARGIN_S = 2.0
_SPAWN = multiprocessing.get_context("spawn")

_log = logging.getLogger(__name__)


class WorkerProcess:
    """A `Background` whose threads are those of another process.

    Make it before this process has threads or listens: a fork then takes no time, and what is
    loaded is in memory once. Where it is started again it loads everything again.
    """

    def __init__(self, settings: Settings, counts: Path) -> None:
        """`counts` is the folder in which both processes count."""
        # It takes no requests that another process would have to take meanwhile.
        self._settings = msgspec.structs.replace(settings, shutdown_delay=0.0)
        self._counts = counts
        self._stop = threading.Event()
        self._lock = threading.Lock()
        """Held while a process begins, and while the previous one is stopped."""
        self._reported_at = -LATE_S
        self._has_reported = threading.Event()
        # Objects that no collection touches stay in memory once.
        gc.collect()
        gc.freeze()
        # Elsewhere than on Linux, systems' own libraries do not bear a fork.
        forks = sys.platform == "linux"
        self._begin(multiprocessing.get_context("fork") if forks else _SPAWN)
        self._keeper = threading.Thread(target=self._keep, name="worker keeper", daemon=True)

    def start(self) -> None:
        """Returns when it works, or after LATE_S."""
        self._keeper.start()
        self._has_reported.wait(LATE_S)

    def stop(self) -> None:
        """As Worker.stop."""
        with self._lock:
            self._stop.set()
            self._process.terminate()
        self._keeper.join(self._settings.shutdown_seconds + _MARGIN_S)
        if self._keeper.is_alive():
            self._process.kill()
            self._keeper.join(_MARGIN_S)

    def hurry(self) -> None:
        """Let `stop` wait no longer: every step may be cut."""
        self._stop.set()
        self._process.kill()

    def living(self) -> int:
        """0: the other process publishes its own."""
        return 0

    def faults(self) -> list[str]:
        """A sentence when the other process has not reported for LATE_S seconds; else empty."""
        if self._stop.is_set() or time.monotonic() - self._reported_at < LATE_S:
            return []
        return ["the process of background work starts, or has ended and is started again"]

    def _begin(self, context: ForkContext | SpawnContext) -> None:
        self._reports, reporting = context.Pipe(duplex=False)
        # A daemon ends with an interpreter that ends before it serves.
        self._process = context.Process(
            target=_work, args=(self._settings, reporting), name="worker", daemon=True
        )
        self._process.start()
        reporting.close()

    def _keep(self) -> None:
        pause_s = PAUSE_S
        while True:
            began_at = time.monotonic()
            self._listen()
            self._reported_at = -LATE_S
            # The library's multiprocess mode has no types.
            mark_process_dead(self._process.pid, str(self._counts))  # type: ignore[no-untyped-call]
            if time.monotonic() - began_at > PAUSE_MAX_S:
                pause_s = PAUSE_S
            if not self._stop.is_set():
                status = self._process.exitcode
                _log.error("background work ended (%s), and starts again in %g s", status, pause_s)
            self._stop.wait(pause_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)
            with self._lock:
                if self._stop.is_set():
                    return
                self._begin(_SPAWN)

    def _listen(self) -> None:
        """Returns once the process has ended."""
        with self._reports, suppress(EOFError, OSError):
            while self._reports.poll(SILENT_S):
                self._reports.recv_bytes()
                self._reported_at = time.monotonic()
                self._has_reported.set()
            self._process.kill()
        self._process.join()


def _work(settings: Settings, reporting: Connection) -> None:
    """The work of the other process; signals of a terminal reach only the first one."""
    os.setsid()
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    clock.freeze(settings.now)
    logs.configure(settings.log_format, settings.log_level)

    def report(state: str) -> None:
        with suppress(OSError):  # The first process has ended.
            reporting.send_bytes(state.encode())

    server.run(create_worker(settings, report), settings, port=0)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    # As if both had been one: any step may be cut, and is then done again.
    os._exit(1)
