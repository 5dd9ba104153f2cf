"""Told to stop, a process finishes what it has begun, says so meanwhile, and ends with 0."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import msgspec
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from stationmaster.api.serving.life import REPEAT_S
from tests.lake.installation import NOON, Installation
from tests.support import processes
from tests.support.builders import an_event
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.slow

ME = "/api/platform/v1/me"
EVENTS = "/api/platform/v1/events"
[DAY, NOON_MS] = next(iter(NOON.items()))


class Running:
    """A process of the program that listens, with the key of its organization."""

    def __init__(self, process: subprocess.Popen[str], url: str, made: dict[str, str]) -> None:
        self.process, self.url, self.made = process, url, made
        self.bearer = {"Authorization": f"Bearer {made['api_key']}"}

    def children(self) -> list[int]:
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):  # It has just ended.
                if "spawn_main" in " ".join(child.cmdline()):
                    found.append(child.pid)
        return sorted(found)

    def end(self) -> int:
        """The exit code; every wait of a test is bounded."""
        return self.process.wait(timeout=60)


@contextmanager
def running(
    made: dict[str, str], *arguments: str, env: dict[str, str] | None = None
) -> Iterator[Running]:
    port = processes.free_port()
    process = subprocess.Popen(
        [*processes.PROGRAM, *arguments, "--port", str(port), "--data-dir", made["data"]],
        env={**os.environ, **(env or {})},
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        made_ready = Running(process, f"http://127.0.0.1:{port}", made)
        await_(lambda: _status(f"{made_ready.url}/readyz") == 200)
        yield made_ready
    finally:
        if process.poll() is None:
            for child in [*psutil.Process(process.pid).children(), process]:
                child.kill()
        process.wait()


def await_(holds: object) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():  # type: ignore[operator] # any callable
        assert time.monotonic() < deadline
        time.sleep(0.05)


def get(url: str, headers: dict[str, str] | None = None) -> httpx.Response:
    """A GET over a connection of its own."""
    # Loading certificates would cost more than the request.
    return httpx.get(url, headers=headers, timeout=PATIENCE_S, verify=False)


def _status(url: str) -> int | None:
    try:
        return get(url).status_code
    except httpx.TransportError:
        return None


class Load:
    """Clients that send events, one after the other, until nobody listens any more."""

    def __init__(self, server: Running) -> None:
        self._server = server
        self.acknowledged: list[str] = []
        self.refused: list[tuple[int, bool]] = []
        """Status of any other answer, and whether it says when to come back."""
        self.begun = threading.Event()

    def run(self) -> None:
        with httpx.Client(
            base_url=self._server.url, headers=self._server.bearer, timeout=PATIENCE_S
        ) as client:
            while self._server.process.poll() is None:
                event = an_event(kind="user_message", ts=NOON_MS)
                body = msgspec.json.encode([event])
                try:
                    sent = {"Content-Type": "application/json"}
                    answer = client.post(EVENTS, content=body, headers=sent)
                except httpx.ConnectError:
                    return
                except httpx.TransportError:
                    continue  # Nobody had taken the connection: then the event is nowhere.
                if answer.status_code == 200:
                    self.acknowledged.append(event.event_id)
                    self.begun.set()
                else:
                    self.refused.append((answer.status_code, "retry-after" in answer.headers))


def stored(made: dict[str, str]) -> list[str]:
    """Every event of the day in the data folder."""
    data = Path(made["data"])
    place = Installation.open(data, f"sqlite:///{data / 'stationmaster.sqlite3'}")
    place.mover().drain()
    try:
        return place.lake_ids(made["org_id"], DAY)
    finally:
        place.state.close()
        place.inbox.close()


def stop_under_load(server: Running) -> None:
    """Whatever was begun is answered, whatever was acknowledged is stored, and nothing besides."""
    with ThreadPoolExecutor(6) as pool:
        load = Load(server)
        clients = [pool.submit(load.run) for _ in range(6)]
        assert load.begun.wait(30)
        server.process.send_signal(signal.SIGTERM)
        code = server.end()
        for client in clients:
            client.result(timeout=60)

    assert code == 0
    assert set(load.refused) <= {(503, True)}
    assert stored(server.made) == sorted(load.acknowledged)


def test_under_load_no_request_that_was_begun_is_cut_and_nothing_is_lost(
    made: dict[str, str],
) -> None:
    with running(made, "up") as server:
        stop_under_load(server)


def _begin(server: Running, body: bytes) -> socket.socket:
    """A request whose head and first byte have arrived."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=60)
    head = (
        f"POST {EVENTS} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {server.bearer['Authorization']}"
        f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body[:1])
    in_flight = "stationmaster_http_requests_in_flight"
    # A scrape may be counted beside it: the figure is taken once a second.
    await_(lambda: _sample(server, in_flight) >= 1)
    return connection


