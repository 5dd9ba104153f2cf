"""Where a local repository keeps its objects, and which commit a name means there.

Read without git, since git would read the repository's own configuration, which can name programs
to run. Only the files that name places and objects are opened, each bounded and never through a
link.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from stationmaster.errors import BadRequest, NotFound

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(
    r"(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\/.-][^\x00-\x20\x7f~^:?*\[\\]*(?<![/.])"
)
"""What git-check-ref-format allows, and no leading dash."""
_LINK_MAX = 4096
_PACKED_MAX = 64 * 2**20
_HOPS_MAX = 5


class GitFolders(NamedTuple):
    """The folder of a work tree's own state, and the one with what all work trees share."""

    own: Path
    shared: Path


def find(path: Path) -> GitFolders:
    """The git folder of a repository, bare or with a work tree. Raises NotFound."""
    for folder in (path / ".git", path):
        if (content := text(folder, _LINK_MAX)) is not None and content.startswith("gitdir:"):
            folder = path / content.removeprefix("gitdir:").strip()
        common = text(folder / "commondir", _LINK_MAX)
        shared = folder if common is None else folder / common.strip()
        if (shared / "objects").is_dir() and (folder / "HEAD").is_file():
            return GitFolders(folder.resolve(), shared.resolve())
    raise NotFound(f"{path} is not a git repository.", code="no_repository")


def resolve(place: GitFolders, ref: str | None) -> tuple[str, str | None]:
    """The object that a branch, a tag or a full hash names, and the branch if it is one.

    None is what is checked out. Raises BadRequest for what is no name, NotFound.
    """
    if ref is None:
        name = "HEAD"
    elif is_oid(ref):
        return ref, None
    elif not is_ref_name(ref):
        raise BadRequest(
            f"{ref!r} is not a name of a branch, a tag or a commit.", code="invalid_ref"
        )
    else:
        name = ref
    prefixes = ("",) if ref is None or ref.startswith("refs/") else ("refs/heads/", "refs/tags/")
    for prefix in prefixes:
        if (target := _follow(place, prefix + name)) is not None:
            return target
    raise NotFound(
        "The repository has no commit yet." if ref is None else f"No branch or tag is '{ref}'.",
        code="no_commit" if ref is None else "no_ref",
    )


def is_oid(text: str) -> bool:
    """Is this a full hash?"""
    return _OID.fullmatch(text) is not None


def is_ref_name(text: str) -> bool:
    """May this be the name of a branch or a tag?"""
    return len(text) <= 255 and text.isprintable() and _NAME.fullmatch(text) is not None


def _follow(place: GitFolders, name: str) -> tuple[str, str | None] | None:
    for _ in range(_HOPS_MAX):
        content = _ref(place, name)
        if content is None:
            return None
        if is_oid(content):
            branch = name.removeprefix("refs/heads/")
            return content, branch if branch != name else None
        name = content.removeprefix("ref:").strip()
        if not name.startswith("refs/") or not is_ref_name(name):
            return None
    return None


def _ref(place: GitFolders, name: str) -> str | None:
    """The text of a loose reference, or the hash of a packed one."""
    for folder in (place.own, place.shared):
        if (content := text(folder / name, _LINK_MAX)) is not None:
            return content.strip()
    for line in (text(place.shared / "packed-refs", _PACKED_MAX) or "").splitlines():
        if line.endswith(" " + name):
            return line.partition(" ")[0]
    return None


def oids_under(place: GitFolders, prefix: str, count_max: int) -> set[str] | None:
    """What all references under a prefix such as `refs/remotes/` name; None for more than so many.

    Symbolic ones are left out: what they point to is there by its own name.
    """
    named = under(place, prefix, count_max)
    return None if named is None else set(named.values())


def under(place: GitFolders, prefix: str, count_max: int) -> dict[str, str] | None:
    """The objects behind all references under a prefix, by name; None for more than so many."""
    packed = text(place.shared / "packed-refs", _PACKED_MAX) or ""
    named = {
        name: oid
        for oid, _, name in (line.partition(" ") for line in packed.splitlines())
        if name.startswith(prefix)
    }
    for path in itertools.islice((place.shared / prefix).rglob("*"), 2 * count_max):
        if (content := text(path, _LINK_MAX)) is not None:
            named[path.relative_to(place.shared).as_posix()] = content.strip()
    if len(named) > count_max:
        return None
    return {name: oid for name, oid in named.items() if is_oid(oid)}


def oids_in(path: Path) -> frozenset[str]:
    """The hashes in a file of one a line, such as `shallow`."""
    return frozenset(filter(is_oid, (text(path, _PACKED_MAX) or "").split()))


def text(path: Path, size_max: int) -> str | None:
    """A regular file's text, at most so much; None for anything else, never waiting for it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(size_max).decode(errors="replace")
