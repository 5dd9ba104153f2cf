"""Are the parts that the figures count on there, and as they were written?

A rollup checks before it counts a day. A background check reads some parts each round, so that
damage of days that are not counted again is found, too; `doctor` checks all of them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.lake import entries
from stationmaster.lake.entries import PartEntry
from stationmaster.lake.storage import Lake, Part, Partition

MISSING, CHANGED = "missing", "changed"
CHECK_PARTS = 256
CHECK_BYTES = 64 * 2**20
"""What one round of the background check takes."""
AGAIN_MS = 24 * 3_600_000
"""A part that was checked is left alone for so long."""
ADOPT_DAYS = 20
"""Days of an older version whose parts one round enters."""
NAMED = 5

_log = logging.getLogger(__name__)


class DamagedParts(OperatorError):
    """Parts that a day counts on are missing or changed; nothing was counted."""

    code = "damaged_parts"

    def __init__(self, day: date, faults: Mapping[str, str], parts: int) -> None:
        named = ", ".join(f"{name} ({fault})" for name, fault in sorted(faults.items())[:NAMED])
        more = ", …" if len(faults) > NAMED else ""
        super().__init__(
            f"{len(faults)} of {parts} part files of {day} are missing or changed: {named}{more}. "
            "The day keeps its figures. Restore the files from a backup, or count the day without "
            "them: stationmaster rollup --without-damaged."
        )
        self.day = day
        self.faults = dict(faults)


class CheckResult(NamedTuple):
    """The result of one check."""

    parts: int
    bytes: int
    faults: list[tuple[Partition, str, str]]
    """Organization and day, name of the part, and what is wrong with it."""


def compare(entered: Mapping[str, PartEntry], parts: Iterable[Part]) -> dict[str, str]:
    """What is wrong with the parts of a day, by name, as a listing shows it."""
    sizes = {part.name: part.size for part in parts}
    return {
        name: CHANGED if name in sizes else MISSING
        for name, entry in entered.items()
        if sizes.get(name) != entry.size
    }


def differing(entered: Mapping[str, PartEntry], digests: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with parts of these names and hashes; those not entered are not wrong."""
    return {
        name: CHANGED
        for name, digest in digests.items()
        if name in entered and entered[name].sha256 != digest
    }


def note(db: Database, org: str, day: date, faults: Mapping[str, str | None]) -> None:
    """Store what a check has found, and log the faults."""
    for name, fault in sorted(faults.items()):
        if fault is not None:
            _log.error("%s of %s on %s is %s", name, org, day, fault)
    with db.transaction() as connection:
        entries.note_checked(connection, org, day, faults)


def check_oldest(db: Database, lake: Lake, stop: threading.Event | None = None) -> CheckResult:
    """Check the parts whose last check is oldest: CHECK_PARTS or CHECK_BYTES of them, none twice
    within AGAIN_MS. Of object storage only names and sizes are compared: it checks its own bytes,
    and a rollup hashes what it fetches."""
    chosen: list[tuple[Partition, PartEntry]] = []
    size = 0
    for partition, entry in entries.oldest(db, clock.now_ms() - AGAIN_MS, CHECK_PARTS):
        size += 0 if lake.files.is_remote else entry.size
        if chosen and size > CHECK_BYTES:
            break
        chosen.append((partition, entry))
    return _check(db, lake, chosen, stop or threading.Event(), with_bytes=not lake.files.is_remote)


def check_all(db: Database, lake: Lake) -> CheckResult:
    """Check every part now: names and sizes, and the bytes as `check_oldest` does.

    Parts with a fault are checked whole, so that one that was restored is found to be so.
    """
    checked = CheckResult(0, 0, [])
    before = clock.now_ms() + 1
    while batch := entries.oldest(db, before, CHECK_PARTS):
        before = min(before, clock.now_ms())
        done = _check(db, lake, batch, threading.Event(), with_bytes=not lake.files.is_remote)
        checked = CheckResult(*(a + b for a, b in zip(checked, done, strict=True)))  # type: ignore[operator]  # numbers and lists alike
    return checked


def _check(
    db: Database,
    lake: Lake,
    chosen: Iterable[tuple[Partition, PartEntry]],
    stop: threading.Event,
    *,
    with_bytes: bool,
) -> CheckResult:
    parts = size = 0
    faulty: list[tuple[Partition, str, str]] = []
    for partition, group in groupby(sorted(chosen, key=itemgetter(0)), key=itemgetter(0)):
        if stop.is_set():
            break
        mine = {entry.name: entry for _, entry in group}
        faults = faults_of(db, lake, partition, mine, with_bytes=with_bytes)
        org, day = partition
        note(db, org, day, {name: faults.get(name) for name in mine})
        faulty += [(partition, name, fault) for name, fault in sorted(faults.items())]
        parts += len(mine)
        size += sum(entry.size for entry in mine.values())
    return CheckResult(parts, size, faulty)


def faults_of(
    db: Database,
    lake: Lake,
    partition: Partition,
    entered: Mapping[str, PartEntry],
    *,
    with_bytes: bool,
) -> dict[str, str]:
    """What is wrong with some parts of a day that are entered.

    Raises as Lake does where the storage does not answer.
    """
    listed = {part.name: part for part in lake.parts(*partition)}
    faults = compare(entered, listed.values())
    for name in entered.keys() - faults.keys() if with_bytes else ():
        try:
            digest = lake.digest(listed[name])
        except FileNotFoundError:
            faults[name] = MISSING
            continue
        except OSError as fault:
            # A sector that the disk does not give is as bad as one that it gives wrong.
            _log.error("%s cannot be read: %s", listed[name].path, fault)
            faults[name] = CHANGED
            continue
        faults |= differing(entered, {name: digest})
    if faults:
        # What was merged or erased meanwhile is not missed: its entry was removed before its file.
        still = entries.of_day(db, *partition)
        faults = {
            name: fault
            for name, fault in faults.items()
            if name in still and still[name].sha256 == entered[name].sha256
        }
    return faults


class Adoption:
    """Enters the parts of versions that kept no hashes, as they are found: once a process reads
    every day without an entry, ADOPT_DAYS in a round."""

    def __init__(self) -> None:
        self._after: tuple[str, str] | None = ("", "")

    def round(self, db: Database, lake: Lake) -> int:
        """How many parts were entered."""
        if self._after is None:
            return 0
        partitions = entries.not_entered(db, self._after, ADOPT_DAYS)
        count = 0
        for org, day in partitions:
            count += adopt(db, lake, (org, day), lake.parts(org, day))
        self._after = (partitions[-1][0], partitions[-1][1].isoformat()) if partitions else None
        return count


def adopt(db: Database, lake: Lake, partition: Partition, parts: Iterable[Part]) -> int:
    """Enter parts as they are; how many. One that does not read is left to the rollup of its day,
    which sets it aside."""
    adopted = []
    for part in parts:
        try:
            adopted.append(lake.adopt(part))
        except StationmasterError:
            raise
        except (OSError, pa.ArrowException) as fault:
            _log.warning("%s cannot be entered: %s", part.path, fault)
    if not adopted:
        return 0
    with db.transaction() as connection:
        entries.enter(connection, {partition: adopted}, is_adopted=True)
    gone = [part.name for part in adopted if not lake.files.exists(part.path)]
    if gone:
        with db.transaction() as connection:
            entries.remove(connection, *partition, gone)
    _log.info("%d parts of %s on %s are entered as they were found", len(adopted), *partition)
    return len(adopted) - len(gone)
