"""One HTTP connection, bounded before anybody knows whose it is: the size of a request's address
and header fields, the time that these and a body may take, requests sent ahead, connections.

uvicorn parses and answers; what it leaves unlimited is limited here.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import Any

import httptools
import msgspec
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from stationmaster import ids
from stationmaster.api.serving import sockets
from stationmaster.errors import (
    HeadersTooLarge,
    Malformed,
    RequestTimeout,
    StationmasterError,
    UriTooLong,
)

URL_BYTES_MAX = 16 * 1024
HEAD_BYTES_MAX = 64 * 1024
"""The address and all header fields of one request."""
HEAD_FIELDS_MAX = 100
HEAD_SECONDS = 20.0
"""From a connection's start, or a request's first byte, to the end of its header fields."""
BODY_SECONDS = 20.0
BODY_BYTES_PER_SECOND = 4096
"""A body may take so long, and a second more for each so many bytes that have arrived."""
STALLED_SECONDS = 60.0
"""A client that reads nothing of its answer for so long is disconnected."""
AHEAD_MAX = 16
"""Requests that a client may send before it has its first answer."""
CONNECTIONS_MAX = 4096
"""Connections of one process; fewer where the system allows fewer open files."""
_FILES_RESERVED = 256
"""Open files that are left to databases, parts of the lake and processes."""


class _Refused(Exception):
    """Raised in a callback of the parser, which then stops."""


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with limits: exceeding one is answered with an error, and ends it."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.head_since: float | None = None
        """When the request whose header fields are incomplete began."""
        self._head_bytes = 0
        self._body_since: float | None = None
        self._body_bytes = 0
        self._unsent = 0
        self._unsent_since = 0.0
        self._refusal: StationmasterError | None = None
        self._watch: asyncio.TimerHandle | None = None

    # As in the class above: asyncio's base class names the base class of all transports.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Time the first request from now on; beyond the limit, disconnect others that wait."""
        super().connection_made(transport)
        self.head_since = self.loop.time()
        self._watch = self.loop.call_later(HEAD_SECONDS, self._check_time)
        if len(self.connections) > connections_max():
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the timing of requests."""
        self._stop_watching()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; refuse what is not HTTP or exceeds a limit."""
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        if self.head_since is None and self._body_since is None:
            self.head_since = self.loop.time()
        is_head = self.head_since is not None
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserCallbackError:
            if self._refusal is None:
                raise
            self.refuse(self._refusal)
            return
        except httptools.HttpParserError:
            if data.startswith(PREFACE):
                note(self.client)
                self.refuse(Malformed(f"T{ADVICE[1:]}.", code="invalid_http"))
                return
            self.logger.info("a client sent data that is not HTTP")
            self.refuse(Malformed("This is not a valid HTTP request.", code="invalid_http"))
            return
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self._stop_watching()
                self.handle_websocket_upgrade()
            return  # To no protocol that is supported here: the request is answered as it is.
        if is_head and self.head_since is not None:
            # Of a field that has not ended, the parser has not shown anything yet.
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self.refuse(_headers_too_large())

    def on_message_begin(self) -> None:
        """Time the header fields of a request, unless its first byte has begun that."""
        super().on_message_begin()
        self._head_bytes = 0
        if self.head_since is None:
            self.head_since = self.loop.time()

    def on_url(self, url: bytes) -> None:
        """Stop at an address of more than URL_BYTES_MAX bytes."""
        super().on_url(url)
        if len(self.url) > URL_BYTES_MAX:
            self._stop(UriTooLong(f"The address is longer than {URL_BYTES_MAX} bytes."))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Stop at more than HEAD_FIELDS_MAX fields."""
        super().on_header(name, value)
        if len(self.headers) > HEAD_FIELDS_MAX:
            self._stop(_headers_too_large())

    def on_headers_complete(self) -> None:
        """Stop at more than HEAD_BYTES_MAX bytes or AHEAD_MAX requests; time the body."""
        if sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES_MAX:
            self._stop(_headers_too_large())
        if len(self.pipeline) >= AHEAD_MAX:
            self._stop(Malformed(f"More than {AHEAD_MAX} requests were sent ahead of answers."))
        self.head_since = None
        self._body_since, self._body_bytes = self.loop.time(), 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count the bytes of the body, on which its allowed time depends."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the timing of the body."""
        self._body_since = None
        super().on_message_complete()

    def refuse(self, fault: StationmasterError) -> None:
        """Answer with an error body where nothing was answered yet, and disconnect."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        is_answering = cycle is not None and not cycle.response_complete
        is_answered = self.head_since is None and cycle is not None and cycle.response_started
        if not is_answered and not (is_answering and cycle.response_started):
            request_id = ids.new("req")
            self.logger.info("refused with %d: %s [%s]", fault.status, fault.detail, request_id)
            self.transport.write(_answer(fault, request_id))
        if is_answering:
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()

    def _stop(self, fault: StationmasterError) -> None:
        self._refusal = fault
        raise _Refused

    def _should_upgrade(self) -> bool:
        return self.url.startswith(sockets.PATHS) and super()._should_upgrade()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _check_time(self) -> None:
        """Disconnect who is late, and look again when this connection could be."""
        now = self.loop.time()
        if self.transport.is_closing():
            return
        again_s = min(HEAD_SECONDS, BODY_SECONDS)
        if self.flow.read_paused:
            self._start_again(now)  # It is this server that does not read on.
        if self.head_since is not None:
            left_s = self.head_since + HEAD_SECONDS - now
            if left_s <= 0:
                self._too_late("The header fields of this request took too long.")
                return
            again_s = left_s
        elif self._body_since is not None:
            allowed_s = BODY_SECONDS + self._body_bytes / BODY_BYTES_PER_SECOND
            left_s = self._body_since + allowed_s - now
            if left_s <= 0:
                self._too_late("The body of this request took too long.")
                return
            again_s = min(left_s, again_s)
        if self._is_stalled(now):
            self.transport.abort()
            return
        self._watch = self.loop.call_later(max(again_s, 0.05), self._check_time)

    def _start_again(self, now: float) -> None:
        if self.head_since is not None:
            self.head_since = now
        if self._body_since is not None:
            self._body_since, self._body_bytes = now, 0

    def _too_late(self, detail: str) -> None:
        if self.head_since is not None and not self._head_bytes:
            self.transport.close()  # Nothing was sent, so nothing is asked.
        else:
            self.refuse(RequestTimeout(detail))

    def _is_stalled(self, now: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now
            return False
        return now - self._unsent_since >= STALLED_SECONDS

    def _make_room(self) -> None:
        """Disconnect those that have waited longest for a request that is not there yet."""
        waiting = [
            (other.head_since, number, other)
            for number, other in enumerate(self.connections)
            if isinstance(other, Connection) and other.head_since is not None and other is not self
        ]
        waiting.sort(key=lambda one: one[:2])
        for _, _, other in waiting[: max(1, connections_max() // 8)]:
            other.transport.abort()
        if not waiting:
            self.transport.abort()


def connections_max() -> int:
    """How many connections this process keeps open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return CONNECTIONS_MAX
    return max(16, min(CONNECTIONS_MAX, files - _FILES_RESERVED))


