"""What is read of a commit, as questions see it: each thing that one of them reads is noted.

What is noted has a digest by which a later run tells that it is still the same. What nobody thought
of is noted as the whole commit, which never is.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from stationmaster.reading.projects.queries import Tree
from stationmaster.repos.contents import Contents
from stationmaster.repos.files import Files

if TYPE_CHECKING:
    from stationmaster.wiki.facts.model import Commit, Facts

V = TypeVar("V")
Note = Callable[..., None]
"""Told of the name of an input, and what distinguishes it."""

_OF_FILE = frozenset({"text", "once", "bytes", "toml", "json", "yaml", "yaml_all", "xml", "oid"})
"""What is answered from one file alone."""
_OF_PATHS = frozenset({
    "all_paths", "paths", "glob", "above", "nearest", "owner", "of", "__contains__", "behind",
})  # fmt: skip
"""What is answered from the paths and the project."""
_OF_PROJECT = frozenset({"project", "dependencies", "commands"})


class Watched(Mapping[str, V]):
    """A mapping by path of which it is noted which paths were asked for, and whether for all."""

    def __init__(self, values: Mapping[str, V], note: Note, one: str, all_: str) -> None:
        self._values = values
        self._note = note
        self._one = one
        self._all = all_

    def __getitem__(self, path: str) -> V:
        self._note(self._one, path)
        return self._values[path]

    def __contains__(self, path: object) -> bool:
        self._note(self._all)
        return path in self._values

    def __iter__(self) -> Iterator[str]:
        self._note(self._all)
        return iter(self._values)

    def __len__(self) -> int:
        self._note(self._all)
        return len(self._values)

    def values(self) -> ValuesView[V]:
        self._note(f"all {self._all}")
        return self._values.values()

    def items(self) -> ItemsView[str, V]:
        self._note(f"all {self._all}")
        return self._values.items()


class WatchedTree:
    """A tree, its files or their contents, of which it is noted what was asked. It stands for
    `Tree`, `Files` or `Contents` wherever one is wanted."""

    def __init__(self, watched: Tree | Files | Contents, note: Note) -> None:
        self._watched = watched
        self._note = note

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._watched, name)
        if name in ("files", "contents"):
            return WatchedTree(found, self._note)
        if name in _OF_FILE:
            return functools.partial(self._of_file, found)
        if name == "each":
            return functools.partial(self._of_files, found)
        if name in _OF_PATHS:
            self._note("paths")
            self._note("project")
        elif name in _OF_PROJECT:
            self._note("project")
        elif name == "documents":
            self._note("paths")
            for each in found:
                self._note("file", each.path)
        else:
            self._note("commit")
        return found

    def __contains__(self, path: str) -> bool:
        self._note("paths")
        return path in cast("Files", self._watched)

    def _of_file(self, read: Callable[..., Any], path: str, *more: Any) -> Any:
        self._note("file", path)
        return read(path, *more)

    def _of_files(self, read: Callable[..., Any], paths: Sequence[str], *more: Any) -> Any:
        for path in paths:
            self._note("file", path)
        return read(paths, *more)


class WatchedCommit:
    """A commit of which it is noted what was asked."""

    def __init__(self, commit: Commit, note: Note) -> None:
        self._commit = commit
        self._note = note

    def __getattr__(self, name: str) -> Any:
        self._note("about", name)
        return getattr(self._commit, name)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def digest_of(value: Any) -> bytes:
    """Of what msgspec encodes. Raises TypeError for anything else."""
    try:
        content = msgspec.msgpack.encode(value, order="deterministic")
    except TypeError:  # Keys that are no texts can only be taken as they come.
        content = msgspec.msgpack.encode(value)
    return _digest(content)


def _file(facts: Facts, path: str) -> bytes:
    """Of a file's content, or of what a link leads to."""
    behind = facts.raw.tree.files.behind(path)
    return b"" if behind is None else facts.raw.tree.files.oid(behind).encode()


def _code(facts: Facts, path: str) -> bytes:
    record = facts.raw.records.get(path)
    if record is None or path not in facts.raw.code:
        return b""
    return f"{record.oid} {record.language} {facts.raw.heads[path].status}".encode()


def _told(value: object) -> bytes:
    """Of what msgspec knows; of anything else within it nothing. The one such thing is `Products`
    of a project, which is made of the paths and of the settings."""
    return digest_of(msgspec.to_builtins(value, enc_hook=lambda _: None, str_keys=True))


def _log(facts: Facts) -> bytes:
    log = facts.raw.log
    return digest_of([[change.commit for change in log.changes[:1]], len(log.changes), log.tags,
                      log.is_complete, log.knows_tags])  # fmt: skip


def _paths(facts: Facts) -> bytes:
    others = [[other.path, other.oid] for other in facts.raw.tree.files.others]
    return digest_of([list(facts.raw.tree.all_paths), others])


def _all_code(facts: Facts) -> bytes:
    return digest_of([[path, _code(facts, path)] for path in facts.raw.code])


def _linked_code(facts: Facts) -> bytes:
    """Of all that code says, what kind each file is of, and where imports lead."""
    classes = [facts.raw.records[path].file_class for path in facts.raw.code]
    return digest_of([_all_code(facts), classes, facts.digest("facts.code.links.all_links", ())])


INPUTS: Mapping[str, Callable[..., bytes]] = {
    "commit": lambda facts: facts.raw.commit.hash.encode(),
    "about": lambda facts, name: digest_of(getattr(facts.raw.commit, name)),
    "record": lambda facts, path: digest_of(facts.raw.records.get(path)),
    "records": lambda facts: digest_of(list(facts.raw.records)),
    "all records": lambda facts: digest_of(list(facts.raw.records.values())),
    "code": _code,
    "codes": lambda facts: digest_of(list(facts.raw.code)),
    "all codes": _all_code,
    "linked code": _linked_code,
    "head": lambda facts, path: digest_of(facts.raw.heads.get(path)),
    "heads": lambda facts: digest_of(list(facts.raw.heads)),
    "all heads": lambda facts: digest_of(facts.raw.heads),
    "file": _file,
    "paths": _paths,
    "project": lambda facts: _told(facts.raw.tree.project),
    "pipelines": lambda facts: _told(facts.raw.pipelines),
    "dropped": lambda facts: digest_of(facts.raw.dropped),
    "log": _log,
    "steering": lambda facts: digest_of(facts.raw.steering),
    "planned": lambda facts: digest_of(facts.raw.planned),
}  # fmt: skip
"""The digest of each input."""
