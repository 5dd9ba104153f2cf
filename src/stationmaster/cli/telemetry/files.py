"""Distinguishes files by their bytes: OTLP bodies, event NDJSON, session transcripts."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from stationmaster.cli.telemetry.destination import Destination
from stationmaster.client.collecting import sources
from stationmaster.client.collecting.sources import SessionFile
from stationmaster.client.server import EVENTS_PATH
from stationmaster.errors import Malformed, OperatorError, StationmasterError

_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 4_096
_OTLP_JSON = re.compile(rb'\s*\{\s*"resource(Logs|Metrics|Spans)"')
_SIGNAL_OF_KEY = {b"Logs": "logs", b"Metrics": "metrics", b"Spans": "traces"}
_PROTOBUF_NAME = re.compile(r"(logs|metrics|traces)[^/]{0,200}\.(bin|pb|binpb)(\.gz)?$")
_LINES_PER_REQUEST = 5_000


class _EventHead(msgspec.Struct):
    """What every canonical event has."""

    event_id: str
    kind: str
    product: str


@dataclass(frozen=True)
class RequestFile:
    """A file that holds a request body, or lines of events: `path` is where a server takes it."""

    file: str
    path: str
    content_type: str

    def bodies(self) -> Iterator[bytes]:
        """The body after decompression; events in pieces that a server takes in one request."""
        data = Path(self.file).read_bytes()
        if data.startswith(_GZIP):
            try:
                data = gzip.decompress(data)
            except (OSError, EOFError, zlib.error) as fault:
                raise Malformed(f"damaged gzip: {fault}") from fault
        if self.path != EVENTS_PATH:
            yield data
            return
        lines = data.splitlines()
        for start in range(0, len(lines), _LINES_PER_REQUEST):
            yield b"\n".join(lines[start : start + _LINES_PER_REQUEST])


@dataclass
class Sorted:
    """Files by what they are."""

    requests: list[RequestFile] = field(default_factory=list)
    transcripts: list[SessionFile] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class RequestSink(Protocol):
    """Where request bodies go: a server, or the local data folder through the same decoder."""

    def post(self, path: str, body: bytes, content_type: str) -> object:
        """Send a body to a path of the API. The answer does not matter."""

    def close(self) -> None:
        """Close the connection or the data folder."""


def sort_out(paths: list[Path], product: str | None) -> Sorted:
    """Every file at or below the paths, distinguished by content; `product` names the
    transcripts."""
    by_kind = Sorted()
    for path in paths:
        for file in sources.files_below(path):
            head = sources.head_of(file)
            request = as_request(file, head)
            if request is not None:
                by_kind.requests.append(request)
                continue
            session = sources.identify(file, head, product)
            if session is not None:
                by_kind.transcripts.append(session)
            else:
                by_kind.unknown.append(file)
    by_kind.transcripts = sources.largest_first(by_kind.transcripts)
    return by_kind


def as_request(file: str, head: bytes) -> RequestFile | None:
    """The file as a request body, or None; `head` is its beginning."""
    head = _plain(head[:_HEAD_BYTES])
    otlp = _OTLP_JSON.match(head)
    if otlp:
        return RequestFile(file, f"/v1/{_SIGNAL_OF_KEY[otlp[1]]}", "application/json")
    if _is_event(head.lstrip().split(b"\n", 1)[0]):
        return RequestFile(file, EVENTS_PATH, "application/x-ndjson")
    named = _PROTOBUF_NAME.search(file)
    if named:
        return RequestFile(file, f"/v1/{named[1]}", "application/x-protobuf")
    return None


def feed_requests(requests: list[RequestFile], to: Destination) -> int:
    """Hand every request body to a destination; returns how many.

    Raises OperatorError naming the first file that does not get in; those before it are in.
    """
    if not requests:
        return 0
    posted = 0
    sink: RequestSink = to.open()
    try:
        for request in requests:
            try:
                for body in request.bodies():
                    sink.post(request.path, body, request.content_type)
                    posted += 1
            except StationmasterError as fault:
                raise OperatorError(f"{request.file}: {fault.detail}", code=fault.code) from fault
    finally:
        sink.close()
    return posted


def _is_event(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=_EventHead)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _plain(head: bytes) -> bytes:
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, _HEAD_BYTES)
    except zlib.error:
        return b""
