"""A receiver of webhooks on loopback: it keeps every request, and answers as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Request:
    """What was sent: header fields by their names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


@dataclass
class Receiver:
    """`answers` are given in turn, the last one for good; `answering` answers by itself instead."""

    place: str = ""
    answers: list[Answer] = field(default_factory=lambda: [(204, {}, b"")])
    answering: Callable[[Any], None] | None = None
    requests: list[Request] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://{self.place}/hook"

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Answer every request that comes with this."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers = [(status, fields, body)]


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.requests.append(Request(self.path, headers, body))
            with suppress(OSError):
                if made.answering is not None:
                    made.answering(self)
                    return
                status, fields, content = made.answers[0]
                if len(made.answers) > 1:
                    del made.answers[0]
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                if status < 200:  # Clients wait for the answer after it while the connection lasts.
                    self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made.place = f"127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        made.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
