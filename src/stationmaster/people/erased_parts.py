"""The parts of a day without a person, or with an anonymous one in the person's place."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import update

from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erasures
from stationmaster.ids import OrgId
from stationmaster.lake import entries, horizon, integrity
from stationmaster.lake.rollups.store import hold, mark_days
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake, Part, WrittenPart
from stationmaster.people.erasure import PersonNames, Subject, Task

NAMING = ("user_email", "installation", "account", "machine_user", "branch", "team")
"""Columns that are emptied where a person becomes anonymous."""
LINKING = (
    *("session_id", "root_session_id", "turn_id", "agent_id", "tool_call_id"),
    *("file_path_hash", "cwd_hash", "commit_sha", "pr_url"),
)
"""Columns whose values lead to a transcript or a commit: a keyed hash takes their places, so that
what was equal stays equal."""


def rewrite(db: Database, lake: Lake, day: date, task: Task) -> None:
    """Take a person out of a day's parts. The day becomes due, and the one after it.

    Raises DamagedParts: what a changed part contains of the person is unknown.
    """
    org = task.org
    # A backup copies the parts that its copy of the state names, so they stay until it is done.
    with db.alone(horizon.ERASING), db.alone(horizon.partition_name(org, day)):
        _clear(db, lake, org, day)
        parts = _checked(db, lake, org, day)
        concerned = [part for part in parts if _has(lake, part, task.subject)]
        if not concerned:
            return
        names = {part: _new_name(task.erasure_id, part) for part in concerned}
        with db.transaction() as connection:
            entries.announce(connection, org, day, (f"part-{n}.parquet" for n in names.values()))
        written: list[WrittenPart] = []
        count = 0
        for part, name in names.items():
            rewriting = _Rewriting(task)
            written.append(lake.write(org, day, name, rewriting.groups(lake, part)))
            count += rewriting.count
        with db.transaction() as connection:
            hold(connection, org)
            entries.hide(connection, org, day, (part.name for part in concerned))
            kept = [part for part in written if part.rows]
            entries.enter(connection, {(org, day): kept})
            mark_days(connection, org, [day.isoformat(), (day + timedelta(days=1)).isoformat()])
            connection.execute(
                update(erasures)
                .filter_by(org_id=org, erasure_id=task.erasure_id)
                .values(events=erasures.c.events + count)
            )
        _clear(db, lake, org, day)


def _clear(db: Database, lake: Lake, org: OrgId, day: date) -> None:
    """Delete the hidden parts of a day: who has the partition alone is the one who hides any."""
    unseen = entries.hidden(db, org, day)
    if not unseen:
        return
    for name in unseen:
        lake.files.delete(f"{lake.partition(org, day)}/{name}")
    with db.transaction() as connection:
        entries.remove(connection, org, day, unseen)


def _checked(db: Database, lake: Lake, org: OrgId, day: date) -> list[Part]:
    entered = entries.of_day(db, org, day)
    parts = lake.parts(org, day)
    fresh = [part for part in parts if part.name not in entered]
    if fresh:
        integrity.adopt(db, lake, (org, day), fresh)
        entered = entries.of_day(db, org, day)
    faults = integrity.faults_of(db, lake, (org, day), entered, with_bytes=True)
    unread = {part.name: integrity.CHANGED for part in parts if part.name not in entered}
    # A part that is missing holds nothing to erase.
    faults = {name: fault for name, fault in faults.items() if fault != integrity.MISSING}
    if damaged := faults | unread:
        integrity.note(db, org, day, dict(faults))
        raise integrity.DamagedParts(day, damaged, len(parts))
    return parts


def _new_name(erasure_id: str, part: Part) -> str:
    digest = blake2b(f"{erasure_id}\n{part.name}".encode(), digest_size=10).hexdigest()
    return f"rewritten_{digest}"


def _has(lake: Lake, part: Part, subject: Subject) -> bool:
    with lake.reading(part) as file:
        table = pq.ParquetFile(file, page_checksum_verification=True).read(
            ["user_id", "user_email"]
        )
    return bool(pc.any(_mask(table, subject)).as_py())


def of_person(batch: pa.RecordBatch, named: PersonNames) -> pa.Table:
    """The rows of a batch that are of a person."""
    table = pa.Table.from_batches([batch])
    return table.filter(_mask(table, named))


def _mask(table: pa.Table, subject: Subject | PersonNames) -> pa.ChunkedArray:
    by_id = pc.is_in(table["user_id"], pa.array(subject.users, pa.string()))
    if "user_email" not in table.column_names:
        return by_id
    addresses = pc.utf8_lower(pc.utf8_trim_whitespace(table["user_email"]))
    return pc.or_(by_id, pc.is_in(addresses, pa.array(subject.emails, pa.string())))


class _Rewriting:
    """Of one part."""

    def __init__(self, task: Task) -> None:
        self._reports = task.reports
        self._subject = task.subject
        self.count = 0
        """Events of the person so far."""

    def groups(self, lake: Lake, part: Part) -> Iterator[pa.Table]:
        """The row groups of a part without the person."""
        with lake.reading(part) as file:
            stored = pq.ParquetFile(file, page_checksum_verification=True)
            for number in range(stored.num_row_groups):
                yield self._without(stored.read_row_group(number))

    def _without(self, table: pa.Table) -> pa.Table:
        mask = _mask(table, self._subject)
        self.count += pc.sum(mask).as_py() or 0
        theirs = table.filter(mask)
        if self._reports == "restate" or not theirs.num_rows:
            return table.filter(pc.invert(mask))
        anonymous = self._anonymous(theirs)
        return pa.concat_tables([table.filter(pc.invert(mask)), anonymous])

    def _anonymous(self, table: pa.Table) -> pa.Table:
        size = table.num_rows
        values: dict[str, Any] = {name: pa.nulls(size, pa.string()) for name in NAMING}
        values["user_id"] = pa.repeat(pa.scalar(self._subject.anonymous), size)
        for name in set(LINKING) & set(table.column_names):
            values[name] = self._hashed(table[name])
        high, low = table["event_id_hi"].to_pylist(), table["event_id_lo"].to_pylist()
        digests = [self._subject.digest(f"{hi} {lo}") for hi, lo in zip(high, low, strict=True)]
        for name, part in (("event_id_hi", slice(0, 8)), ("event_id_lo", slice(8, 16))):
            halves = [int.from_bytes(digest[part], "big", signed=True) for digest in digests]
            values[name] = pa.array(halves, pa.int64())
        for name, column in values.items():
            place = table.schema.get_field_index(name)
            if place >= 0:
                table = table.set_column(place, SCHEMA.field(name), column)
        return table

    def _hashed(self, column: pa.ChunkedArray) -> pa.Array:
        texts = set(column.to_pylist()) - {None}
        pseudonyms = {text: self._subject.pseudonym(text) for text in texts}
        return pa.array([pseudonyms.get(text) for text in column.to_pylist()], pa.string())
