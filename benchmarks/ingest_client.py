"""A closed-loop sender: every body once, over keep-alive connections, the next when one is
acknowledged.

    python -m benchmarks.ingest_client < ORDER.json
prints one line of JSON; see `Order` and `Sent`.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.ingest_data import numbered

_NAP_S = 0.05


@dataclass(frozen=True)
class Order:
    """Send `requests` bodies to 127.0.0.1, made from the templates of a folder and numbered from
    `first`; stop early after so many seconds, or when the server is gone."""

    port: int
    path: str
    headers: dict[str, str]
    folder: str
    first: int
    requests: int
    connections: int
    seconds_max: float = 120.0


@dataclass
class Sent:
    """What was acknowledged (numbers of bodies), how long all took, and latencies in ms."""

    acknowledged: list[int] = field(default_factory=list)
    seconds: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    cpu_s: float = 0.0


def send(order: Order) -> Sent:
    """Raises RuntimeError when a body is refused for good."""
    kinds = [path.read_bytes() for path in sorted(Path(order.folder).glob("*.pb"))]
    numbers = iter(range(order.first, order.first + order.requests))
    headers = {"Content-Type": "application/x-protobuf", **order.headers}
    sent = Sent()
    latencies: list[float] = []
    faults: list[str] = []
    lock = threading.Lock()
    deadline = time.perf_counter() + order.seconds_max

    def loop() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", order.port, timeout=60)
        while not faults and time.perf_counter() < deadline:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            body = numbered(kinds[number % len(kinds)], number)
            started = time.perf_counter()
            status, answer = _post(connection, order.path, body, headers)
            if status is None:
                break
            latencies.append((time.perf_counter() - started) * 1000)
            if status == 200:
                sent.acknowledged.append(number)
            else:
                faults.append(f"{status} {answer[:200]!r}")
        connection.close()

    threads = [threading.Thread(target=loop) for _ in range(order.connections)]
    began, cpu = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent.seconds, sent.cpu_s = time.perf_counter() - began, time.process_time() - cpu
    if faults:
        raise RuntimeError(faults[0])
    latencies.sort()
    if latencies:
        sent.p50 = latencies[len(latencies) // 2]
        sent.p99 = latencies[int(0.99 * (len(latencies) - 1))]
    return sent


def _post(
    connection: http.client.HTTPConnection, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int | None, bytes]:
    """Status and answer once the server takes it or refuses it; None when the server is gone."""
    while True:
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException):
            return None, b""
        if response.status not in (429, 503):
            return response.status, answer
        time.sleep(_NAP_S)


if __name__ == "__main__":
    print(json.dumps(asdict(send(Order(**json.load(sys.stdin))))))
