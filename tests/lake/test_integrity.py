"""Parts that are missing, short or changed are found, whoever looks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from stationmaster import clock
from stationmaster.lake import compaction, entries, integrity
from stationmaster.lake.integrity import CHANGED, MISSING
from stationmaster.lake.storage import Lake
from tests.lake.installation import NOON, Installation, a_delivery
from tests.lake.test_mover import FRIDAY, THURSDAY
from tests.support.object_storage import ObjectStorage

pytestmark = pytest.mark.attack

ORG = "org_a"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (Path.unlink, MISSING),
    "cut": (lambda part: part.write_bytes(part.read_bytes()[:-100]), CHANGED),
    "flipped": (lambda part: flip(part), CHANGED),
    "emptied": (lambda part: part.write_bytes(b""), CHANGED),
}


def flip(part: Path) -> None:
    """Change one bit in the middle of a file."""
    body = bytearray(part.read_bytes())
    body[len(body) // 2] ^= 1
    part.write_bytes(body)


@pytest.fixture
def moved(place: Installation) -> Installation:
    """Two parts of one day and one of another, entered."""
    for day in (THURSDAY, FRIDAY, FRIDAY):
        place.fill(a_delivery(ORG, ts=NOON[day]))
        place.mover().drain()
    return place


def lake_of(place: Installation) -> Lake:
    return Lake.open(place.settings)


def check(place: Installation) -> list[tuple[str, str]]:
    checked = integrity.check_all(place.state, lake_of(place))
    return [(name, fault) for _, name, fault in checked.faults]


def test_the_entry_of_a_part_has_its_bytes_rows_and_hash(moved: Installation) -> None:
    for day, count in ((THURSDAY, 1), (FRIDAY, 2)):
        entered = entries.of_day(moved.state, ORG, day)
        parts = moved.parts(ORG, day)
        assert sorted(entered) == [part.name for part in parts]
        assert len(parts) == count
        for part in parts:
            entry = entered[part.name]
            assert (entry.size, entry.rows) == (part.size, 3)
            assert entry.sha256 == lake_of(moved).digest(part)
            assert (entry.is_adopted, entry.fault) == (False, None)
    assert entries.totals(moved.state, ORG)[:2] == (3, 9)
    assert check(moved) == []


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_part_is_found_and_a_restored_one_is_whole_again(
    moved: Installation, kind: str
) -> None:
    damage, fault = DAMAGES[kind]
    part = Path(moved.parts(ORG, FRIDAY)[0].path)
    body = part.read_bytes()
    damage(part)

    assert check(moved) == [(part.name, fault)]
    assert entries.faults(moved.state, ORG) == [(FRIDAY, part.name, fault)]
    assert entries.count_faults(moved.state) == 1

    part.write_bytes(body)
    assert check(moved) == []
    assert entries.count_faults(moved.state) == 0


def test_the_background_check_takes_a_bounded_number_of_parts_the_oldest_check_first(
    moved: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "CHECK_PARTS", 2)
    lake, later = lake_of(moved), datetime.now(UTC)
    assert integrity.check_oldest(moved.state, lake).parts == 0

    clock.freeze(later := later + timedelta(days=2))
    assert [integrity.check_oldest(moved.state, lake).parts for _ in range(3)] == [2, 1, 0]

    monkeypatch.setattr(integrity, "CHECK_BYTES", 1)
    clock.freeze(later := later + timedelta(days=2))
    assert integrity.check_oldest(moved.state, lake).parts == 1


def test_parts_of_a_version_without_entries_are_entered_as_they_are(moved: Installation) -> None:
    with moved.state.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM lake_parts")
    adoption, lake = integrity.Adoption(), lake_of(moved)

    assert [adoption.round(moved.state, lake) for _ in range(3)] == [3, 0, 0]

    adopted = entries.of_day(moved.state, ORG, FRIDAY).values()
    assert [(entry.rows, entry.is_adopted) for entry in adopted] == [(3, True)] * 2
    assert entries.totals(moved.state, ORG).adopted == 3
    assert check(moved) == []


def test_a_merged_part_takes_the_place_of_its_sources(
    moved: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 2)

    compaction.compact(moved.state, lake_of(moved), ORG, FRIDAY)

    [entry] = entries.of_day(moved.state, ORG, FRIDAY).values()
    assert (entry.name.startswith("part-merged_"), entry.rows) == (True, 6)
    assert check(moved) == []


def test_a_changed_part_is_not_merged_into_one_that_looks_whole(
    moved: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 2)
    part = Path(moved.parts(ORG, FRIDAY)[0].path)
    table = pq.read_table(part, partitioning=None)
    pq.write_table(table.slice(0, 1), part)

    compaction.compact(moved.state, lake_of(moved), ORG, FRIDAY)

    assert len(moved.parts(ORG, FRIDAY)) == 2
    assert check(moved) == [(part.name, CHANGED)]


def test_pages_carry_checksums(moved: Installation) -> None:
    part = moved.parts(ORG, THURSDAY)[0].path
    body = bytearray(Path(part).read_bytes())
    column = pq.read_metadata(part).row_group(0).column(2)
    first = column.dictionary_page_offset or column.data_page_offset
    # The last bytes of a column are those of its last page, not of a header.
    body[first + column.total_compressed_size - 2] ^= 1
    Path(part).write_bytes(body)

    with pytest.raises(OSError, match="CRC"):
        pq.ParquetFile(part, page_checksum_verification=True).read()


def test_a_batch_that_was_counted_is_not_written_again(moved: Installation) -> None:
    """Its parts may be merged, or rewritten, since."""
    moved.fill(a_delivery(ORG, ts=NOON[FRIDAY]))
    mover = moved.mover()
    batch_id = mover._claim(None)
    assert batch_id is not None
    rows = moved.inbox.rows("SELECT id, org_id, size, tally, payload, batch_id FROM inbox")
    mover.drain()
    [part] = [part for part in moved.parts(ORG, FRIDAY) if batch_id in part.name]
    Path(part.path).unlink()
    moved.inbox.write(
        "INSERT INTO inbox (id, org_id, size, tally, payload, batch_id) VALUES (?, ?, ?, ?, ?, ?)",
        rows,
    )

    moved.mover().drain()

    assert not Path(part.path).exists()
    assert moved.waiting() == 0


def test_a_lost_object_is_found_by_its_listing(
    object_storage: ObjectStorage, place: Installation
) -> None:
    url = object_storage.bucket(f"integrity-{place.state.dialect}")
    place.settings = msgspec.structs.replace(place.settings, lake_url=f"{url}/lake")
    place.fill(a_delivery(ORG, ts=NOON[FRIDAY]))
    place.mover().drain()
    [part] = place.parts(ORG, FRIDAY)
    assert check(place) == []

    lake_of(place).files.delete(part.path)

    assert check(place) == [(part.name, MISSING)]
