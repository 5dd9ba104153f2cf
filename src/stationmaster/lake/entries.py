"""What the state database has of each part: bytes, rows, hash, and what the last check found.

A part is entered in the transaction that counts its batch, or that replaces its sources. So a part
that is entered must be there, whole; a part that is not entered is one that a version before this
one wrote, or whose batch is not counted yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, update

from stationmaster import clock, days
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_parts
from stationmaster.db.upserts import insert_new, upsert
from stationmaster.lake.storage import Lake, Part, Partition, WrittenPart

_COLUMNS = "name, size, row_count, sha256, is_adopted, fault"
_OF_DAY = f"SELECT {_COLUMNS} FROM lake_parts WHERE org_id = ? AND day = ? AND NOT is_hidden"
_HIDDEN = "SELECT name FROM lake_parts WHERE org_id = ? AND day = ? AND is_hidden"
_ROWS = (
    "SELECT day, sum(row_count) FROM lake_parts"
    " WHERE org_id = ? AND day BETWEEN ? AND ? AND NOT is_hidden GROUP BY day"
)
_OLDEST = (
    f"SELECT org_id, day, {_COLUMNS} FROM lake_parts WHERE checked_at < ? AND NOT is_hidden "
    "ORDER BY checked_at, org_id, day, name LIMIT ?"
)
_TOTALS = (
    "SELECT count(*), coalesce(sum(row_count), 0), coalesce(sum(size), 0), min(checked_at),"
    " coalesce(sum(CASE WHEN is_adopted THEN 1 ELSE 0 END), 0)"
    " FROM lake_parts WHERE org_id = ?"
)
_FAULTS = (
    "SELECT day, name, fault FROM lake_parts WHERE org_id = ? AND fault IS NOT NULL ORDER BY 1, 2"
)
_NOT_ENTERED = """
SELECT org_id, day FROM (
  SELECT org_id, day FROM lake_partitions UNION SELECT org_id, day FROM lake_days WHERE landed > 0
) AS stored
WHERE (org_id > ? OR (org_id = ? AND day > ?)) AND NOT EXISTS (
  SELECT 1 FROM lake_parts AS p WHERE p.org_id = stored.org_id AND p.day = stored.day
)
ORDER BY org_id, day LIMIT ?
"""


class PartEntry(NamedTuple):
    """One part as it was written."""

    name: str
    """Of the file."""
    size: int
    """Bytes."""
    rows: int
    sha256: str
    """64 hex digits, of the file's bytes."""
    is_adopted: bool
    """Entered as it was found on disk, because the version that wrote it kept no hashes."""
    fault: str | None
    """What the last check found: "missing" or "changed"; None for a whole part."""


class Totals(NamedTuple):
    """Of one organization."""

    parts: int
    rows: int
    bytes: int
    oldest_check: int | None
    """When the part was checked that waits longest for the next check (ms); None without parts."""
    adopted: int


def of_day(db: Database, org: str, day: date) -> dict[str, PartEntry]:
    """The parts that must be there, by name. Ask before the parts are listed: a merged part's
    sources leave these entries before their files go."""
    return {row[0]: _entry(row) for row in db.rows(_OF_DAY, org, day.isoformat())}


def hidden(db: Database, org: str, day: date) -> set[str]:
    """The names of parts that are being added or removed, which are not read."""
    return {name for (name,) in db.rows(_HIDDEN, org, day.isoformat())}


def visible(db: Database, lake: Lake, org: str, day: date) -> list[Part]:
    """The parts of a day that are there to be read."""
    unseen = hidden(db, org, day)
    return [part for part in lake.parts(org, day) if part.name not in unseen]


def rows_by_day(db: Database, org: str, first: date, last: date) -> dict[date, int]:
    """How many events the parts of each day of a range hold, copies included; days without an
    entered part are left out."""
    counts = db.rows(_ROWS, org, first.isoformat(), last.isoformat())
    return {days.parse(day): int(rows) for day, rows in counts}


def oldest(db: Database, before: int, count: int) -> list[tuple[Partition, PartEntry]]:
    """Some of the parts that were last checked before a time (ms), the oldest check first."""
    rows = db.rows(_OLDEST, before, count)
    return [((org, days.parse(day)), _entry(row)) for org, day, *row in rows]


def totals(db: Database, org: str) -> Totals:
    """How many parts, rows and bytes an organization has, and how many parts are adopted."""
    [row] = db.rows(_TOTALS, org)
    parts, count, size, oldest_check, adopted = row
    return Totals(int(parts), int(count), int(size), oldest_check, int(adopted))


