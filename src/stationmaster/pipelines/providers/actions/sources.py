"""Files of one commit in the language of actions, each read once, with the places in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stationmaster.pipelines.model import Place
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Documents,
    Fault,
    Mapping,
    Node,
    Scalar,
    get,
    members,
    text,
    texts,
)

_ACTION_FILES = ("action.yml", "action.yaml")
_COMMENT = re.compile(rb"#\s{0,9}(?:[\w./:-]{0,100}[@=:]\s{0,9})?(v?\d[\w.+-]{0,60})")
"""`# v1.2.3`, `# tag=v1.2.3`, `# pin@v1.2.3`, `# ratchet:owner/name@v1.2.3`."""


@dataclass(frozen=True)
class Source:
    """A file: its bytes and its documents, of which the first counts."""

    path: str
    data: bytes
    documents: Documents

    @property
    def root(self) -> Node | None:
        """The first document, None in a file without one."""
        return self.documents.roots[0] if self.documents.roots else None

    @cached_property
    def has_secrets(self) -> bool:
        """May it name any? Most files do not, and need not be searched."""
        return b"secrets" in self.data.lower()

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.data.split(b"\n")

    def script_at(self, script: Node) -> Place:
        """Where the first line of a text begins; that of a block stands below its mark."""
        if not (isinstance(script, Scalar) and script.is_block):
            return at(script)
        first = script.text[:200].split("\n", 1)[0].encode()
        below = self._lines[script.line] if script.line < len(self._lines) else b""
        return Place(script.line + 1, max(below.find(first.strip()), 0) + 1, self.path)

    def version_beside(self, node: Node) -> str | None:
        """The version that a comment behind a value tells, as in `name@hash # v1.2.3`."""
        if node.line > len(self._lines):
            return None
        match = _COMMENT.search(self._lines[node.line - 1], node.column)
        return None if match is None else match[1].decode(errors="replace")


class Sources:
    """What others may call is kept, so that it is parsed once however many call it."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._kept: dict[str, Source] = {}

    def workflow(self, path: str) -> Source:
        """Raises Fault."""
        if (known := self._kept.get(path)) is not None:
            return known
        data = self._files.content(path)
        source = Source(path, data, yaml_nodes.read(data, merges=False, path=path))
        on = get(source.root, "on")
        if "workflow_call" in (members(on) or texts(on)) or get(source.root, "runs") is not None:
            self._kept[path] = source
        return source

    def called(self, file: str) -> Source | None:
        """An action or a workflow; None for what cannot be read, whose own record tells that if it
        is a workflow."""
        try:
            return self.workflow(file)
        except Fault:
            return None

    def file_of(self, path: str, folders: Sequence[str] = ()) -> str | None:
        """The file that a local reference means, None when the commit has none.

        `folders` are those that the repository was checked out to; the reference may lead there.
        """
        for folder in ("", *folders):
            if not folder or f"{path}/".startswith(f"{folder}/"):
                inside = path[len(folder) :].strip("/")
                names = [inside, *(f"{inside}/{name}".lstrip("/") for name in _ACTION_FILES)]
                if found := next((name for name in names if name in self._files), None):
                    return found
        return None


def local_path(reference: str) -> str | None:
    """The path of an action or a workflow in the same commit, or None for one from elsewhere."""
    for beginning in ("./", "$/"):
        if reference.startswith(beginning):
            return reference.removeprefix(beginning).partition("@")[0].strip("/")
    return None


def at(node: Node) -> Place:
    """The line and column of a node, from 1, with its path."""
    return Place(node.line, node.column, node.path)


def key_at(node: Node | None, key: str) -> Place | None:
    """Where a key of a mapping stands."""
    place = node.keys.get(key) if isinstance(node, Mapping) else None
    return None if node is None or place is None else Place(*place, node.path)


def values(node: Node | None) -> dict[str, str]:
    """The scalars of a mapping by key; null is an empty text."""
    return {
        key: each.text if not each.is_null else ""
        for key, each in members(node).items()
        if isinstance(each, Scalar)
    }


def is_true(node: Node | None) -> bool:
    """True for the scalar `true`."""
    return (text(node) or "").strip() == "true"
