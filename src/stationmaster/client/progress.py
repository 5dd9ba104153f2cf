"""How far each session file was read, so that a later run continues there.

One JSON file per destination. An entry holds the hash of a path, an offset at a line boundary or
the stamp of a document, and the reader's state there: identifiers and counters only. It is replaced
whole, after the server has acknowledged, so a crash repeats a few events (which count once) and
loses none.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from stationmaster.agents.dialect import Agent, Document

_FINGERPRINT_BYTES = 256
UNFINISHED = ""
"""The stamp of a document that was read in part: nothing's stamp is so."""


class Position(msgspec.Struct, frozen=True):
    """Where reading stands in one file. `fingerprint` tells a rewritten file from a grown one.

    `stamp` is that of a Document just before it was read; a file of lines has none.
    """

    offset: int
    fingerprint: str
    state: dict[str, Any]
    stamp: str | None = None


class Progress:
    """The positions of every file read for one destination."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._positions: dict[str, Position] = {}
        if path.exists():
            try:
                self._positions = msgspec.json.decode(path.read_bytes(), type=dict[str, Position])
            except (msgspec.DecodeError, UnicodeDecodeError):
                # An unreadable record means reading everything again, which is harmless.
                self._positions = {}

    def find(self, path: str) -> Position | None:
        """The position in a file; None when it is new or was rewritten since."""
        position = self._positions.get(_key(path))
        try:
            if position is None or os.path.getsize(path) < position.offset:
                return None
            return position if fingerprint(path, position.offset) == position.fingerprint else None
        except FileNotFoundError:
            return None

    def is_unread(self, path: str, agent: Agent) -> bool:
        """Has the agent's file anything that was not read yet?"""
        position = self.find(path)
        if position is None:
            return True
        if position.stamp is None:
            return os.path.getsize(path) > position.offset
        document = agent.transcript(path)
        return not isinstance(document, Document) or document.stamp() != position.stamp

    def save(self, changed: dict[str, Position]) -> None:
        """Remember new positions, durably and all or nothing."""
        self._positions.update((_key(path), position) for path, position in changed.items())
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Two runs at once must not write into each other's copy.
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        with open(temporary, "wb") as file:
            file.write(msgspec.json.encode(self._positions))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path)


def _key(path: str) -> str:
    return blake2b(os.fsencode(path), digest_size=16).hexdigest()


def fingerprint(path: str, offset: int) -> str:
    """Identifies what was read of a file: by its beginning, and by what lies before the offset."""
    with open(path, "rb") as file:
        read = file.read(min(offset, _FINGERPRINT_BYTES))
        file.seek(max(0, offset - _FINGERPRINT_BYTES))
        read += file.read(min(offset, _FINGERPRINT_BYTES))
    return blake2b(read, digest_size=8).hexdigest()
