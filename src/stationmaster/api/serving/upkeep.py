"""What every process that answers requests does beside them: share limits, note the use of keys."""

from __future__ import annotations

import logging
import threading

from stationmaster.access.signing_in.buckets import EXCHANGE_S
from stationmaster.api.services import Services

RETRY_S = 5.0

_log = logging.getLogger(__name__)


class Upkeep:
    """A thread of its own. Requests neither wait for it nor fail with it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Returns once what was taken until now is exchanged."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        pause = EXCHANGE_S
        while True:
            is_last = self._stop.wait(pause)
            try:
                self._services.sharing.exchange()
                self._services.last_use.flush(self._services.db)
                pause = EXCHANGE_S
            except Exception as fault:  # The job edge: requests go on without it.
                _log.warning("limits and last uses are not shared for now: %s", fault)
                pause = RETRY_S
            if is_last:
                return
