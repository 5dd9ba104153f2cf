"""The operator's own rate card, read again when its file changes; cards of agents are in
`agents.cards`."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from typing import NamedTuple

from stationmaster.errors import OperatorError
from stationmaster.pricing.credits import rates
from stationmaster.pricing.credits.card import Card

_log = logging.getLogger(__name__)


class _File(NamedTuple):
    """What distinguishes one state of a file from another."""

    changed_ns: int
    size: int
    inode: int


class Own(NamedTuple):
    """A rate card with the built-in one behind it, as it was last read."""

    card: Card
    """The card of an installation before the built-in one."""
    digest: str
    """Of the content of both."""


class _Read(NamedTuple):
    file: _File | None
    own: Own


_guard = threading.Lock()
_reads: dict[Path, _Read] = {}


def read(path: Path | None) -> Own:
    """The card of an installation, and the built-in one.

    The first time in a process an unreadable file raises OperatorError. Later the card that was
    read before stays in force, and the log has the reason.
    """
    if path is None:
        return Own(rates.card(), rates.digest(b""))
    with _guard:
        before = _reads.get(path)
        file = _file(path)
        if before is not None and before.file == file:
            return before.own
        try:
            content = rates.content(path)
            own = Own(rates.own(path, content), rates.digest(content))
        except OperatorError as fault:
            if before is None:
                raise
            _log.error("%s The card that was read before stays in force.", fault.detail)
            own = before.own
        _reads[path] = _Read(file, own)
        return own


def _file(path: Path) -> _File | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return _File(status.st_mtime_ns, status.st_size, status.st_ino)
