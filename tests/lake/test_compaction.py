from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stationmaster.lake import compaction
from stationmaster.lake.compaction import compact
from stationmaster.lake.local_files import LocalFiles
from stationmaster.lake.schema import SCHEMA, to_table
from stationmaster.lake.storage import Lake
from tests.support.builders import an_event

DAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 3)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(LocalFiles(tmp_path))


def write_parts(lake: Lake, count: int) -> list[int]:
    """Parts of one event each; the times of the events, which are all different."""
    times = [1_795_176_000_000 + n for n in range(count)]
    for n, ts in enumerate(times):
        lake.write("org_a", DAY, f"b{n}", [to_table([an_event(ts=ts)])])
    return times


def times_in(lake: Lake) -> list[int]:
    parts = lake.parts("org_a", DAY)
    return [
        ts for part in parts for ts in pq.read_table(part.path, partitioning=None)["ts"].to_pylist()
    ]


def test_few_parts_stay(lake: Lake) -> None:
    write_parts(lake, 3)
    assert compact(lake, "org_a", DAY) is None
    assert len(lake.parts("org_a", DAY)) == 3


def test_many_parts_become_one_with_the_same_events(lake: Lake) -> None:
    times = write_parts(lake, 4)
    merged = compact(lake, "org_a", DAY)
    assert [part.path for part in lake.parts("org_a", DAY)] == [merged]
    assert merged is not None
    assert pq.read_schema(merged).equals(SCHEMA)
    assert times_in(lake) == times


def test_large_parts_are_left_alone(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "SMALL_BYTES", 1)
    write_parts(lake, 5)
    assert compact(lake, "org_a", DAY) is None
    assert len(lake.parts("org_a", DAY)) == 5


def test_a_damaged_part_stops_the_merge_and_nothing_is_lost(lake: Lake) -> None:
    times = write_parts(lake, 4)
    damaged = Path(lake.partition("org_a", DAY)) / "part-b9.parquet"
    damaged.write_bytes(b"PAR1 nothing PAR1")
    assert compact(lake, "org_a", DAY) is None
    damaged.unlink()
    assert times_in(lake) == times


def test_a_merge_that_died_before_deleting_is_made_up_for(lake: Lake) -> None:
    times = write_parts(lake, 4)
    parts = {(path := Path(part.path)): path.read_bytes() for part in lake.parts("org_a", DAY)}
    compact(lake, "org_a", DAY)
    for part, data in parts.items():
        part.write_bytes(data)
    compact(lake, "org_a", DAY)
    assert len(lake.parts("org_a", DAY)) == 1
    assert sorted(set(times_in(lake))) == times
