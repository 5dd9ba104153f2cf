"""Changing a file that belongs to another program: whole or not at all, with a way back.

Next to the file are a copy of it from before our change and a copy of what we wrote, for each
purpose of a change. Undoing one gives the very bytes and the permissions of before where nothing
else changed the file; otherwise what is different between the two copies is taken out of the file
as it is now, and what was changed since stays.
"""

from __future__ import annotations

import codecs
import glob
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stationmaster.client.settings import forms as setting_forms
from stationmaster.errors import OperatorError

BACKUP = ".before-stationmaster-"
_WRITTEN = ".written-by-stationmaster-"
"""Followed by the purpose of the change: several may be made to one file, and undone each alone."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
Edit = Callable[[str], str]


class _File(NamedTuple):
    """The content of a file and who may use it."""

    content: bytes
    mode: int

    @property
    def text(self) -> str:
        """With ends of lines and byte order mark. Raises ValueError for other encodings."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as fault:
            raise ValueError("it is not UTF-8") from fault


def read(path: Path) -> str:
    """The text of a file, "" where there is none. Raises OperatorError for other encodings."""
    file = _load(path)
    with explained(path):
        return "" if file is None else file.text


def read_without(path: Path, purpose: str) -> str:
    """The text of a file as it is without our change for a purpose. Raises OperatorError."""
    file = _without(path, purpose)
    with explained(path):
        return "" if file is None else file.text


def change(path: Path, purpose: str, edit: Edit, *, is_secret: bool = False) -> None:
    """Change a file by what `edit` makes of its text, in place of an earlier change for `purpose`.

    `edit` is given the text of before that earlier change; it raises ValueError with the reason
    where it cannot. A secret file is for its owner alone afterwards, and until the change is
    undone. Raises OperatorError; then the file is as it was.
    """
    before = _without(path, purpose)
    with explained(path):
        text = edit("" if before is None else before.text)
    mode = 0o600 if before is None else before.mode
    written = _File(text.encode(), mode & ~_OTHERS if is_secret else mode)
    if written == before and not is_changed(path, purpose):
        return
    _check_owner(path)
    _make(path.parent)
    _leave(path, purpose)
    _store(_beside(path, BACKUP + purpose), before)
    _store(_beside(path, _WRITTEN + purpose), written)
    _store(path, written)


def is_changed(path: Path, purpose: str) -> bool:
    """Is there a change of ours that was not undone?"""
    return _beside(path, _WRITTEN + purpose).exists()


def undo(path: Path, purpose: str) -> bool:
    """Take back what was changed for a purpose, and remove its copies; False where nothing was.

    Raises OperatorError where the file cannot be read or changed; then it is as it was.
    """
    if not is_changed(path, purpose):
        return False
    try:
        after = _without(path, purpose)
    except OperatorError as fault:
        copies = f"{path.name}{BACKUP}{purpose} and {path.name}{_WRITTEN}{purpose}"
        remedy = f"ours is what {copies} next to it differ in: remove that by hand"
        raise OperatorError(f"{fault}; {remedy}", code="bad_file") from fault
    if path.exists():
        _check_owner(path)
        _leave(path, purpose)
        _store(path, after)
    delete_original(path, purpose)
    return True


def delete_original(path: Path, purpose: str) -> None:
    """Remove the copies."""
    for suffix in (BACKUP, _WRITTEN):
        _store(_beside(path, suffix + purpose), None)


def replace(path: Path, text: str) -> None:
    """Write a file again without remembering how it was."""
    file = _load(path)
    _check_owner(path)
    _make(path.parent)
    _store(path, _File(text.encode(), 0o600 if file is None else file.mode))


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise OperatorError that names the file for a ValueError with the reason why it cannot be
    used."""
    try:
        yield
    except ValueError as fault:
        raise OperatorError(f"{path}: {fault}; nothing was changed", code="bad_file") from fault


def is_open_to_others(path: Path) -> bool:
    """May other users of the machine read a file, as far as its permissions show?"""
    return os.name == "posix" and path.exists() and bool(path.stat().st_mode & _OTHERS)


def _without(path: Path, purpose: str) -> _File | None:
    """A file without our change for a purpose; None where nothing is left of it."""
    before = _load(_beside(path, BACKUP + purpose))
    written = _load(_beside(path, _WRITTEN + purpose))
    with explained(path):
        return _taken_back(path, _load(path), before, written)


def _taken_back(
    path: Path, now: _File | None, before: _File | None, written: _File | None
) -> _File | None:
    if now is None or written is None:
        return now
    if now == written:
        return before
    if now.content == written.content:
        content = b"" if before is None else before.content
    else:
        earlier = "" if before is None else before.text
        text = setting_forms.of(path).take_back(now.text, earlier, written.text)
        content = text.encode()
    if before is None:
        return _File(content, now.mode) if _holds_anything(content) else None
    return _File(content, before.mode if now.mode == written.mode else now.mode)


def _leave(path: Path, purpose: str) -> None:
    """Take our change for a purpose out of the copies that other purposes have, too.

    So that the one that is undone last gives the bytes of before the first.
    """
    before = _load(_beside(path, BACKUP + purpose))
    written = _load(_beside(path, _WRITTEN + purpose))
    for suffix in (BACKUP, _WRITTEN):
        for copy in path.parent.glob(f"{glob.escape(path.name)}{suffix}*"):
            if copy.name != path.name + suffix + purpose:
                with explained(copy):
                    rest = _taken_back(path, _load(copy), before, written)
                # A copy of what we wrote marks that there is a change.
                is_mark = suffix == _WRITTEN and rest is None
                _store(copy, _File(b"", 0o600) if is_mark else rest)


def _holds_anything(content: bytes) -> bool:
    return content.removeprefix(codecs.BOM_UTF8).strip() not in (b"", b"{}")


def _load(path: Path) -> _File | None:
    try:
        return _File(path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    except FileNotFoundError:
        return None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _make(folder: Path) -> None:
    """Make a folder and those above it, for the owner of the one that is there."""
    if folder.is_dir():
        return
    _make(folder.parent)
    folder.mkdir(exist_ok=True)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        above = folder.parent.stat()
        os.chown(folder, above.st_uid, above.st_gid)


def _check_owner(path: Path) -> None:
    """Raises OperatorError for a file of another user, unless an administrator changes it."""
    if hasattr(os, "geteuid") and os.geteuid() not in (0, _nearest(path).stat().st_uid):
        raise OperatorError(
            f"{path} belongs to another user; nothing was changed", code="not_yours"
        )


def _nearest(path: Path) -> Path:
    """A path itself, or the first folder above it that is there."""
    return path if path.exists() else _nearest(path.parent)


def _store(path: Path, file: _File | None) -> None:
    """Write a file whole or not at all, for the owner of what is there; None removes it."""
    if file is None:
        path.unlink(missing_ok=True)
        return
    status = _nearest(path).stat()
    draft = _beside(path, f".{os.getpid()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as stream:
        stream.write(file.content)
        stream.flush()
        os.fsync(stream.fileno())
        if hasattr(os, "fchown") and status.st_uid != os.geteuid():
            # An administrator does it for a person, whose file it stays.
            os.fchown(stream.fileno(), status.st_uid, status.st_gid)
    draft.chmod(file.mode)
    draft.replace(path)
