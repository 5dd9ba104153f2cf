"""Part files: where they lie, and how one appears whole or not at all.

    <lake>/org=<organization>/day=<YYYY-MM-DD>/part-<name>.parquet

A part is written under a name that no reader lists, synced, and renamed; it is never changed
afterwards. Parts of a day may hold the same event more than once: readers count event ids once.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)
# A dictionary costs more than it saves where nearly every value is another.
_PLAIN = frozenset({"event_id_hi", "event_id_lo", "ts", "tool_call_id", "cost_usd", "duration_ms"})


MIDNIGHT_MS = 15 * 60_000
"""Two sources may time one event so far apart; around midnight that puts it into two days."""


def partition(lake_dir: Path, org: str, day: date) -> Path:
    """The folder of one organization and UTC day. ValueError for an id that is no safe name."""
    if not _SAFE.fullmatch(org):
        raise ValueError(f"not an organization id: {org[:80]!r}")
    return lake_dir / f"org={org}" / f"day={day.isoformat()}"


def list_parts(lake_dir: Path, org: str, day: date) -> list[Path]:
    """The finished parts of one organization and day, by name; empty when there are none.

    A compaction may replace listed parts by one that holds the same events: a reader that finds
    a part gone lists again.
    """
    return sorted(partition(lake_dir, org, day).glob("part-*.parquet"))


def write_part(lake_dir: Path, org: str, day: date, name: str, table: pa.Table) -> Path:
    """Write one part durably and return its path.

    Who writes a part of the same name writes the same events; any number may do so at once.
    OSError when the storage refuses; then nothing a reader lists has changed.
    """
    if not _SAFE.fullmatch(name):
        raise ValueError(f"not a part name: {name[:80]!r}")
    folder = partition(lake_dir, org, day)
    _make_folder(folder)
    target = folder / f"part-{name}.parquet"
    with _replacing(target) as partial:
        dictionary = [column for column in table.column_names if column not in _PLAIN]
        pq.write_table(table, partial, compression="zstd", use_dictionary=dictionary)
    return target


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """A path to write to that becomes `target` when the block ends well."""
    stem = f".{target.stem}"
    partial = target.with_name(f"{stem}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        yield partial
        try:
            _sync(partial)
            partial.rename(target)
        except FileNotFoundError:
            # Another writer of the same part was first, and has tidied up behind us both.
            if not target.exists():
                raise
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    # What a killed writer of the same part left behind.
    for stray in target.parent.glob(f"{stem}.*.partial"):
        stray.unlink(missing_ok=True)
    _sync(target.parent)


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync(folder.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
