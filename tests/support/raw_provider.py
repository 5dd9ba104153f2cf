"""A provider that answers with bytes of the test's choosing, and knows what it was sent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import BinaryIO


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire; names of fields are in lower case."""

    line: str
    fields: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return "\n".join([self.line, *self.fields.values(), self.body.decode("latin-1")])


Script = Callable[[socket.socket], None]


@dataclass
class RawProvider:
    """Answers every request alike: by `answer`, `stream` or a script of its own."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    script: Script = lambda _: None

    def answer(
        self, body: bytes, *, status: int = 200, fields: Mapping[str, str] | None = None
    ) -> None:
        """Answer with a whole body."""
        head = _head(status, {"content-length": str(len(body)), **(fields or {})})
        self.script = lambda connection: connection.sendall(head + body)

    def stream(
        self, parts: Sequence[bytes], media: str = "text/event-stream"
    ) -> threading.Semaphore:
        """Answer with server-sent events; each part, and the end, waits for a release."""
        go_on = threading.Semaphore(0)

        def script(connection: socket.socket) -> None:
            fields = {"content-type": media, "transfer-encoding": "chunked"}
            connection.sendall(_head(200, fields))
            for part in (*parts, b""):
                if not go_on.acquire(timeout=10):
                    return
                connection.sendall(b"%x\r\n%s\r\n" % (len(part), part))

        self.script = script
        return go_on


def _head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode()


@contextmanager
def raw_provider() -> Iterator[RawProvider]:
    """Serve until the block ends."""
    provider = RawProvider()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    provider.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    open_connections: set[socket.socket] = set()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError), connection.makefile("rb") as stream:
            while (request := _read(stream)) is not None:
                provider.requests.append(request)
                provider.script(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                open_connections.add(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield provider
    finally:
        # A thread that waits in `accept` holds a socket that is merely closed.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in open_connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def _read(stream: BinaryIO) -> Request | None:
    line = stream.readline().decode("latin-1").strip()
    if not line:
        return None
    fields: dict[str, str] = {}
    while text := stream.readline().decode("latin-1").rstrip("\r\n"):
        name, _, value = text.partition(":")
        fields[name.lower()] = value.strip()
    return Request(line, fields, stream.read(int(fields.get("content-length", 0))))
