"""Files of one person: replaced whole, so that a crash leaves the old content or the new one."""

from __future__ import annotations

import glob
import os
import secrets
from pathlib import Path
from typing import TypeVar

import msgspec

from stationmaster.errors import OperatorError

T = TypeVar("T")


def read(path: Path, kind: type[T], remedy: str = "delete it") -> T | None:
    """The content of a file of JSON; None without one. Raises OperatorError for a damaged one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise OperatorError(f"{path} is damaged; {remedy}", code="bad_file") from fault


def remove_drafts(path: Path) -> None:
    """Remove what killed processes left of content for a file. Only for who alone may write it."""
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*"):
        draft.unlink(missing_ok=True)


def write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Put content durably in the place of what a file holds, readable by its owner alone before
    it has its mode."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
