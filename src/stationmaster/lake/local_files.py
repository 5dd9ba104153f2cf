"""Part files in a folder: synced and renamed, so that they appear whole and stay.

A part is written under a name that no reader lists.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

import pyarrow as pa


class LocalFiles:
    """See Files. `folder` is made when the first part is written."""

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
        """A partial file beside `path`, synced to disk and renamed to it if the block ends well."""
        target = Path(path)
        _make_folder(target.parent)
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

    def forget(self, path: str) -> None:
        """There are no copies."""


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
