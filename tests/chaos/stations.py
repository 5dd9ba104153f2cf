"""Processes of an installation that may die at any moment, and senders who do not give up."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec

from tests.support.builders import a_sent_event
from tests.support.commands import succeed
from tests.support.patience import PATIENCE_S
from tests.support.processes import PROGRAM, free_port

DAY = datetime.now(UTC).date() - timedelta(days=3)
"""The day of every event: closed, whichever way a clock jumps by a day."""
EVENTS_PER_REQUEST = 20
LONG = int(os.environ.get("CHAOS", "0"))
"""How many rounds the long form takes; 0 is the short form."""


class Station:
    """One installation: `api` and `worker` processes on a data folder."""

    def __init__(self, folder: Path, env: dict[str, str] | None = None, apis: int = 1) -> None:
        self.data = folder / "data"
        self.env = {
            "STATIONMASTER_ANALYTICS_REQUESTS_PER_MINUTE": "0",
            "STATIONMASTER_REQUESTS_PER_MINUTE": "0",
            **(env or {}),
        }
        made = self.command("init")
        self.key, self.org = made["api_key"], made["org_id"]
        self.apis = [
            Process(self, "api", "--workers", "1", "--port", str(free_port())) for _ in range(apis)
        ]
        self.worker = Process(self, "worker", "--port", str(free_port()))

    @property
    def processes(self) -> list[Process]:
        return [*self.apis, self.worker]

    def start(self) -> None:
        """Start what does not run; returns when every process is ready: one that is still starting
        ends where the disk refuses."""
        for process in self.processes:
            process.start()
        for process in self.processes:
            process.wait_until_ready()

    def stop(self) -> None:
        for process in self.processes:
            process.end(signal.SIGTERM)

    def command(self, *arguments: str) -> Any:
        """The JSON of a command, in the process of the test."""
        return succeed(*arguments, "--data-dir", self.data, env=self.env)

    def counted(self) -> int:
        """The events that the report of DAY counts, once all of them are moved and rolled up."""
        self.command("rollup")
        day = str(DAY)
        told = self.command("analytics", "tokens", "--from", day, "--to", day)
        return sum(int(row["input_tokens"]) for row in told["data"])


_started: list[subprocess.Popen[bytes]] = []


def end_all() -> None:
    """Whatever a test that failed has left running."""
    while _started:
        process = _started.pop()
        process.kill()
        process.wait(timeout=60)


class Process:
    """One process of a station; what it says on standard error goes to a file."""

    def __init__(self, station: Station, *arguments: str) -> None:
        self._station = station
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{arguments[-1]}"

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        if self.is_running:
            return
        command = [*PROGRAM, self._arguments[0], "--data-dir", str(self._station.data)]
        with (self._station.data / "stderr.txt").open("ab") as errors:
            self._process = subprocess.Popen(
                [*command, *self._arguments[1:]],
                env={**os.environ, **self._station.env},
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        _started.append(self._process)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                if not self.is_running:
                    self.start()
            time.sleep(0.05)
        errors = (self._station.data / "stderr.txt").read_text(errors="replace")
        raise AssertionError(f"not ready: {errors[-3000:]}")

    def end(self, number: int = signal.SIGKILL) -> None:
        """By default as a power cut would."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=60)
            self._process = None


class Sender(threading.Thread):
    """Sends batches of different events to any API process, each until it is acknowledged."""

    def __init__(self, station: Station, name: str) -> None:
        super().__init__(name=name)
        self.acknowledged: set[str] = set()
        self.sent: set[str] = set()
        self.answers: dict[int, int] = {}
        """How often each status came; 0 stands for a connection that broke."""
        self._station = station
        self._is_done = threading.Event()

    def finish(self) -> None:
        self._is_done.set()
        self.join()

    def run(self) -> None:
        number = 0
        while not self._is_done.is_set():
            number += 1
            batch = [
                a_sent_event(f"{self.name}-{number}-{n}", DAY) for n in range(EVENTS_PER_REQUEST)
            ]
            ids = {event["event_id"] for event in batch}
            self.sent |= ids
            attempt = number
            while not self._is_done.is_set():
                attempt += 1
                status = self._send(msgspec.json.encode(batch), attempt)
                self.answers[status] = self.answers.get(status, 0) + 1
                if status == 200:
                    self.acknowledged |= ids
                    break
                self._is_done.wait(0.05)

    def _send(self, body: bytes, attempt: int) -> int:
        api = self._station.apis[attempt % len(self._station.apis)]
        headers = {
            "authorization": f"Bearer {self._station.key}",
            "content-type": "application/json",
        }
        try:
            answer = httpx.post(
                f"{api.url}/api/platform/v1/events", content=body, headers=headers, timeout=20
            )
        except httpx.TransportError:
            return 0
        assert answer.status_code in (200, 429, 500, 503), answer.text
        if answer.status_code in (429, 503):
            assert int(answer.headers["retry-after"]) > 0
        return answer.status_code
