"""The account of a run: acknowledged, stored, counted. The long form writes it down."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq

from stationmaster.lake.schema import event_id
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings
from tests.chaos.stations import DAY, LONG, Sender, Station

LEDGER = Path(__file__).resolve().parents[2] / "docs" / "chaos.jsonl"


@contextmanager
def under_load(station: Station, name: str, senders: int = 2) -> Iterator[list[Sender]]:
    """Senders who send while the block runs."""
    crew = [Sender(station, f"{name}s{number}") for number in range(senders)]
    for sender in crew:
        sender.start()
    try:
        yield crew
    finally:
        for sender in crew:
            sender.finish()


def settle(what: str, station: Station, crew: Iterable[Sender], **figures: int) -> None:
    """Count what was acknowledged against what the lake has and what the report says.

    Nothing that was acknowledged is missing, nothing counts that was not sent, or more than once.
    """
    crew = list(crew)
    acknowledged = set().union(*(sender.acknowledged for sender in crew))
    sent = set().union(*(sender.sent for sender in crew))
    counted = station.counted()
    stored = stored_ids(station)
    lost = len(acknowledged - stored)
    doubled = max(counted - len(stored), 0)
    record = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "what": what,
        **figures,
        "acknowledged": len(acknowledged),
        "stored": len(stored),
        "counted": counted,
        "lost": lost,
        "doubled": doubled,
    }
    sys.stdout.write(json.dumps(record) + "\n")
    if LONG:
        with LEDGER.open("a") as ledger:
            ledger.write(json.dumps(record) + "\n")
    assert acknowledged
    assert (lost, doubled) == (0, 0)
    assert counted == len(stored)
    assert stored <= sent


def stored_ids(station: Station) -> set[str]:
    """The ids of every event of DAY in the lake."""
    url = station.env.get("STATIONMASTER_LAKE_URL")
    lake = Lake.open(Settings(data_dir=station.data, lake_url=url))
    found: set[str] = set()
    for part in lake.parts(station.org, DAY):
        with lake.reading(part) as file:
            table = pq.ParquetFile(file).read(["event_id_hi", "event_id_lo"])
        columns = (column.to_pylist() for column in table.columns)
        found |= {event_id(hi, lo) for hi, lo in zip(*columns, strict=True)}
    return found
