from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stationmaster.lake import compaction
from stationmaster.lake.compaction import compact
from stationmaster.lake.parts import list_parts, write_part
from stationmaster.lake.schema import SCHEMA, to_table
from tests.support.builders import an_event

DAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 3)


def write_parts(lake_dir: Path, count: int) -> list[int]:
    """Parts of one event each; the times of the events, which are all different."""
    times = [1_795_176_000_000 + n for n in range(count)]
    for n, ts in enumerate(times):
        write_part(lake_dir, "org_a", DAY, f"b{n}", to_table([an_event(ts=ts)]))
    return times


def times_in(lake_dir: Path) -> list[int]:
    parts = list_parts(lake_dir, "org_a", DAY)
    return [ts for part in parts for ts in pq.read_table(part, partitioning=None)["ts"].to_pylist()]


def test_few_parts_stay(tmp_path: Path) -> None:
    write_parts(tmp_path, 3)
    assert compact(tmp_path, "org_a", DAY) is None
    assert len(list_parts(tmp_path, "org_a", DAY)) == 3


def test_many_parts_become_one_with_the_same_events(tmp_path: Path) -> None:
    times = write_parts(tmp_path, 4)
    merged = compact(tmp_path, "org_a", DAY)
    assert list_parts(tmp_path, "org_a", DAY) == [merged]
    assert merged is not None
    assert pq.read_schema(merged).equals(SCHEMA)
    assert times_in(tmp_path) == times


def test_large_parts_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "SMALL_BYTES", 1)
    write_parts(tmp_path, 5)
    assert compact(tmp_path, "org_a", DAY) is None
    assert len(list_parts(tmp_path, "org_a", DAY)) == 5


def test_a_damaged_part_stops_the_merge_and_nothing_is_lost(tmp_path: Path) -> None:
    times = write_parts(tmp_path, 4)
    damaged = tmp_path / "org=org_a" / "day=2026-11-20" / "part-b9.parquet"
    damaged.write_bytes(b"PAR1 nothing PAR1")
    assert compact(tmp_path, "org_a", DAY) is None
    damaged.unlink()
    assert times_in(tmp_path) == times


def test_a_merge_that_died_before_deleting_is_made_up_for(tmp_path: Path) -> None:
    times = write_parts(tmp_path, 4)
    parts = {part: part.read_bytes() for part in list_parts(tmp_path, "org_a", DAY)}
    compact(tmp_path, "org_a", DAY)
    for part, data in parts.items():
        part.write_bytes(data)
    compact(tmp_path, "org_a", DAY)
    assert len(list_parts(tmp_path, "org_a", DAY)) == 1
    assert sorted(set(times_in(tmp_path))) == times
