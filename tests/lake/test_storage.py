from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stationmaster.lake.schema import SCHEMA, to_table
from stationmaster.lake.storage import Lake, LocalFiles
from tests.support.builders import an_event

DAY = date(2026, 11, 20)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(LocalFiles(tmp_path))


def write_part(lake: Lake, org: str, day: date, name: str, table: pa.Table) -> Path:
    return Path(lake.write(org, day, name, [table]).path)


def test_a_part_lies_in_the_folder_of_its_organization_and_day(lake: Lake, tmp_path: Path) -> None:
    part = write_part(lake, "org_a", DAY, "b1", to_table([an_event()]))
    assert part == tmp_path / "org=org_a" / "day=2026-11-20" / "part-b1.parquet"
    assert pq.read_schema(part).equals(SCHEMA)


def test_parts_are_listed_by_name_and_for_their_day_alone(lake: Lake, tmp_path: Path) -> None:
    for name in ("b2", "b1"):
        write_part(lake, "org_a", DAY, name, to_table([an_event()]))
    write_part(lake, "org_a", date(2026, 11, 21), "b3", to_table([an_event()]))
    write_part(lake, "org_b", DAY, "b4", to_table([an_event()]))
    names = [part.name for part in lake.parts("org_a", DAY)]
    assert names == ["part-b1.parquet", "part-b2.parquet"]


def test_a_day_without_parts_lists_none(lake: Lake, tmp_path: Path) -> None:
    assert lake.parts("org_a", DAY) == []


@pytest.mark.parametrize("org", ["", "..", "org/a", "org=a", "org a", "org_ä", "a\n", "a" * 81])
def test_an_organization_id_that_is_no_folder_name_is_refused(
    lake: Lake, tmp_path: Path, org: str
) -> None:
    with pytest.raises(ValueError, match="organization id"):
        lake.parts(org, DAY)
    with pytest.raises(ValueError, match="organization id"):
        write_part(lake, org, DAY, "b1", to_table([an_event()]))
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_neither_listed_nor_kept(lake: Lake, tmp_path: Path) -> None:
    folder = tmp_path / "org=org_a" / "day=2026-11-20"
    folder.mkdir(parents=True)
    (folder / ".part-b1.99-99.partial").write_bytes(b"PAR1 half of it")
    assert lake.parts("org_a", DAY) == []
    write_part(lake, "org_a", DAY, "b1", to_table([an_event()]))
    assert [path.name for path in folder.iterdir()] == ["part-b1.parquet"]


def test_a_folder_that_cannot_be_made_changes_nothing(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "org=org_a").write_text("a file in the place of a folder")
    with pytest.raises(OSError, match="org=org_a"):
        write_part(lake, "org_a", DAY, "b1", to_table([an_event()]))
    assert [path.name for path in tmp_path.iterdir()] == ["org=org_a"]


def test_a_repeated_part_replaces_itself(lake: Lake, tmp_path: Path) -> None:
    for count in (1, 2):
        write_part(lake, "org_a", DAY, "b1", to_table([an_event() for _ in range(count)]))
    (part,) = lake.parts("org_a", DAY)
    assert pq.read_metadata(part.path).num_rows == 2


def test_writers_of_the_same_part_at_once_all_succeed(lake: Lake, tmp_path: Path) -> None:
    table = to_table([an_event(ts=1_795_176_000_000 + n) for n in range(50)])
    faults: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(20):
                write_part(lake, "org_a", DAY, "b1", table)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    (part,) = lake.parts("org_a", DAY)
    assert pq.read_table(part.path, partitioning=None).equals(table)
