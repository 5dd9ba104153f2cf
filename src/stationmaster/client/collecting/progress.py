"""How far each session file was read, so that a later run continues there.

One JSON file per destination. An entry holds the hash of a path, an offset at a line boundary or
the stamp of a document, and the reader's state there: identifiers and counters only. It is replaced
whole, after the server has acknowledged, so a crash repeats a few events (which count once) and
loses none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from stationmaster import clock
from stationmaster.agents.interface import Agent, Document
from stationmaster.client import private_files
from stationmaster.client.collecting.folders import FolderFile, changed_ms

_FINGERPRINT_BYTES = 256
_FORGOTTEN_MS = 90 * 86_400_000
UNFINISHED = ""
"""The stamp of a document, and the look of a file, that was read in part: nothing's is so."""


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of reading one file. `fingerprint` distinguishes a rewritten file from a grown one.

    `stamp` is that of a Document just before it was read; a file of lines has none, and is
    recognized by its `look` (see `folders`) instead. What happened before `since` (UTC
    milliseconds) was read and not reported.
    """

    offset: int
    fingerprint: str
    state: dict[str, Any]
    stamp: str | None = None
    look: str = UNFINISHED
    since: int = 0


class Progress:
    """The positions of every file read for one destination.

    `since_ms` is the time from which on events are sent; a file that was read for a later one is
    new.
    """

    def __init__(self, path: Path, since_ms: int = 0) -> None:
        self._path = path
        self._since_ms = since_ms
        self._positions: dict[str, Position] = {}
        if path.exists():
            try:
                self._positions = msgspec.json.decode(path.read_bytes(), type=dict[str, Position])
            except (msgspec.DecodeError, UnicodeDecodeError):
                # An unreadable record means reading everything again, which is harmless.
                self._positions = {}

    def find(self, path: str) -> Position | None:
        """The position in a file; None when it is new or was rewritten since. Raises OSError."""
        position = self._position(path)
        try:
            if position is None or os.path.getsize(path) < position.offset:
                return None
            return position if fingerprint(path, position.offset) == position.fingerprint else None
        except FileNotFoundError:
            return None

    def is_unread(self, file: FolderFile, agent: Agent) -> bool:
        """Has the agent's file changed since it was read to its end? Raises OSError."""
        if changed_ms(file.look) < self._since_ms:
            return False
        position = self._position(file.path)
        if position is None:
            return True
        if position.stamp is None:
            return file.look != position.look
        document = agent.transcript(file.path)
        return not isinstance(document, Document) or document.stamp() != position.stamp

    def note(self, changed: dict[str, Position]) -> None:
        """Take new positions, to be remembered by the next `save`."""
        for path, position in changed.items():
            position_before = self._position(path)
            since = max(self._since_ms, position_before.since if position_before else 0)
            self._positions[_key(path)] = msgspec.structs.replace(position, since=since)

    def note_others(self, others: Iterable[FolderFile]) -> None:
        """Take files that are no sessions, and need no other look before they change."""
        self.note({other.path: Position(0, "", {}, look=other.look) for other in others})

    def keep_only(self, present: Iterable[str]) -> None:
        """Let go of files that are not there any more. Those of late stay: a folder that is away
        today may be back tomorrow."""
        keys = set(map(_key, present))
        long_ago = clock.now_ms() - _FORGOTTEN_MS
        self._positions = {
            key: position
            for key, position in self._positions.items()
            if key in keys or changed_ms(position.look) > long_ago
        }

    def save(self) -> None:
        """Remember all positions, durably and all or nothing."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_files.write(self._path, msgspec.json.encode(self._positions))

    def _position(self, path: str) -> Position | None:
        position = self._positions.get(_key(path))
        return None if position is None or position.since > self._since_ms else position


def _key(path: str) -> str:
    return blake2b(os.fsencode(path), digest_size=16).hexdigest()


def fingerprint(path: str, offset: int) -> str:
    """Identifies what was read of a file: by its beginning, and by what is before the offset."""
    with open(path, "rb") as file:
        read = file.read(min(offset, _FINGERPRINT_BYTES))
        file.seek(max(0, offset - _FINGERPRINT_BYTES))
        read += file.read(min(offset, _FINGERPRINT_BYTES))
    return blake2b(read, digest_size=8).hexdigest()
