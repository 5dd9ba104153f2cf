"""A lock among the processes of one machine, which dies with its holder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_held: set[IO[bytes]] = set()


@contextmanager
def alone(path: str) -> Iterator[bool]:
    """Is this process the only one in here? False immediately where another one is."""
    with open(path, "ab") as file:
        try:
            _lock(file)
        except OSError:
            yield False
        else:
            _held.add(file)
            try:
                yield True
            finally:
                _held.discard(file)


def let_go() -> None:
    """In a process that was forked: leave to the parent what it holds, so that it ends with it."""
    for file in _held:
        file.close()
    _held.clear()


def _lock(file: IO[bytes]) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
