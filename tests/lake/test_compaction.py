from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stationmaster.db.engine import Database
from stationmaster.lake import compaction
from stationmaster.lake.compaction import compact
from stationmaster.lake.schema import SCHEMA, to_table
from stationmaster.lake.storage import Lake, LocalFiles, WrittenPart
from tests.support.builders import an_event

DAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 4)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(LocalFiles(tmp_path))


def write_parts(lake: Lake, count: int, start: int = 0) -> list[int]:
    """Parts of one event each; the times of the events, which are all different."""
    times = [1_795_176_000_000 + n for n in range(start, start + count)]
    for ts in times:
        lake.write("org_a", DAY, f"b{ts}", [to_table([an_event(ts=ts)])])
    return times


def times_in(lake: Lake) -> list[int]:
    found: list[int] = []
    for part in lake.parts("org_a", DAY):
        found += pq.read_table(part.path, columns=["ts"], partitioning=None)["ts"].to_pylist()
    return found


def test_few_parts_stay(state: Database, lake: Lake) -> None:
    write_parts(lake, 3)
    assert compact(state, lake, "org_a", DAY) == []
    assert len(lake.parts("org_a", DAY)) == 3


def test_many_parts_become_one_with_the_same_events(state: Database, lake: Lake) -> None:
    times = write_parts(lake, 4)
    [merged] = compact(state, lake, "org_a", DAY)
    assert [part.path for part in lake.parts("org_a", DAY)] == [merged]
    assert pq.read_schema(merged).equals(SCHEMA)
    assert times_in(lake) == times


def test_the_groups_of_a_merged_part_bound_what_a_merge_holds(
    state: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "GROUP_ROWS", 2)
    times = write_parts(lake, 5)
    [merged] = compact(state, lake, "org_a", DAY)
    assert pq.read_metadata(merged).num_row_groups == 3
    assert times_in(lake) == times


def test_large_parts_are_left_alone(
    state: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "SIZES", (1,))
    write_parts(lake, 5)
    assert compact(state, lake, "org_a", DAY) == []
    assert len(lake.parts("org_a", DAY)) == 5


def test_one_merge_takes_no_more_than_it_may(
    state: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = write_parts(lake, 5)
    # Parts of one event differ by some bytes.
    largest = max(part.size for part in lake.parts("org_a", DAY))
    monkeypatch.setattr(compaction, "MERGED_MAX", 3 * largest)
    compact(state, lake, "org_a", DAY)
    assert len(lake.parts("org_a", DAY)) == 3
    assert sorted(times_in(lake)) == times


def test_an_event_is_written_again_once_for_each_size_not_for_each_part_after_it(
    state: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = lake.write("org_a", DAY, "b", [to_table([an_event(ts=1_795_176_000_000)])]).size
    # What a part weighs without events is most of it here, so a merged one is just over one.
    monkeypatch.setattr(compaction, "SIZES", (size + 64, size + 256))
    written: list[int] = []
    write = Lake.write

    def counting(self: Lake, org: str, day: date, name: str, tables: object) -> WrittenPart:
        part = write(self, org, day, name, tables)  # type: ignore[arg-type] # as it came
        written.append(part.rows)
        return part

    monkeypatch.setattr(Lake, "write", counting)
    for n in range(64):
        write_parts(lake, 1, start=n + 1)
        compact(state, lake, "org_a", DAY)
    assert sum(written) <= 4 * 64
    assert len(lake.parts("org_a", DAY)) <= 3 * 4


def test_an_older_part_is_merged_with_empty_columns(state: Database, lake: Lake) -> None:
    write_parts(lake, 4)
    old = lake.parts("org_a", DAY)[0].path
    pq.write_table(pq.read_table(old, partitioning=None).drop_columns(["pr_url"]), old)
    [merged] = compact(state, lake, "org_a", DAY)
    assert pq.read_schema(merged).equals(SCHEMA)


def test_a_part_with_columns_of_a_newer_version_is_not_merged(state: Database, lake: Lake) -> None:
    write_parts(lake, 4)
    new = lake.parts("org_a", DAY)[0].path
    table = pq.read_table(new, partitioning=None)
    pq.write_table(table.append_column("mood", table["ts"]), new)
    assert compact(state, lake, "org_a", DAY) == []
    assert len(lake.parts("org_a", DAY)) == 4


def test_a_damaged_part_stops_the_merge_and_nothing_is_lost(state: Database, lake: Lake) -> None:
    times = write_parts(lake, 4)
    damaged = Path(lake.partition("org_a", DAY)) / "part-b9.parquet"
    damaged.write_bytes(b"PAR1 nothing PAR1")
    assert compact(state, lake, "org_a", DAY) == []
    damaged.unlink()
    assert times_in(lake) == times


def test_a_merge_that_died_before_deleting_is_made_up_for(state: Database, lake: Lake) -> None:
    times = write_parts(lake, 4)
    parts = {(path := Path(part.path)): path.read_bytes() for part in lake.parts("org_a", DAY)}
    compact(state, lake, "org_a", DAY)
    left = random.Random(1).sample(sorted(parts), 3)
    for part in left:
        part.write_bytes(parts[part])
    compact(state, lake, "org_a", DAY)
    assert len(lake.parts("org_a", DAY)) == 1
    assert sorted(set(times_in(lake))) == times
