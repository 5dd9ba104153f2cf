"""A temporary folder for each child process, which goes also where its parent was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from stationmaster import clock

PREFIX = "stationmaster-child-"
_NEW_S = 60
"""A folder that another process has just made may not be locked yet."""


@contextmanager
def folder() -> Iterator[str]:
    """The path of a new empty folder, removed afterwards with all that is in it.

    The folder is locked for as long as this process lives: what the first call of a process finds
    unlocked was left by a process that was killed, and is removed.
    """
    place = Path(tempfile.gettempdir())
    _remove_abandoned(place)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place) as path:
        descriptor = _locked(path)
        try:
            yield path
        finally:
            if descriptor is not None:
                os.close(descriptor)


@cache
def _remove_abandoned(place: Path) -> None:
    for path in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            stat = path.lstat()
            if stat.st_uid != os.getuid() or stat.st_mtime > clock.now_ms() / 1000 - _NEW_S:
                continue
            descriptor = _locked(path)
            if descriptor is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(descriptor)


def _locked(path: str | Path) -> int | None:
    """A descriptor that holds the lock of a folder; None where another process holds it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
