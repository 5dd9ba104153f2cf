"""The YAML of Azure Pipelines, in which `${{ if … }}` and `${{ each … }}` may be keys.

Which branch is taken is known only when a pipeline runs: what is below such a key is read as if the
key were missing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cached_property

from stationmaster.catalogue import ci
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Pin
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Fault,
    Mapping,
    Node,
    Sequence,
    below,
    items,
    members,
    text,
)

_COMPUTED = "${{"
_LEVELS_MAX = 5
_NODES_MAX = 20_000
_TASK = re.compile(r"[A-Za-z][\w.-]{1,100}@\d{1,3}")
_LOOP = re.compile(r"\$\{\{-?\s{0,9}each\b")
_TOP = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:steps|jobs|stages|extends|variables|\$\{\{)[^\n]{0,500}:", re.M
)

Document = tuple[Mapping, Fault | None]


class Templates:
    """The files of a commit that are mappings of Azure's kind, each read once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._by_path: dict[str, Document | Fault | None] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def document(self, path: str, *, is_named: bool = True) -> Document | None:
        """A file's mapping and the first thing wrong with it; None for what is of another kind.

        Raises Fault for a file that cannot be read; where its name does not show that it is one of
        Azure's, only what looks like one is read.
        """
        if path not in self._by_path:
            self._by_path[path] = self._read(path, is_named)
        document = self._by_path[path]
        if isinstance(document, Fault):
            raise document
        return document

    @cached_property
    def named(self) -> set[str]:
        """The files of the commit that others name as their template."""
        paths = (path for path in self._files.paths() if ci.is_file("azure-pipelines", path))
        return set().union(*map(self._named_by, paths))

    def _named_by(self, path: str) -> set[str]:
        try:
            document = self.document(path, is_named=False)
        except Fault:
            return set()
        if document is None:
            return set()
        named = (text(node, "template") for node in below(document[0], _NODES_MAX))
        paths = {resolved(path, location) for location in named if location is not None}
        return {target for target in paths if target is not None and target in self._files}

    def _read(self, path: str, is_named: bool) -> Document | Fault | None:
        try:
            data = self._files.content(path)
            if not is_named and _TOP.search(data) is None:
                return None
            documents = yaml_nodes.read(data, merges=False, repeats=True, path=path)
        except Fault as fault:
            return fault if is_named else None
        root = documents.roots[0] if documents.roots else None
        if not isinstance(root, Mapping):
            return None
        return root, documents.faults[0] if documents.faults else None


def resolved(path: str, location: str) -> str | None:
    """The path of a template that a file names; None for one of another repository, or computed."""
    name, _, repository = location.partition("@")
    if repository not in ("", "self") or _COMPUTED in location or not name:
        return None
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(path), name)).lstrip("/")


def fields(node: Node | None, level: int = 0) -> dict[str, Node]:
    """The members of a mapping, those below conditions too; a plain one wins."""
    by_name = {
        key: member for key, member in members(node).items() if not key.startswith(_COMPUTED)
    }
    if len(by_name) < len(members(node)) and level < _LEVELS_MAX and isinstance(node, Mapping):
        for key, value in (*node.earlier, *node.members.items()):
            if key.startswith(_COMPUTED):
                for name, inner in fields(value, level + 1).items():
                    by_name.setdefault(name, inner)
    return by_name


def entries(node: Node | None, level: int = 0) -> Iterator[tuple[Node, bool]]:
    """The items of a list, those below conditions too, and whether a loop or a parameter makes
    them, so that their number is not known."""
    for entry in items(node):
        below = _conditions(entry)
        if below and level < _LEVELS_MAX:
            for key, inner in below:
                is_made = _LOOP.match(key) is not None or not isinstance(inner, Sequence)
                for item, is_loop in entries(inner, level + 1):
                    yield item, is_loop or is_made
        else:
            yield entry, _COMPUTED in (text(entry) or "")


def looks_like_steps(node: Node | None) -> bool:
    """True where an entry of a list has a key of a step, such as `task`."""
    keys = ci.words("azure-pipelines")["steps"]
    return any(any(key in members(entry) for key in keys) for entry, _ in entries(node))


def pin_of(repository: Node) -> Pin:
    """How firmly another repository is named; without a reference it is on its branch."""
    ref = text(repository, "ref") or ""
    ref = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    return pinning.of_ref(ref) if ref else "branch"


def has_tasks(root: Node) -> bool:
    """Does any step name one of the service's tasks, such as `PublishTestResults@2`?"""
    return any(_TASK.fullmatch(text(node, "task") or "") for node in below(root, _NODES_MAX))


def _conditions(node: Node) -> list[tuple[str, Node]]:
    """The keys of a mapping that has nothing but conditions."""
    if not isinstance(node, Mapping) or not node.members:
        return []
    if not all(key.startswith(_COMPUTED) for key in node.members):
        return []
    return [*node.earlier, *node.members.items()]
