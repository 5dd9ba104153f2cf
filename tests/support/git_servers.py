"""Real git servers on loopback: smart HTTP by git's own backend, and ones that misbehave."""

from __future__ import annotations

import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Answer = Callable[["Handler"], None]
"""Answers one request by itself."""


class GitServer:
    """A server of the repositories below a folder.

    `authorization` is the header it demands. `before` answers requests with a text in their path,
    or bytes in their body, instead. What every request said is in `seen`: method, path and
    Authorization.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authorization: str | None = None
        self.before: dict[str | bytes, Answer] = {}
        self.seen: list[tuple[str, str, str | None]] = []
        self.closing = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.git_server = self  # type: ignore[attr-defined]  # Handlers know the server alone.

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.http.server_address[1]}"

    def url(self, name: str) -> str:
        """The normalised address of a repository."""
        return f"https://{self.place}/{name}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def git(self) -> GitServer:
        return self.server.git_server  # type: ignore[attr-defined, no-any-return]  # Set above.

    def do_GET(self) -> None:
        sent = self.headers.get("Authorization")
        self.git.seen.append((self.command, self.path, sent))
        self.body = body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        for part, answer in list(self.git.before.items()):
            if part in self.path if isinstance(part, str) else part in body:
                answer(self)
                return
        if self.git.authorization not in (None, sent):
            self.refuse(401, "WWW-Authenticate", 'Basic realm="git"')
            return
        self.answer_by_git()

    do_POST = do_GET

    def refuse(self, status: int, name: str = "X-Why", value: str = "test") -> None:
        self.send_response(status)
        self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer_by_git(self) -> None:
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.git.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROJECT_ROOT": str(self.git.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(self.body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=env, input=self.body, capture_output=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def git_server(folder: Path, tls: ssl.SSLContext | None = None) -> Iterator[GitServer]:
    """Serve until the block ends, over TLS if told how."""
    server = GitServer(folder)
    if tls is not None:
        # The handshake is left to the thread of the request.
        server.http.socket = tls.wrap_socket(
            server.http.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.http.shutdown()
        thread.join()
        server.http.server_close()


def redirect(to: str, status: int = 302) -> Answer:
    """To an address, in which {path} is what was asked for."""

    def answer(handler: Handler) -> None:
        handler.refuse(status, "Location", to.format(path=handler.path))

    return answer


def status(code: int) -> Answer:
    return lambda handler: handler.refuse(code)


def hang(handler: Handler) -> None:
    """Say nothing until the server closes."""
    handler.git.closing.wait()
    handler.close_connection = True


def result(body: bytes, kind: str = "result") -> Answer:
    """Always the same answer of `upload-pack`."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", f"application/x-git-upload-pack-{kind}")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def endless(first: bytes, then: bytes, media: str = "upload-pack-result") -> Answer:
    """An answer without an end: one text, then another for ever."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", f"application/x-git-{media}")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        with suppress(OSError):  # The client has had enough.
            handler.wfile.write(first)
            while not handler.git.closing.is_set():
                handler.wfile.write(then)

    return answer


def packet(data: bytes) -> bytes:
    """One line of git's protocol."""
    return f"{len(data) + 4:04x}".encode() + data


def endless_pack() -> Answer:
    """A pack of one file that never ends, for a request with `command=fetch`."""
    size = b"\xb0" + b"\xff" * 5 + b"\x7f"  # The header of a blob of half a petabyte.
    start = b"PACK\0\0\0\2\0\0\0\1" + size + b"\x78\x01"
    stored = b"\0\0\x80\xff\x7f" + os.urandom(0x8000)
    return endless(packet(b"packfile\n") + packet(b"\1" + start), packet(b"\1" + stored))
