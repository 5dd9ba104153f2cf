"""Telling files apart by their bytes: OTLP bodies, event NDJSON, session transcripts."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from stationmaster.client import sources
from stationmaster.client.sources import SessionFile
from stationmaster.settings import Settings

_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 4_096
_OTLP_JSON = re.compile(rb'\s*\{\s*"resource(Logs|Metrics|Spans)"')
_SIGNAL_OF_KEY = {b"Logs": "logs", b"Metrics": "metrics", b"Spans": "traces"}
_PROTOBUF_NAME = re.compile(r"(logs|metrics|traces)[^/]*\.(bin|pb|binpb)$")
_EVENT_LINE = re.compile(rb'\s*\{"event_id":')


@dataclass(frozen=True)
class RequestFile:
    """A file that holds one request body: `path` is where a server takes it."""

    file: str
    path: str
    content_type: str

    def body(self) -> bytes:
        data = Path(self.file).read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP) else data


@dataclass
class Sorted:
    """Files by what they are."""

    requests: list[RequestFile] = field(default_factory=list)
    transcripts: list[SessionFile] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class RequestSink(Protocol):
    """Where request bodies go: a server, or the local data folder through the same decoder."""

    def post(self, path: str, body: bytes, content_type: str) -> object: ...
    def close(self) -> None: ...


def sort_out(paths: list[Path], product: str | None) -> Sorted:
    """Every file at or below the paths, told apart by content; `product` names the transcripts."""
    found = Sorted()
    for path in paths:
        for file in sources.files_below(path):
            request = as_request(file)
            if request is not None:
                found.requests.append(request)
                continue
            session = sources.identify(file, product)
            if session is not None:
                found.transcripts.append(session)
            else:
                found.unknown.append(file)
    found.transcripts = sources.largest_first(found.transcripts)
    return found


def as_request(file: str) -> RequestFile | None:
    """The file as a request body, or None."""
    head = _head(file)
    otlp = _OTLP_JSON.match(head)
    if otlp:
        return RequestFile(file, f"/v1/{_SIGNAL_OF_KEY[otlp[1]]}", "application/json")
    if _EVENT_LINE.match(head):
        return RequestFile(file, "/api/platform/v1/events", "application/x-ndjson")
    named = _PROTOBUF_NAME.search(file)
    if named:
        return RequestFile(file, f"/v1/{named[1]}", "application/x-protobuf")
    return None


def feed_requests(requests: list[RequestFile], settings: Settings, org: str | None) -> int:
    """Hand every request body to its destination; returns how many."""
    if not requests:
        return 0
    sink = _open(settings, org)
    try:
        for request in requests:
            sink.post(request.path, request.body(), request.content_type)
    finally:
        sink.close()
    return len(requests)


def _open(settings: Settings, org: str | None) -> RequestSink:
    if settings.url:
        from stationmaster.client.sending import HttpSink

        return HttpSink(settings.url, settings.key or "")
    from stationmaster.cli.local import LocalSink

    return LocalSink(settings, org)


def _head(file: str) -> bytes:
    with open(file, "rb") as opened:
        head = opened.read(_HEAD_BYTES)
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, _HEAD_BYTES)
    except zlib.error:
        return b""
