"""The lake: part files by organization and UTC day, in a folder or on object storage.

    <lake>/org=<organization>/day=<YYYY-MM-DD>/part-<name>.parquet

A part appears whole or not at all and is never changed afterwards. Parts of a day may hold the
same event more than once: readers count event ids once. Nothing here but `partitions`
reads more than one organization and day at a time, so no call becomes slower as the lake ages.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.settings import Settings


class LocalFiles:
    """See Files: parts are synced and renamed, so that they appear whole and stay; one is written
    under a name that no reader lists. `folder` is made when the first part is written."""

    # Each waits for the same disk.
    writes_at_once = 1
    is_remote = False

    def __init__(self, folder: Path) -> None:
        self.root = str(folder.absolute())

    def parts(self, folder: str) -> list[tuple[str, int]]:
        """(path, bytes) of the finished parts of a folder; empty where there is no folder."""
        try:
            with os.scandir(folder) as entries:
                named = [
                    entry
                    for entry in entries
                    if entry.name.startswith("part-") and entry.name.endswith(".parquet")
                ]
        except FileNotFoundError:
            return []
        parts = []
        for entry in named:
            # A compaction may remove it meanwhile.
            with suppress(FileNotFoundError):
                parts.append((entry.path, entry.stat().st_size))
        return parts

    def folders(self) -> list[str]:
        """The folder of every organization and day, in no order."""
        return [str(folder) for folder in Path(self.root).glob("org=*/day=*")]

    @contextmanager
    def replacing(self, path: str) -> Iterator[Path]:
        """A partial file next to `path`, synced to disk and renamed to it if the block ends
        well."""
        target = Path(path)
        make_folder(target.parent)
        stem = f".{target.stem}"
        partial = target.with_name(f"{stem}.{os.getpid()}-{threading.get_ident()}.partial")
        try:
            yield partial
            try:
                sync(partial)
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
        sync(target.parent)

    @contextmanager
    def reading(self, path: str, size: int) -> Iterator[pa.NativeFile]:
        """The open file; `size` does not matter here."""
        del size
        with pa.OSFile(path) as file:
            yield file

    def exists(self, path: str) -> bool:
        """True where there is a file at a path."""
        return Path(path).exists()

    def probe(self) -> None:
        """Write a byte into a temporary file. Raises OSError where the folder refuses it."""
        folder = Path(self.root)
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"\0")

    def delete(self, path: str) -> None:
        """Remove a file, if it is there."""
        Path(path).unlink(missing_ok=True)

    def copies(self, paths: Sequence[str], folder: Path) -> list[str]:
        """The paths themselves; nothing is copied."""
        del folder
        return [*paths]

    def drop_cached(self, path: str) -> None:
        """There are no copies."""


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder and those above it, durably."""
    if path.is_dir():
        return
    make_folder(path.parent, mode)
    path.mkdir(mode, exist_ok=True)
    sync(path.parent)


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_FOLDER = "file://"
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}", re.ASCII)
# A dictionary costs more than it saves where nearly every value is another.
_PLAIN = frozenset({"event_id_hi", "event_id_lo", "ts", "tool_call_id", "cost_usd", "duration_ms"})
_DIGEST_BLOCK = 2**20

Partition = tuple[str, date]
"""Organization and UTC day."""


class Part(NamedTuple):
    """One part file."""

    path: str
    """What an engine opens: an absolute path, or a URL."""
    size: int
    """Bytes."""

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.rpartition("/")[2]


class WrittenPart(NamedTuple):
    """A part as it was written."""

    path: str
    size: int
    """Bytes."""
    rows: int
    sha256: str
    """64 hex digits, of the file's bytes."""

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.rpartition("/")[2]


class Files(Protocol):
    """Where parts are kept. Every call may raise OSError, or Unavailable and OperatorError where
    the storage is another machine's."""

    root: str
    """What every path begins with; no slash at its end."""
    writes_at_once: int
    """How many files it pays to write side by side."""
    is_remote: bool
    """Does another machine keep the files? It compares its own checksums, and reading costs."""

    def parts(self, folder: str) -> list[tuple[str, int]]:
        """(path, bytes) of the finished parts of one folder; empty when there is none."""

    def folders(self) -> list[str]:
        """Every folder of one organization and day."""

    def replacing(self, path: str) -> AbstractContextManager[Path]:
        """A local file to write; it becomes `path`, whole and durable, if the block ends well."""

    def reading(self, path: str, size: int) -> AbstractContextManager[pa.NativeFile]:
        """A file to read parts of."""

    def exists(self, path: str) -> bool:
        """True where there is a file at a path."""

    def probe(self) -> None:
        """Write something that no reader lists, to see whether files are taken."""

    def delete(self, path: str) -> None:
        """Remove a file; one that is missing already is no error."""

    def copies(self, paths: Sequence[str], folder: Path) -> list[str]:
        """Local files with the bytes of `paths`, in their order: the files themselves where they
        are local, else copies in `folder`, which is the caller's to remove. FileNotFoundError when
        one is missing."""

    def drop_cached(self, path: str) -> None:
        """Keep no copy of a file any longer: fetch it again when it is needed next."""


