"""Object storage that speaks S3 on loopback, and a network to it that can be cut."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import boto3
import pytest

from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class ObjectStorage:
    """A server process with a proxy before it, which counts requests and may refuse them."""

    def __init__(self, port: int, proxy: Proxy) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.proxy = proxy

    def bucket(self, name: str) -> str:
        """The URL of a new bucket."""
        client: Any = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=name)
        client.close()
        return f"s3://{name}"


class Proxy:
    """Carries requests to the server, one connection each, in a thread of the test.

    `requests` are the first lines of all that were carried. While `is_cut` every connection is
    refused; of those that follow, so many answers are a 503 (`broken`), nothing (`dropped`) or end
    half-way (`torn`).
    """

    def __init__(self, port: int) -> None:
        self.requests: list[str] = []
        self.is_cut = False
        self.broken = 0
        self.dropped = 0
        self.torn = 0
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # A thread that waits in accept() is woken by a shutdown, not by a close.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            if self.is_cut:
                return
            request = _read_request(client)
            if not request:
                return
            if self._takes("dropped"):
                return
            if self._takes("broken"):
                client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
                return
            with self._lock:
                self.requests.append(request.split(b"\r\n", 1)[0].decode())
            with socket.create_connection(("127.0.0.1", self._server)) as server:
                server.sendall(request)
                if self._takes("torn"):
                    answer = b"".join(iter(lambda: server.recv(2**16), b""))
                    client.sendall(answer[: len(answer) - len(answer) // 4])
                    return
                while data := server.recv(2**16):
                    client.sendall(data)

    def _takes(self, what: str) -> bool:
        with self._lock:
            left: int = getattr(self, what)
            setattr(self, what, max(0, left - 1))
        return left > 0


def _read_request(client: socket.socket) -> bytes:
    """A whole request, which then asks for a connection of its own."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(2**16)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    if b"expect: 100-continue" in head.lower():
        client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    wanted = int(length[1]) if length else 0
    pieces = [body]
    have = len(body)
    while have < wanted:
        pieces.append(client.recv(2**20))
        if not pieces[-1]:
            return b""
        have += len(pieces[-1])
    head = re.sub(rb"(?i)\r\n(connection|expect): [^\r\n]*", b"", head)
    return head + b"\r\nConnection: close\r\n\r\n" + b"".join(pieces)


@contextmanager
def running_object_storage() -> Iterator[ObjectStorage]:
    """A server of its own process, empty; its environment is that of this process meanwhile."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    proxy = Proxy(port)
    try:
        _await(port, process)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (ENVIRONMENT | {"AWS_ENDPOINT_URL": proxy.endpoint}).items():
                patch.setenv(name, value)
            yield ObjectStorage(port, proxy)
    finally:
        proxy.close()
        process.kill()
        process.wait()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        if process.poll() is not None:
            raise RuntimeError("the object storage ended")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise RuntimeError("the object storage did not start")
