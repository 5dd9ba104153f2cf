"""A server on loopback that speaks both protocols as their providers do, and says what it is told.

Nothing here is a model: a test gives the function that answers.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from stationmaster.wiki.prose.asking import Endpoint
from stationmaster.wiki.prose.providers import Name

Json = Any


class Asked(NamedTuple):
    """A question as the server saw it."""

    path: str
    headers: dict[str, str]
    body: Json

    @property
    def data(self) -> Json:
        """What stands between the marks."""
        return json.loads(self.body["messages"][-1]["content"].split("\n")[1])


class Says(NamedTuple):
    """An answer: its text and why it ended, or a status with headers."""

    text: str = ""
    stop: str = "end"
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012 - nobody changes it
    delay_s: float = 0.0
    raw: bytes | None = None


class Server:
    def __init__(self, answer: Callable[[Asked], Says]) -> None:
        self.asked: list[Asked] = []
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(size)))
                with outer._lock:
                    outer.asked.append(asked)
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                try:
                    self._say(asked, answer(asked))
                finally:
                    with outer._lock:
                        outer.at_once -= 1

            def _say(self, asked: Asked, says: Says) -> None:
                time.sleep(says.delay_s)
                body = says.raw if says.raw is not None else json.dumps(_body(asked, says)).encode()
                try:
                    self.send_response(says.status)
                    for name, value in says.headers.items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # Who asked has gone.

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def endpoint(self, provider: Name = "openai", timeout_s: float = 20.0) -> Endpoint:
        base = f"http://127.0.0.1:{self.port}" + ("/v1" if provider == "openai" else "")
        return Endpoint(provider, "test-model", base, "key-of-the-test", timeout_s)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(answer: Callable[[Asked], Says]) -> Iterator[Server]:
    server = Server(answer)
    try:
        yield server
    finally:
        server.close()


def said(*sentences: tuple[str, list[str]]) -> Says:
    """An answer of these sentences, each with what it cites."""
    told = [{"text": text, "cites": cites} for text, cites in sentences]
    return Says(json.dumps({"sentences": told, "unknown": []}))


def judged(asked: Asked) -> Says:
    """A second look that lets stand what the cited lines say word by word."""
    stands = [
        each["id"] for each in asked.data["sentences"]
        if _words(each["sentence"]) in _words(" ".join(it["text"] for it in each["lines"]))
    ]  # fmt: skip
    falls = [each["id"] for each in asked.data["sentences"] if each["id"] not in stands]
    return Says(json.dumps({"stands": stands, "falls": falls}))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _body(asked: Asked, says: Says) -> Json:
    if says.status != 200:
        return {"error": {"message": says.text}}
    if asked.path.endswith("/chat/completions"):
        reasons = {"end": "stop", "length": "length", "refusal": "content_filter"}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": says.text, "refusal": None},
                "finish_reason": reasons[says.stop],
            }],
            "usage": {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760,
                      "prompt_tokens_details": {"cached_tokens": 100}},
        }  # fmt: skip
    reasons = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": says.text}],
        "stop_reason": reasons[says.stop],
        "usage": {"input_tokens": 600, "output_tokens": 60, "cache_read_input_tokens": 100},
    }