def _sample(server: Running, name: str, **labels: str) -> float:
    page = get(f"{server.url}/metrics", server.bearer).text
    return sum(
        sample.value
        for family in parse(page)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_a_request_that_has_begun_is_answered_while_others_are_turned_away(
    made: dict[str, str],
) -> None:
    body = msgspec.json.encode([an_event(kind="user_message", ts=NOON_MS)])
    delay = {"STATIONMASTER_SHUTDOWN_DELAY": "1"}
    with running(made, "up", env=delay) as server, _begin(server, body) as slow:
        server.process.send_signal(signal.SIGTERM)
        await_(lambda: _status(f"{server.url}/readyz") == 503)
        alive = get(f"{server.url}/healthz")
        await_(lambda: _status(f"{server.url}/readyz") is None)
        still_runs = server.process.poll() is None
        slow.sendall(body[1:])
        answer = slow.recv(17)
        code = server.end()

    assert alive.status_code == 200
    assert alive.headers["connection"] == "close"
    assert still_runs
    assert answer == b"HTTP/1.1 200 OK\r\n"
    assert code == 0
    assert len(stored(made)) == 1


def test_a_second_signal_waits_for_nobody(made: dict[str, str]) -> None:
    patience = {"STATIONMASTER_SHUTDOWN_SECONDS": "600", "STATIONMASTER_SHUTDOWN_DELAY": "1"}
    with running(made, "up", env=patience) as server, _begin(server, b"[1]"):
        server.process.send_signal(signal.SIGTERM)
        await_(lambda: _status(f"{server.url}/readyz") == 503)
        time.sleep(REPEAT_S)  # Those that follow sooner are the same signal.
        server.process.send_signal(signal.SIGTERM)

        assert server.end() == 0


def test_several_processes_count_as_one_and_stop_as_one(made: dict[str, str]) -> None:
    asked = 0

    def count() -> float:
        return _sample(
            server, "stationmaster_http_request_duration_seconds_count", route=ME, status="200"
        )

    with running(made, "api", "--workers", "2") as server:
        before = server.children()
        await_(lambda: _sample(server, "stationmaster_processes") == 2)
        for _ in range(40):
            # A connection each, so that both processes get some.
            asked += get(f"{server.url}{ME}", server.bearer).status_code == 200
        assert [count() for _ in range(8)] == [asked] * 8

        # What a process has counted outlives it; that it runs does not.
        os.kill(before[0], signal.SIGKILL)
        await_(lambda: len(set(server.children()) - set(before)) == 1)
        await_(lambda: _sample(server, "stationmaster_processes") == 2)
        assert count() == asked

        stop_under_load(server)
        assert list((Path(made["data"]) / "tmp").glob("counts-*")) == []


def test_background_work_that_is_killed_starts_again_and_ends_with_the_server(
    made: dict[str, str],
) -> None:
    def worker() -> psutil.Process | None:
        children = psutil.Process(server.process.pid).children()
        return next((child for child in children if child.is_running()), None)

    with running(made, "up") as server:
        first = worker()
        assert first is not None
        await_(lambda: _sample(server, "stationmaster_processes") == 2)
        assert _sample(server, "stationmaster_background_threads") == 12

        first.kill()
        await_(lambda: _status(f"{server.url}/readyz") == 503)
        await_(lambda: _status(f"{server.url}/readyz") == 200)
        await_(lambda: _sample(server, "stationmaster_background_threads") == 12)
        assert _sample(server, "stationmaster_processes") == 2
        second = worker()
        assert second is not None

        server.process.kill()
        second.wait(timeout=PATIENCE_S)


def test_background_work_ends_well_with_the_server(made: dict[str, str]) -> None:
    with running(made, "up") as server:
        [worker] = psutil.Process(server.process.pid).children()
        server.process.send_signal(signal.SIGINT)

        assert server.end() == 0
        assert not worker.is_running()
        assert list((Path(made["data"]) / "tmp").glob("counts-*")) == []
