"""SIGKILL at random moments under load: nothing acknowledged is missing or doubled."""

from __future__ import annotations

import random
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stationmaster.events.identity import event_id
from tests.support import processes

KILLS = 50
SENDERS = 3
EVENTS_PER_REQUEST = 20
DAY = datetime.now(UTC).date() - timedelta(days=1)


class Sender(threading.Thread):
    """Sends batches of unique events until the server dies; remembers what was acknowledged."""

    def __init__(self, url: str, key: str, name: str) -> None:
        super().__init__(name=name)
        self.acknowledged: list[str] = []
        self.sent = 0
        self._url = url
        self._key = key

    def run(self) -> None:
        headers = {"authorization": f"Bearer {self._key}"}
        with httpx.Client(base_url=self._url, headers=headers, timeout=20) as http:
            for number in range(10_000):
                batch = [_an_event(f"{self.name}-{number}-{n}") for n in range(EVENTS_PER_REQUEST)]
                self.sent += len(batch)
                try:
                    answer = http.post(
                        "/api/platform/v1/events",
                        content=msgspec.json.encode(batch),
                        headers={"content-type": "application/json"},
                    )
                except httpx.TransportError:
                    return
                assert answer.status_code == 200, answer.text
                self.acknowledged += [event["event_id"] for event in batch]


def _an_event(name: str) -> dict[str, Any]:
    ts = int(datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC).timestamp() * 1000)
    return {
        "event_id": event_id("claude-code", "model_call", name),
        "kind": "model_call",
        "ts": ts,
        "product": "claude-code",
        "source": "transcript",
        "session_id": name.split("-")[0],
        "root_session_id": name.split("-")[0],
        "model": "claude-sonnet-4-5",
        "input_tokens": 1,
        "output_tokens": 0,
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_acknowledged_is_lost_or_doubled_by_fifty_kills(tmp_path: Path) -> None:
    chance = random.Random(20261121)
    data = tmp_path / "data"
    key = processes.run_json("init", "--data-dir", str(data))["api_key"]
    server = processes.ServerProcess(data)
    acknowledged: set[str] = set()
    sent = 0

    for round_number in range(KILLS):
        server.start()
        _check_whole(_tokens(server.url, key))
        senders = [Sender(server.url, key, f"{round_number}s{n}") for n in range(SENDERS)]
        for sender in senders:
            sender.start()
        time.sleep(chance.uniform(0.0, 0.6))
        server.kill()
        for sender in senders:
            sender.join()
            acknowledged.update(sender.acknowledged)
            sent += sender.sent
    server.start()
    processes.run("rollup", "--data-dir", str(data))
    tokens = _tokens(server.url, key)
    stored = _stored_ids(data)
    server.stop()

    assert len(acknowledged) > KILLS
    assert acknowledged - stored == set()
    assert tokens[0]["input_tokens"] == len(stored) <= sent
    _check_whole(tokens)


def _tokens(url: str, key: str) -> list[dict[str, Any]]:
    answer = httpx.get(
        f"{url}/api/v1/analytics/tokens",
        params={"startDate": str(DAY), "endDate": str(DAY)},
        headers={"authorization": f"Bearer {key}"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"])


def _check_whole(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        for part in ("by_model", "by_user"):
            assert sum(each["billable_tokens"] for each in row[part]) == row["billable_tokens"]


def _stored_ids(data: Path) -> set[str]:
    import pyarrow.parquet as pq

    ids = set()
    for part in (data / "lake").rglob("part-*.parquet"):
        table = pq.read_table(part, columns=["event_id_hi", "event_id_lo"])
        for high, low in zip(*(column.to_pylist() for column in table.columns), strict=True):
            ids.add(f"{high & 0xFFFFFFFFFFFFFFFF:016x}{low & 0xFFFFFFFFFFFFFFFF:016x}")
    return ids
