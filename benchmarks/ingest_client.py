"""A closed-loop sender: every body once, over keep-alive connections, the next when one is
acknowledged.

    python -m benchmarks.ingest_client FOLDER PORT CONNECTIONS KEY
prints one line of JSON: seconds, latencies in milliseconds.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from pathlib import Path


def send(folder: Path, port: int, connections: int, key: str) -> dict[str, object]:
    """Send the files of a folder; raises when one is not answered with 200."""
    waiting = iter([path.read_bytes() for path in sorted(folder.glob("*.pb"))])
    headers = {"Content-Type": "application/x-protobuf", "Authorization": f"Bearer {key}"}
    latencies: list[float] = []
    faults: list[str] = []
    lock = threading.Lock()

    def loop() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not faults:
            with lock:
                body = next(waiting, None)
            if body is None:
                break
            started = time.perf_counter()
            connection.request("POST", "/v1/logs", body, headers)
            response = connection.getresponse()
            answer = response.read()
            latencies.append((time.perf_counter() - started) * 1000)
            if response.status != 200:
                faults.append(f"{response.status} {answer[:200]!r}")
        connection.close()

    threads = [threading.Thread(target=loop) for _ in range(connections)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    if faults:
        raise RuntimeError(faults[0])
    latencies.sort()
    return {
        "seconds": seconds,
        "p50": latencies[len(latencies) // 2],
        "p99": latencies[int(0.99 * (len(latencies) - 1))],
    }


if __name__ == "__main__":
    print(json.dumps(send(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
