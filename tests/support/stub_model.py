"""A model server of our own on loopback: it answers what a script says and knows what it answered.

It speaks what coding agents speak: Anthropic's Messages, OpenAI's Responses and Chat Completions,
Gemini's generateContent, streamed or not. A request that offers tools gets the next turn of the
script; one without tools is an agent's own side call, for a title or a summary, and gets a short
text. Every answer is remembered with what it cost, which is the truth for whatever counts it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support import stub_wire
from tests.support.stub_wire import ToolUse, Turn, Usage

__all__ = ["Call", "StubModel", "ToolUse", "Turn", "Usage", "stub_model", "with_usage"]

_SIDE = Turn(text="Work on the project", usage=Usage(input=40, output=6))
_OVER = Turn(text="Nothing is left to do.", usage=Usage(input=41, output=7))


@dataclass(frozen=True)
class Call:
    """One request to the model and what it was answered."""

    path: str
    model: str
    turn: Turn
    usage: Usage
    """As the API told it: some have no figure for cache writes, which are plain input there."""
    is_side: bool
    request: dict[str, Any] = field(repr=False)


@dataclass
class StubModel:
    """Turns are given in order; what comes after the last gets a closing text."""

    turns: list[Turn]
    has_request_ids: bool = True
    port: int = 0
    calls: list[Call] = field(default_factory=list)
    other_paths: list[str] = field(default_factory=list)
    """Requests that are not for the model: catalogues, telemetry of a vendor."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def usage(self) -> Usage:
        """Everything that was answered, side calls included."""
        return sum((call.usage for call in self.calls), Usage())

    def answer(self, path: str, request: dict[str, Any]) -> stub_wire.Answer | None:
        """The next answer to a request for the model; None for any other request."""
        api = stub_wire.api_of(path)
        if api is None:
            with self._lock:
                self.other_paths.append(path)
            return None
        if api.counts(path):
            return stub_wire.counted(len(json.dumps(request)) // 4)
        with self._lock:
            model = str(request.get("model") or stub_wire.model_in(path))
            is_side = not request.get("tools")
            turn = _SIDE if is_side else self.turns.pop(0) if self.turns else _OVER
            number = len(self.calls) + 1
            if turn.status == 200:
                self.calls.append(Call(path, model, turn, api.told(turn.usage), is_side, request))
        is_streamed = bool(request.get("stream")) or "stream" in path.lower()
        return api.answer(turn, model, number, is_streamed)


def with_usage(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with figures that are all different, as of a cache that fills and is read."""
    return [
        replace(
            turn,
            usage=Usage(
                input=203 + 11 * number,
                cache_read=2003 * number,
                cache_write=307 + 13 * number,
                output=53 + 17 * number,
                reasoning=0,
            ),
        )
        for number, turn in enumerate(turns)
    ]


@contextmanager
def stub_model(turns: Sequence[Turn], *, has_request_ids: bool = True) -> Iterator[StubModel]:
    """Serve a script until the block ends."""
    model = StubModel(list(turns), has_request_ids)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self._respond(self._body())

        def do_GET(self) -> None:
            self._respond({})

        do_HEAD = do_GET

        def _body(self) -> dict[str, Any]:
            try:
                content = json.loads(self._raw() or b"{}")
            except ValueError:
                return {}
            return content if isinstance(content, dict) else {}

        def _raw(self) -> bytes:
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _respond(self, request: dict[str, Any]) -> None:
            answer = model.answer(self.path, request) if self.command == "POST" else None
            if answer is None:
                known = stub_wire.catalogue(self.path)
                answer = known if self.command != "POST" else stub_wire.Answer(404, b"{}")
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            self.send_header("content-length", str(len(answer.body)))
            if model.has_request_ids:
                for name in ("request-id", "x-request-id"):
                    self.send_header(name, f"req_stub{len(model.calls):04}")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
