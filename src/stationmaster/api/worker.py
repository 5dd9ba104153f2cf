"""Background work of one process: move to the lake, roll up due days, erase old events."""

from __future__ import annotations

import logging
import threading
import time

from stationmaster.aggregate import retention
from stationmaster.api.services import Services

ROUND_S = 2.0
"""Pause between two looks for days that are due."""
RETRY_S = 10.0
ERASE_S = 600.0
"""Pause between two looks for events to erase, which become too old once a day."""

_log = logging.getLogger(__name__)


class Worker:
    """Threads beside the application, or the whole of `stationmaster worker`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=services.mover.run, args=(self._stop,), name="mover"),
            threading.Thread(
                target=_run_rounds,
                args=(services, self._stop),
                name="rollup",
            ),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Returns once both threads have finished the step they are at."""
        self._stop.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()


def _run_rounds(services: Services, stop: threading.Event) -> None:
    erase_at = time.monotonic()
    while not stop.wait(ROUND_S):
        try:
            services.freshness.catch_up(stop)
            if time.monotonic() >= erase_at:
                retention.enforce(services.db, services.inbox, services.settings, stop)
                erase_at = time.monotonic() + ERASE_S
        except Exception:  # The job edge: a bad day must not end the worker.
            _log.exception("a round of background work failed, trying again in %d s", RETRY_S)
            stop.wait(RETRY_S)
