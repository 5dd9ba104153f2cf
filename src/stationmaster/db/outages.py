"""One line in the log for an outage of storage, however many threads and requests meet it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from stationmaster.errors import StationmasterError

QUIET_S = 60.0
"""The same line is written once in this time."""
_LINES_MAX = 100
FAULT_S = 10.0
"""A pause after a fault of storage."""

_lock = threading.Lock()
_written: dict[str, float] = {}
"""When each line was written last, on the monotonic clock."""


def keep_doing(
    stop: threading.Event,
    do_next: Callable[[], bool],
    log: logging.Logger,
    doing: str,
    look_s: float,
) -> None:
    """Do what is due until `stop` is set: wait `look_s` where nothing is, and FAULT_S after a
    fault, which is logged."""
    while not stop.is_set():
        try:
            did = do_next()
        except Exception as fault:  # The thread's edge: storage fails for a while.
            log_failure(log, doing, fault)
            stop.wait(FAULT_S)
            continue
        if not did:
            stop.wait(look_s)


def log_failure(log: logging.Logger, doing: str, fault: Exception) -> None:
    """Log why something failed: a known fault in one line, once in QUIET_S whatever was being done,
    any other one each time with its traceback.
    """
    if not isinstance(fault, StationmasterError | OSError):
        log.error("%s failed", doing, exc_info=fault)
        return
    line = " ".join(str(fault).split())
    now = time.monotonic()
    with _lock:
        is_repeated = now - _written.get(line, -QUIET_S) < QUIET_S
        if not is_repeated:
            if len(_written) >= _LINES_MAX:
                _written.clear()
            _written[line] = now
    if not is_repeated:
        log.warning("%s failed: %s", doing, line)
