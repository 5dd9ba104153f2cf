"""The life of one process around its application: the beat, and the signals that end it.

The first SIGTERM or SIGINT makes it report that it is not ready. It still takes requests for
`shutdown_delay` s, so that a load balancer can turn away, then it stops listening and finishes what
has begun. A second one, from REPEAT_S on, cuts that short. One of several processes that share a
port ends, too, when the first of them was killed: no other process would signal it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any

from stationmaster import settings as settings_room
from stationmaster.api import blocking
from stationmaster.api.background.worker import Background
from stationmaster.api.monitoring.condition import Condition
from stationmaster.api.services import Services
from stationmaster.errors import StationmasterError

BEAT_S = 1.0
MARGIN_S = 5.0
REPEAT_S = 2.0
"""A signal that follows sooner is the same one, sent twice: a terminal and a service manager signal
every process of a group, and the first process of several signals the others, too."""


SWITCH_S = 0.0002
"""How long a thread that adds up figures may keep the event loop waiting, which gives the
interpreter away several times a request. Python's own 5 ms cost plain reports most of their rate.
"""


@asynccontextmanager
async def lived(
    services: Services,
    condition: Condition,
    worker: Background | None,
    notify: Callable[[str], None],
) -> AsyncIterator[None]:
    """Ready on entering; what beats and listens for signals stops on leaving. `notify` takes
    messages to a service manager.
    """
    sys.setswitchinterval(SWITCH_S)
    with _signals(services, condition, worker):
        beat = asyncio.create_task(_beat(services, condition, worker, notify))
        notify("READY=1")
        try:
            yield
        finally:
            beat.cancel()
            notify("STOPPING=1")
            # What it does in a thread continues: the databases are closed only after it.
            await asyncio.wait([beat])


async def _beat(
    services: Services,
    condition: Condition,
    worker: Background | None,
    notify: Callable[[str], None],
) -> None:
    """Show that the loop turns, and publish what is measured instead of counted."""
    while True:
        services.metrics.publish(services.now(0 if worker is None else worker.living()))
        with suppress(StationmasterError):
            await blocking.work(services.installation.ages.look)
        if not condition.faults():
            notify("WATCHDOG=1")
        if _is_orphan():
            signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(BEAT_S)


@contextmanager
def _signals(services: Services, condition: Condition, worker: Background | None) -> Iterator[None]:
    """Receive signals before the server does; nothing where no server listens for them."""
    if threading.current_thread() is not threading.main_thread() or not callable(
        signal.getsignal(signal.SIGTERM)
    ):
        yield
        return
    loop = asyncio.get_running_loop()
    began_at: float | None = None
    of_server: dict[int, Any] = {}

    def note_signal(number: int, frame: FrameType | None) -> None:
        nonlocal began_at
        if began_at is None:
            began_at = time.monotonic()
            condition.is_stopping = True
            _end_at_the_latest(services)
            delay_s = services.settings.shutdown_delay
            later: Callable[..., object] = loop.call_later
            loop.call_soon_threadsafe(later, delay_s, of_server[number], number, frame)
        elif time.monotonic() - began_at >= REPEAT_S:
            if worker is not None:
                worker.hurry()
            with suppress(RuntimeError):  # The loop has ended, and the process is about to.
                loop.call_soon_threadsafe(_end_now, services)

    number: int
    for number in (signal.SIGINT, signal.SIGTERM):
        of_server[number] = signal.signal(number, note_signal)
    try:
        yield
    finally:
        for number, handler in of_server.items():
            signal.signal(number, handler)


def _end_at_the_latest(services: Services) -> None:
    """End the process when requests, background work and MARGIN_S have had their time, whatever a
    thread is still doing.
    """
    settings = services.settings
    latest_s = settings.shutdown_delay + 2 * settings.shutdown_seconds + MARGIN_S
    ending = threading.Timer(latest_s, _end_now, (services,))
    ending.daemon = True
    ending.start()


def _end_now(services: Services) -> None:
    """Commit what is queued and end where we are: any step may be cut, and is then done again."""
    services.inbox.close()
    os._exit(0)


def _is_orphan() -> bool:
    """Whether this is one of several processes whose first one was killed."""
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def notify(state: str) -> None:
    """Notify the service manager, where one has named its socket (`man sd_notify`)."""
    address = settings_room.variable("NOTIFY_SOCKET")
    if not address:
        return
    # One that has ended must not end the process.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to, suppress(OSError):
        to.sendto(state.encode(), address.replace("@", "\0", 1))
