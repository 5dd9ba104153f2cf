"""Files of a wiki put into a folder in which others write, too.

A manifest next to them lists which ones are ours, and what we wrote. Only those are touched: what a
person changed since is a conflict, what we did not write stays. Nothing outside of the folder is
read or written, and no link in it is followed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from stationmaster import ids
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.wiki.transfer import images, layout, names

MANIFEST = ".wiki-run.json"
_FORMAT = 1
_READ_MAX = 16 * 2**20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IN_THE_WAY = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EPERM})
"""A link, a file, a folder, a pipe, where a folder or a file of ours should be."""
_NOT_PLAIN = b"\0"
"""In place of the content of what is no plain file."""

Policy = Literal["keep", "overwrite"]
"""What happens to a page of ours that was changed by others."""


class Manifest(msgspec.Struct, frozen=True):
    """`files` are the hashes (SHA-256) of what we wrote, by name, on `repository`."""

    format: int = _FORMAT
    commit: str = ""
    repository: str = ""
    files: dict[str, str] = {}


class Synced(NamedTuple):
    """Names of what was done; `conflicts` are files that are ours by name, and not by content."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    conflicts: tuple[str, ...]


def sync(
    folder: Path,
    files: Mapping[str, bytes],
    commit: str,
    policy: Policy = "keep",
    *,
    repository: str = "",
) -> Synced:
    """Write `files` into a folder, and remove what we wrote there before and write no more.

    Raises OperatorError for a folder that cannot be written.
    """
    faulty = next((name for name in files if not _may_be_ours(name)), None)
    if faulty is not None:
        raise ValueError(f"no page has the name {faulty!r}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return _Folder(root).sync(files, commit, policy, repository)
        finally:
            os.close(root)
    except OSError as fault:
        raise OperatorError(f"The wiki cannot be written to {folder}: {fault.strerror}.") from fault


def owner(folder: Path) -> str | None:
    """The repository whose wiki a folder has; None where it has none, or does not name it."""
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _Folder(root).repository or None
    except OSError:
        return None
    finally:
        os.close(root)


class _Folder:
    def __init__(self, root: int) -> None:
        self._root = root
        manifest = self._manifest()
        self.repository = manifest.repository
        self._hashes = {
            name: digest for name, digest in manifest.files.items() if _may_be_ours(name)
        }

    def sync(
        self, files: Mapping[str, bytes], commit: str, policy: Policy, repository: str
    ) -> Synced:
        done: dict[str, list[str]] = {
            "written": [],
            "unchanged": [],
            "removed": [],
            "conflicts": [],
        }
        hashes: dict[str, str] = {}
        for name in sorted(files):
            verdict = self._put(name, files[name], policy)
            done[verdict].append(name)
            if verdict != "conflicts":
                hashes[name] = _hash(files[name])
            elif name in self._hashes:
                hashes[name] = self._hashes[name]
        for name in sorted(self._hashes.keys() - files.keys()):
            dropped = self._drop(name, policy)
            if dropped is not None:
                done[dropped].append(name)
            if dropped == "conflicts":
                hashes[name] = self._hashes[name]
        manifest = Manifest(
            commit=commit, repository=repository, files=dict(sorted(hashes.items()))
        )
        self._write(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        return Synced(**{kind: tuple(names) for kind, names in done.items()})

    def _put(self, name: str, content: bytes, policy: Policy) -> str:
        there = self._read(name)
        if there == content:
            return "unchanged"
        is_foreign = there is not None and _hash(there) != self._hashes.get(name)
        if is_foreign and (policy == "keep" or name not in self._hashes):
            return "conflicts"
        return "written" if self._write(name, content) else "conflicts"

    def _drop(self, name: str, policy: Policy) -> str | None:
        """Remove what we wrote; None where it is gone already."""
        there = self._read(name)
        if there is None:
            return None
        if _hash(there) != self._hashes[name] and policy == "keep":
            return "conflicts"
        try:
            with self._parent(name) as (parent, base):
                os.unlink(base, dir_fd=parent)
        except OSError as fault:
            if fault.errno in _IN_THE_WAY:
                return "conflicts"
            raise
        self._prune(name)
        return "removed"

    def _prune(self, name: str) -> None:
        """Remove the folders that are empty without it."""
        folder = name
        while folder := folder.rpartition("/")[0]:
            with self._parent(folder) as (parent, base):
                try:
                    os.rmdir(base, dir_fd=parent)
                except OSError:
                    return

    def _manifest(self) -> Manifest:
        try:
            manifest = msgspec.json.decode(self._read(MANIFEST) or b"", type=Manifest)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Manifest()
        return manifest if manifest.format == _FORMAT else Manifest()

    def _read(self, name: str) -> bytes | None:
        """A file's content; None where there is none."""
        try:
            with self._parent(name) as (parent, base):
                file = os.open(base, _FILE, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as fault:
            if fault.errno in _IN_THE_WAY:
                return _NOT_PLAIN
            raise
        with open(file, "rb") as stream:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return _NOT_PLAIN
            return stream.read(_READ_MAX)

    def _write(self, name: str, content: bytes) -> bool:
        """Replace a file in one step; not where something else than a folder is in the way."""
        try:
            with self._parent(name, makes=True) as (parent, base):
                fresh = f".{ids.new('wiki')}.tmp"
                with open(os.open(fresh, _NEW, 0o644, dir_fd=parent), "wb") as stream:
                    stream.write(content)
                try:
                    os.replace(fresh, base, src_dir_fd=parent, dst_dir_fd=parent)
                except OSError:
                    os.unlink(fresh, dir_fd=parent)
                    raise
        except OSError as fault:
            if fault.errno in _IN_THE_WAY:
                return False
            raise
        return True

    @contextmanager
    def _parent(self, name: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
        """The open folder of a file, and the file's own name. No link is followed on the way."""
        *steps, base = name.split("/")
        here = os.dup(self._root)
        try:
            for step in steps:
                if makes:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(step, 0o755, dir_fd=here)
                there = os.open(step, _FOLDER, dir_fd=here)
                os.close(here)
                here = there
            yield here, base
        finally:
            os.close(here)


def _may_be_ours(name: str) -> bool:
    """Is it a name that we write, whatever a manifest lists?"""
    try:
        is_text = name.endswith((".md", ".txt")) or name == layout.MANIFEST
        is_ours = is_text or images.ending_of(name) is not None
        return names.checked(name) == name and is_ours
    except BadRequest:
        return False


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