def faults(db: Database, org: str) -> list[tuple[date, str, str]]:
    """(day, name, fault) of the parts whose last check failed."""
    return [(days.parse(day), name, fault) for day, name, fault in db.rows(_FAULTS, org)]


def hashes(db: Database, *, with_faulty: bool) -> dict[Partition, dict[str, str]]:
    """The hash of every part of every organization, by name; of those, too, if wanted, whose last
    check failed."""
    hashes: dict[Partition, dict[str, str]] = {}
    condition = "" if with_faulty else " AND fault IS NULL"
    for org, day, name, sha256 in db.stream(
        f"SELECT org_id, day, name, sha256 FROM lake_parts WHERE NOT is_hidden{condition}"
    ):
        hashes.setdefault((org, days.parse(day)), {})[name] = sha256
    return hashes


def count_faults(db: Database) -> int:
    """The parts of all organizations whose last check failed."""
    [(count,)] = db.rows("SELECT count(*) FROM lake_parts WHERE fault IS NOT NULL")
    return int(count)


def not_entered(db: Database, after: tuple[str, str], count: int) -> list[Partition]:
    """Organizations and days with data of which no part is entered, behind one of them (ISO)."""
    org, day = after
    return [(org, days.parse(day)) for org, day in db.rows(_NOT_ENTERED, org, org, day, count)]


def enter(
    connection: Connection,
    written: Mapping[Partition, Collection[WrittenPart]],
    *,
    is_adopted: bool = False,
) -> None:
    """Enter parts as they are now; those that are entered already are entered again, unless they
    are adopted."""
    rows = [
        {
            "org_id": org,
            "day": day.isoformat(),
            "name": part.name,
            "size": part.size,
            "row_count": part.rows,
            "sha256": part.sha256,
            "is_adopted": is_adopted,
            "checked_at": clock.now_ms(),
            "fault": None,
            "is_hidden": False,
        }
        for (org, day), parts in sorted(written.items())
        for part in sorted(parts)
    ]
    if is_adopted and rows:
        values = [tuple(row.values()) for row in rows]
        insert_new(connection, lake_parts, list(rows[0]), values)
    else:
        upsert(connection, lake_parts, rows)


def remove(connection: Connection, org: str, day: date, names: Iterable[str] | None = None) -> None:
    """Remove the entries of some parts of a day, or of all. A part that is to go loses its entry
    first, so that a reader who misses it finds that it may be missed."""
    mine = _of_day(org, day)
    if names is None:
        connection.execute(delete(lake_parts).where(*mine))
        return
    for name in sorted(names):
        connection.execute(delete(lake_parts).where(*mine, lake_parts.c.name == name))


def announce(connection: Connection, org: str, day: date, names: Iterable[str]) -> None:
    """Hide parts that are to be written, until they are entered."""
    row = {"org_id": org, "day": day.isoformat(), "size": 0, "row_count": 0, "sha256": ""}
    row |= {"is_adopted": False, "checked_at": 0, "is_hidden": True}
    values = [(name, *row.values()) for name in sorted(names)]
    insert_new(connection, lake_parts, ("name", *row), values)


def hide(connection: Connection, org: str, day: date, names: Iterable[str]) -> None:
    """End the reading of parts whose files are to be removed."""
    for name in sorted(names):
        mine = update(lake_parts).where(*_of_day(org, day), lake_parts.c.name == name)
        connection.execute(mine.values(is_hidden=True))


def note_checked(
    connection: Connection, org: str, day: date, faults: Mapping[str, str | None]
) -> None:
    """Note what a check of parts has found, by name: None for a whole one."""
    for name, fault in sorted(faults.items()):
        mine = update(lake_parts).where(*_of_day(org, day), lake_parts.c.name == name)
        connection.execute(mine.values(checked_at=clock.now_ms(), fault=fault))


def note_whole(connection: Connection, org: str, day: date, excluded: Collection[str]) -> None:
    """Note that all parts of a day but some were read and are whole."""
    others = lake_parts.c.name.not_in(sorted(excluded))
    whole = update(lake_parts).where(*_of_day(org, day), others)
    connection.execute(whole.values(checked_at=clock.now_ms(), fault=None))


def _of_day(org: str, day: date) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return lake_parts.c.org_id == org, lake_parts.c.day == day.isoformat()


def _entry(row: tuple[object, ...] | list[object]) -> PartEntry:
    name, size, rows, sha256, is_adopted, fault = row
    return PartEntry(
        str(name),
        int(str(size)),
        int(str(rows)),
        str(sha256),
        bool(is_adopted),
        None if fault is None else str(fault),
    )
