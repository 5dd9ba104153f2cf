"""A small real HTTP server that answers as told and remembers what it was sent."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)


def taken(count: int = 0) -> Reply:
    """The answer of a server that has taken all events."""
    return Reply(200, json.dumps({"accepted": count, "rejected": 0, "errors": []}).encode())


@dataclass
class ScriptedServer:
    """Answers with the replies in order, the last one for ever."""

    replies: list[Reply]
    port: int = 0
    read: bytes = b"{}"
    """What it answers to every GET."""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    """The header fields of every GET."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def events(self) -> list[dict[str, object]]:
        """Every event that was sent, in order."""
        return [json.loads(line) for body in self.bodies for line in body.splitlines()]


@contextmanager
def scripted_server(*replies: Reply, port: int = 0) -> Iterator[ScriptedServer]:
    script = ScriptedServer(list(replies) or [taken()])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            is_gzip = self.headers.get("content-encoding") == "gzip"
            script.bodies.append(gzip.decompress(raw) if is_gzip else raw)
            script.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = script.replies.pop(0) if len(script.replies) > 1 else script.replies[0]
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def do_GET(self) -> None:
            script.asked.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("content-length", str(len(script.read)))
            self.end_headers()
            self.wfile.write(script.read)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    script.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