class Lake:
    """The parts of every organization, kept in `files`. Cheap to open; safe to use from any thread.

    Its calls raise OSError where a folder refuses, Unavailable where object storage fails in a way
    that may pass and OperatorError where it needs a person; ValueError for an organization id or a
    name that is no safe file name. Nothing that a reader lists has changed then.
    """

    def __init__(self, files: Files) -> None:
        self.files = files

    @classmethod
    def open(cls, settings: Settings) -> Lake:
        """The lake of an installation: `lake_url`, or the folder in its data folder.

        Raises OperatorError for a URL that cannot work here.
        """
        if settings.lake_url is None:
            return cls(LocalFiles(settings.lake_dir))
        if settings.lake_url.startswith(_FOLDER):
            return cls(LocalFiles(Path(settings.lake_url.removeprefix(_FOLDER))))
        # Loaded where it is used alone: it brings a client of object storage along.
        from stationmaster.lake.object_files import ObjectFiles

        return cls(ObjectFiles.open(settings.lake_url, settings))

    def partition(self, org: str, day: date) -> str:
        """The folder of the parts of one organization and UTC day."""
        if not _SAFE.fullmatch(org):
            raise ValueError(f"not an organization id: {org[:80]!r}")
        return f"{self.files.root}/org={org}/day={day.isoformat()}"

    def path(self, org: str, day: date, name: str) -> str:
        """The path of the part of a name, existing or not."""
        if not _SAFE.fullmatch(name):
            raise ValueError(f"not a part name: {name[:80]!r}")
        return f"{self.partition(org, day)}/part-{name}.parquet"

    def parts(self, org: str, day: date) -> list[Part]:
        """The parts of one organization and day, by name; empty when there are none.

        A compaction may replace listed parts by one that holds the same events: a reader that
        finds a part missing lists again.
        """
        return sorted(Part(*part) for part in self.files.parts(self.partition(org, day)))

    def write(self, org: str, day: date, name: str, tables: Iterable[pa.Table]) -> WrittenPart:
        """Write one part durably from tables of one schema, a row group each.

        Writers of a part of the same name write the same events; any number may do so at the same
        time.
        """
        target = self.path(org, day, name)
        # Open until it is hashed: another writer of the same part may remove it meanwhile.
        with self.files.replacing(target) as partial, partial.open("w+b") as file:
            rows = _encode(iter(tables), file)
            file.flush()
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return WrittenPart(target, file.tell(), rows, digest)

    def write_each(
        self, name: str, tables: Mapping[Partition, pa.Table]
    ) -> dict[Partition, WrittenPart]:
        """Write a part of one name into several organizations and days; see `write`.

        Where one of them fails the others may be there.
        """
        with ThreadPoolExecutor(self.files.writes_at_once, "lake-write") as pool:
            futures = {
                (org, day): pool.submit(self.write, org, day, name, [table])
                for (org, day), table in tables.items()
            }
        return {partition: future.result() for partition, future in futures.items()}

    def partitions(self) -> list[Partition]:
        """Every organization and day that ever had a part.

        The one call that becomes slower as the lake ages, for who copies all of it.
        """
        places = (folder.rsplit("/", 2)[1:] for folder in sorted(self.files.folders()))
        return [(org[len("org=") :], days.parse(day[len("day=") :])) for org, day in places]

    def put(self, org: str, day: date, file_name: str, file: Path) -> None:
        """Take a part of another lake in, durably and under its own name."""
        with self.files.replacing(f"{self.partition(org, day)}/{file_name}") as partial:
            shutil.copyfile(file, partial)

    @contextmanager
    def reading(self, part: Part) -> Iterator[pa.NativeFile]:
        """A part as a file of which only what is asked for is fetched."""
        with self.files.reading(part.path, part.size) as file:
            yield file

    def digest(self, part: Part) -> str:
        """The SHA-256 of a part's bytes as they are now, in hex. FileNotFoundError without it."""
        digest = hashlib.sha256()
        with self.files.reading(part.path, part.size) as file:
            while block := file.read(_DIGEST_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def adopt(self, part: Part) -> WrittenPart:
        """A part of another version as it is now. OSError or ArrowInvalid for one that is damaged,
        FileNotFoundError when it is missing."""
        with self.files.reading(part.path, part.size) as file:
            rows = pq.ParquetFile(file).metadata.num_rows
        return WrittenPart(part.path, part.size, rows, self.digest(part))


def _encode(tables: Iterator[pa.Table], file: BinaryIO) -> int:
    """Write tables to a file; how many rows they have."""
    first = next(tables)
    rows: int = first.num_rows
    dictionary = [column for column in first.column_names if column not in _PLAIN]
    with pq.ParquetWriter(
        file, first.schema, compression="zstd", use_dictionary=dictionary, write_page_checksum=True
    ) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
            rows += table.num_rows
    return rows
