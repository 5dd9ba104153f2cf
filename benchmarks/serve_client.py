"""A closed-loop HTTP client on keep-alive connections: as soon as one answer is whole, ask again.

Plain sockets, so that it costs far less than the servers it measures.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from typing import Any


class _Connection:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.missing: int | None = None
        self.head = b""
        self.started = 0.0

    def ask(self, request: bytes) -> None:
        self.missing, self.head = None, b""
        self.started = time.perf_counter()
        self.socket.sendall(request)

    def is_done(self) -> bool:
        """Take what has arrived; is the answer whole?"""
        data = self.socket.recv(1 << 20)
        if not data:
            raise RuntimeError("the server closed the connection")
        if self.missing is None:
            self.head += data
            head, found, rest = self.head.partition(b"\r\n\r\n")
            if not found:
                return False
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(self.head[:300])
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            self.missing = int(length)
            data = rest
        self.missing -= len(data)
        return self.missing == 0


def load(port: int, requests: list[bytes], seconds: float, connections: int) -> dict[str, Any]:
    """Requests a second and latencies (ms) of a closed loop over the requests, in turn."""
    chooser = selectors.EpollSelector()
    for n in range(connections):
        connection = _Connection(port)
        connection.ask(requests[n % len(requests)])
        chooser.register(connection.socket, selectors.EVENT_READ, connection)
    latencies: list[float] = []
    asked = connections
    begun = time.perf_counter()
    while (now := time.perf_counter()) < begun + seconds:
        for key, _ in chooser.select(1):
            connection = key.data
            if connection.is_done():
                latencies.append(time.perf_counter() - connection.started)
                connection.ask(requests[asked % len(requests)])
                asked += 1
    latencies.sort()
    return {
        "requests": len(latencies),
        "per_second": len(latencies) / (now - begun),
        "p50_ms": latencies[len(latencies) // 2] * 1000,
        "p99_ms": latencies[len(latencies) * 99 // 100] * 1000,
    }


if __name__ == "__main__":
    order = json.loads(sys.stdin.read())
    asked_for = [text.encode() for text in order.pop("requests")]
    print(json.dumps(load(requests=asked_for, **order)))
