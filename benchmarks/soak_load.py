"""Senders of a soak: a closed loop that finds the capacity, an open loop that keeps a rate."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import deque
from collections.abc import Coroutine
from datetime import datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

from benchmarks import ingest_data
from stationmaster import clock
from stationmaster.ingest import otlp

TEMPLATES = 50
NUMBER_MAX = 99_999
"""What a body's ids have room for: five digits."""
CLOSED_SENDERS = 16
CONNECTIONS_MAX = 400
TIMEOUT_S = 10.0
"""What OpenTelemetry's exporters wait by default."""
KEPT_S = 3.0
"""An idle connection is used for so long: the server closes it after five."""
_TICK_S = 0.005


class Answer(NamedTuple):
    status: int
    """0 when the connection failed or nothing came in time."""
    seconds: float
    """Since the request was due."""
    has_retry_after: bool = False

    @property
    def is_refusal(self) -> bool:
        """A proper one: it says when to come back."""
        return self.status in (429, 503) and self.has_retry_after


class Bodies:
    """Different requests, made of a few by numbering their ids; of the last hour."""

    def __init__(self, records: int, at: datetime) -> None:
        start = at - timedelta(hours=1)
        self._templates = ingest_data.templates("logs", TEMPLATES, records, start)
        self._numbers = count(1)
        self._events = [len(self._ids(number)) for number in range(TEMPLATES)]
        if self._ids(1) & self._ids(1 + TEMPLATES):
            raise RuntimeError("two bodies hold the same event")

    def next(self) -> tuple[bytes, int]:
        """A body, and how many events it holds."""
        number = next(self._numbers)
        return self._body(number), self._events[number % TEMPLATES]

    def _body(self, number: int) -> bytes:
        turn, template = divmod(number, TEMPLATES)
        if turn > NUMBER_MAX:
            raise RuntimeError("every different body was sent")
        return ingest_data.numbered(self._templates[template], turn)

    def _ids(self, number: int) -> set[str]:
        decoded = otlp.decode(
            "logs",
            "application/x-protobuf",
            None,
            self._body(number),
            received_ms=clock.now_ms(),
            body_max=2**25,
        )
        return {event.event_id for event in decoded.events}


class Load:
    """Sends from a thread of its own. `acknowledged` and `uncertain` count events: of requests that
    were answered with 200, and of those that were never answered, which may be stored or not."""

    def __init__(self, port: int, key: str, bodies: Bodies) -> None:
        self.acknowledged = 0
        self.uncertain = 0
        self._port = port
        self._bodies = bodies
        self._head = (
            "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: application/x-protobuf\r\nAuthorization: Bearer {key}\r\n"
        )
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter, float]] = []
        self._slots = asyncio.Semaphore(CONNECTIONS_MAX)
        self._answers: deque[Answer] = deque()
        self._rate = 0.0
        self._sending: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._pacing = asyncio.run_coroutine_threadsafe(self._pace(), self._loop)

    def wait_for_server(self) -> None:
        """Raises OSError when nobody listens within a minute."""
        for attempt in range(600):
            try:
                self._call(asyncio.open_connection("127.0.0.1", self._port))[1].close()
                return
            except OSError:
                if attempt == 599:
                    raise
                time.sleep(0.1)

    def closed_loop(self, seconds: float) -> float:
        """How many requests a second are taken when each sender waits for its answer."""

        async def sender(ends: float) -> None:
            while time.monotonic() < ends:
                await self._send(time.monotonic())

        async def all_senders() -> None:
            ends = time.monotonic() + seconds
            await asyncio.gather(*(sender(ends) for _ in range(CLOSED_SENDERS)))

        self._call(all_senders())
        return sum(answer.status == 200 for answer in self.take_answers()) / seconds

    def open_loop(self, rate: float) -> None:
        """From now on let so many requests a second leave, answered or not."""
        self._rate = rate

    def take_answers(self) -> list[Answer]:
        """What came since the last call."""
        taken = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def finish(self) -> None:
        """Wait for the last answers."""
        self._rate = 0.0

        self._pacing.cancel()

        async def rest() -> None:
            while self._sending:
                await asyncio.sleep(0.05)
            for _, writer, _ in self._idle:
                writer.close()

        self._call(rest())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _call(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _pace(self) -> None:
        due = time.monotonic()
        while True:
            await asyncio.sleep(_TICK_S)
            if not self._rate:
                due = time.monotonic()
                continue
            while due <= time.monotonic():
                task = asyncio.create_task(self._send(due))
                self._sending.add(task)
                task.add_done_callback(self._sending.discard)
                due += 1 / self._rate

    async def _send(self, due: float) -> None:
        # Those that wait for a connection wait for the server, and their time counts.
        async with self._slots:
            body, events = self._bodies.next()
            try:
                answer = await asyncio.wait_for(self._exchange(body, due), TIMEOUT_S)
            except (OSError, EOFError, TimeoutError, ValueError):
                self.uncertain += events
                answer = Answer(0, time.monotonic() - due)
        if answer.status == 200:
            self.acknowledged += events
        self._answers.append(answer)

    async def _exchange(self, body: bytes, due: float) -> Answer:
        reader, writer, since = self._idle.pop() if self._idle else (None, None, 0.0)
        if reader is None or writer is None or time.monotonic() - since > KEPT_S:
            if writer is not None:
                writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            [length] = re.findall(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length))
        except BaseException:
            writer.close()
            raise
        if b"connection: close" in head:
            writer.close()
        else:
            self._idle.append((reader, writer, time.monotonic()))
        status = int(head.split(b" ", 2)[1])
        return Answer(status, time.monotonic() - due, b"\r\nretry-after: " in head)
