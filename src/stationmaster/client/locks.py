"""A lock among the processes of one machine, which dies with its holder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def alone(path: str) -> Iterator[bool]:
    """Is this process the only one in here? False at once where another one is."""
    with open(path, "ab") as file:
        try:
            _lock(file)
        except OSError:
            yield False
        else:
            yield True


def _lock(file: IO[bytes]) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # Windows alone
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
