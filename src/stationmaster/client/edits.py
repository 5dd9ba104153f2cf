"""Changing a file of somebody else's: whole or not at all, with a copy of before, and a way back.

Beside the file lie a copy of it from before our first change and a copy of what we wrote. While
the file is what we wrote, undoing gives the very bytes of before; once somebody has changed it
since, only what is ours may be taken out of it, which is the caller's to know.
"""

from __future__ import annotations

import codecs
import json
import os
from pathlib import Path
from typing import Any

from stationmaster.errors import OperatorError

BACKUP = ".before-stationmaster-"
_WRITTEN = ".written-by-stationmaster-"
"""Followed by what the change was for: several may be made to one file, and undone each alone."""


def read(path: Path) -> dict[str, Any]:
    """The JSON object of a file; empty where there is none.

    Raises OperatorError for what would not survive being written again: comments, names that
    stand there twice, and what is no JSON object at all.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as fault:
        raise OperatorError(f"{path} is not UTF-8; nothing was changed", code="bad_file") from fault
    try:
        content = json.loads(text, object_pairs_hook=_once) if text.strip() else {}
    except (ValueError, RecursionError) as fault:
        raise OperatorError(
            f"{path} is not plain JSON ({fault}; comments cannot be kept); nothing was changed",
            code="bad_file",
        ) from fault
    if not isinstance(content, dict):
        raise OperatorError(f"{path} is no JSON object; nothing was changed", code="bad_file")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands there more than once")
    return found


def change(path: Path, what: str, content: dict[str, Any] | str) -> None:
    """Write a file anew: a JSON object, or text. `what` the change is for, in a word.

    Raises OperatorError for a file of another person.
    """
    _make(path.parent)
    before = path.read_bytes() if path.exists() else None
    backup, written = _beside(path, BACKUP + what), _beside(path, _WRITTEN + what)
    is_ours = written.exists() and written.read_bytes() == before
    if before is not None and not is_ours:
        _replace(backup, before)
    text = content.encode() if isinstance(content, str) else _text(content, before or b"")
    _replace(written, text)
    _replace(path, text)


def is_changed(path: Path, what: str) -> bool:
    """Did we ever change the file, without having undone it?"""
    return _beside(path, _WRITTEN + what).exists()


def undo(path: Path, what: str) -> bool:
    """Give back what stood there before; False where somebody has changed the file since."""
    backup, written = _beside(path, BACKUP + what), _beside(path, _WRITTEN + what)
    if not written.exists() or written.read_bytes() != path.read_bytes():
        return False
    if backup.exists():
        _replace(path, backup.read_bytes())
    else:
        path.unlink()
    return True


def rewrite(path: Path, content: dict[str, Any]) -> None:
    """Write a file anew without remembering how it was."""
    _replace(path, _text(content, path.read_bytes()))


def forget(path: Path, what: str) -> None:
    """Remove the copies."""
    for suffix in (BACKUP, _WRITTEN):
        _beside(path, suffix + what).unlink(missing_ok=True)


def _text(content: dict[str, Any], before: bytes) -> bytes:
    """With the mark and the ends of lines that the file had before."""
    text = (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
    if b"\r\n" in before:
        text = text.replace(b"\n", b"\r\n")
    return codecs.BOM_UTF8 + text if before.startswith(codecs.BOM_UTF8) else text


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _make(folder: Path) -> None:
    """A folder and those above it, of whom the one above belongs to."""
    if folder.is_dir():
        return
    _make(folder.parent)
    folder.mkdir(exist_ok=True)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        above = folder.parent.stat()
        os.chown(folder, above.st_uid, above.st_gid)


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; it keeps its owner and who may read it."""
    is_there = path.exists()
    status = (path if is_there else path.parent).stat()
    mode = status.st_mode & 0o777 if is_there else 0o600
    is_anothers = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    if is_anothers and os.geteuid() != 0:
        raise OperatorError(
            f"{path} belongs to another user; nothing was changed", code="not_yours"
        )
    draft = _beside(path, f".{os.getpid()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with open(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        if is_anothers:
            # An administrator does it for somebody, whose file it stays.
            os.fchown(file.fileno(), status.st_uid, status.st_gid)
    draft.replace(path)