def allow_open_files() -> None:
    """Raise this process's limit of open files to what its connections need, where it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = CONNECTIONS_MAX + _FILES_RESERVED
    if soft != resource.RLIM_INFINITY and soft < files:
        allowed = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))


def _headers_too_large() -> HeadersTooLarge:
    return HeadersTooLarge(
        f"A request has at most {HEAD_FIELDS_MAX} header fields of {HEAD_BYTES_MAX} bytes in all."
    )


def _answer(fault: StationmasterError, request_id: str) -> bytes:
    body = msgspec.json.encode(
        {
            "detail": fault.detail,
            "status": fault.status,
            "title": fault.title,
            "metadata": {"code": fault.code},
        }
    )
    return b"".join(
        [
            STATUS_LINE[fault.status],
            b"content-type: application/json\r\n",
            b"content-length: %d\r\n" % len(body),
            b"x-request-id: %s\r\n" % request_id.encode(),
            b"connection: close\r\n\r\n",
            body,
        ]
    )


PREFACE = b"PRI * HTTP/2.0\r\n"
"""How every connection of HTTP/2 begins (RFC 9113, 3.4)."""
ADVICE = (
    "this is the port for HTTP/1.1; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf in the client, "
    "or send to the port of OTLP/gRPC (STATIONMASTER_GRPC_PORT, usually 4317)"
)
LOGGED_EVERY_S = 60.0
"""One line for each peer in so long: a client tries again within a second."""
PEERS_MAX = 1000

_log = logging.getLogger(__name__)
_logged: dict[str, float] = {}
"""When a peer was last written about."""


def note(client: tuple[str, int] | None) -> None:
    """Write to the log that a client connected, and what it should do."""
    peer = client[0] if client is not None else "unknown"
    now = time.monotonic()
    if now - _logged.get(peer, -LOGGED_EVERY_S) < LOGGED_EVERY_S:
        return
    if len(_logged) >= PEERS_MAX:
        _logged.clear()
    _logged[peer] = now
    _log.warning("a gRPC client connected to the HTTP port from %s: %s", peer, ADVICE)
