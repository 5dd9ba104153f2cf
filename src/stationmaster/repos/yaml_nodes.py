"""YAML as it is written: nodes with their place, and every scalar as it is written.

`on`, `yes`, `0755` and `12:30` stay text, and tags are kept, not applied. Nothing is expanded: an
alias is the very node it names, and a file whose aliases would expand to too much is refused, as is
one that is too deep, too large, or refers to itself.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import cast

import msgspec
import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

SIZE_MAX = 4 * 2**20
"""Bytes of one file; compiled workflows of over a megabyte occur."""
NODES_MAX = 100_000
EXPANDED_MAX = 200_000
"""Nodes of a document with every alias replaced by what it names."""
DEPTH_MAX = 64
TEXTS_MAX = 1_000
"""Names in one list: many jobs may share it."""
_DIRECTIVES_MAX = 20
_FAULTS_MAX = 20
_PROBLEMS = {"exceeded maximum nesting depth": "the file is nested too deeply"}
"""Texts of the library, which looks ahead of our own limits, in our words."""
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_MERGE = "<<"
_BLOCKS = ("|", ">")
_ENDS = (SequenceEndEvent, MappingEndEvent)


class Fault(Exception):
    """What is wrong with a file. Line and column count from 1; both are None for all of it."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class Scalar(msgspec.Struct):
    """`line` and `column` of every node count from 1; a block's text begins on the line below.
    `path` is the file that a node was read from, if `read` was given one."""

    text: str
    is_null: bool
    tag: str | None
    line: int
    column: int
    is_block: bool = False
    size: int = 1
    path: str | None = None


class Sequence(msgspec.Struct):
    """A list of nodes; `line`, `column` and `path` as of `Scalar`."""

    tag: str | None
    line: int
    column: int
    items: list[Node] = []
    size: int = 1
    path: str | None = None


class Mapping(msgspec.Struct):
    """Members by the text of their key; the last of several with one key. `keys` are the places of
    its own keys, line and column; `earlier` the values that a later one with the same
    key hides."""

    tag: str | None
    line: int
    column: int
    members: dict[str, Node] = {}
    keys: dict[str, tuple[int, int]] = {}
    earlier: list[tuple[str, Node]] = []
    spliced: list[Node] = []
    size: int = 1
    path: str | None = None


Node = Scalar | Sequence | Mapping


class Documents(msgspec.Struct, frozen=True):
    """The documents of a file that hold anything, and what is wrong but does not hinder reading."""

    roots: list[Node]
    faults: list[Fault]


def read(
    data: bytes,
    *,
    merges: bool,
    splices: bool = False,
    repeats: bool = False,
    path: str | None = None,
) -> Documents:
    """The documents of a file. Raises Fault.

    `merges`: a key `<<` adds the members of what it names; without, it is a key like others.
    `splices`: an item `<<: *list` of a list means that list's items, as Woodpecker has it.
    `repeats`: a key may be in a mapping several times, as Cirrus CI has it.
    `path`: the file, which every node then names.
    """
    if len(data) > SIZE_MAX:
        raise Fault(f"the file is larger than {SIZE_MAX} bytes")
    text, faults = _decoded(data)
    if len(re.findall(r"^%", text, re.MULTILINE)) > _DIRECTIVES_MAX:
        # The parser compares each with all before it.
        raise Fault("the file has too many directives")
    composer = _Composer(merges, splices, repeats, faults, path)
    try:
        parser = yaml.CSafeLoader(text)
        while (event := parser.get_event()) is not None:
            composer.take(event)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        line, column = (None, None) if mark is None else (mark.line + 1, mark.column + 1)
        why = _PROBLEMS.get(wrong.problem or "", wrong.problem) or "this is not YAML"
        raise Fault(why, line, column) from wrong
    except yaml.reader.ReaderError as wrong:
        raise _unreadable(text, wrong.position, str(wrong.reason)) from wrong
    except yaml.YAMLError as wrong:
        raise Fault("this is not YAML") from wrong
    return Documents(composer.roots, faults)


def get(node: Node | None, *keys: str) -> Node | None:
    """The node below a chain of keys, or None."""
    for key in keys:
        node = node.members.get(key) if isinstance(node, Mapping) else None
    return node


def text(node: Node | None, *keys: str) -> str | None:
    """The text of a scalar that is not null, below a chain of keys."""
    if keys:
        node = get(node, *keys)
    return node.text if isinstance(node, Scalar) and not node.is_null else None


def texts(node: Node | None, *keys: str) -> list[str]:
    """The text of a scalar, or those of the first TEXTS_MAX scalars in a sequence."""
    if keys:
        node = get(node, *keys)
    nodes = node.items[:TEXTS_MAX] if isinstance(node, Sequence) else [node]
    return [content for item in nodes if (content := text(item)) is not None]


def members(node: Node | None, *keys: str) -> dict[str, Node]:
    """The values of a mapping by key; empty for any other node."""
    if keys:
        node = get(node, *keys)
    return node.members if isinstance(node, Mapping) else {}


def items(node: Node | None, *keys: str) -> list[Node]:
    """The nodes of a sequence; empty for any other node."""
    if keys:
        node = get(node, *keys)
    return node.items if isinstance(node, Sequence) else []


def below(node: Node | None, count_max: int) -> Iterator[Node]:
    """A node and all below it, at most so many of them, in the order of the file."""
    waiting = [] if node is None else [node]
    while waiting and count_max > 0:
        count_max -= 1
        yield (node := waiting.pop())
        waiting += reversed(list(members(node).values()) or items(node))


def _decoded(data: bytes) -> tuple[str, list[Fault]]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace"), []
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(), []
    except UnicodeDecodeError as wrong:
        before = data[: wrong.start]
        line = before.count(b"\n") + 1
        column = len(before) - before.rfind(b"\n")
        return data.decode(errors="replace"), [Fault("the file is not UTF-8", line, column)]


def _unreadable(text: str, position: int, reason: str) -> Fault:
    before = text.encode()[:position].decode(errors="replace")
    return Fault(reason, before.count("\n") + 1, len(before) - before.rfind("\n"))


class _Open(msgspec.Struct):
    """A collection that has begun and not ended."""

    node: Sequence | Mapping
    anchor: str | None
    key: Node | None = None
    own: set[str] = set()
    """The keys of a mapping itself; they win over merged ones."""


class _Composer:
    """Makes nodes of events; a loop, since nesting is the sender's choice."""

    def __init__(
        self, merges: bool, splices: bool, repeats: bool, faults: list[Fault], path: str | None
    ) -> None:
        self.roots: list[Node] = []
        self._merges = merges
        self._splices = splices
        self._repeats = repeats
        self._faults = faults
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._unfinished: set[str] = set()
        self._count = 0
        self._path = path

    def take(self, event: Event) -> None:
        """Add an event of the parser. Raises Fault for a wrong alias or beyond a limit."""
        mark = cast(yaml.Mark, event.start_mark)  # The parser gives every event its place.
        if isinstance(event, ScalarEvent):
            is_null = not event.style and event.value in _NULLS
            node = Scalar(
                event.value,
                is_null,
                event.tag,
                mark.line + 1,
                mark.column + 1,
                event.style in _BLOCKS,
                path=self._path,
            )
            self._finish(node, event.anchor, mark)
        elif isinstance(event, _ENDS):
            done = self._open.pop()
            self._unfinished.discard(done.anchor or "")
            self._finish(done.node, done.anchor, mark)
        elif isinstance(event, MappingStartEvent):
            into = Mapping(event.tag, mark.line + 1, mark.column + 1, path=self._path)
            self._begin(into, event.anchor, mark)
        elif isinstance(event, SequenceStartEvent):
            among = Sequence(event.tag, mark.line + 1, mark.column + 1, path=self._path)
            self._begin(among, event.anchor, mark)
        elif isinstance(event, AliasEvent):
            self._add(self._named(event, mark), mark)
        elif isinstance(event, DocumentStartEvent):
            self._anchors = {}

    def _begin(self, node: Sequence | Mapping, anchor: str | None, mark: yaml.Mark) -> None:
        if len(self._open) >= DEPTH_MAX:
            raise _at(mark, "the file is nested too deeply")
        if anchor is not None:
            self._unfinished.add(anchor)
        self._open.append(_Open(node, anchor))

    def _finish(self, node: Node, anchor: str | None, mark: yaml.Mark) -> None:
        self._count += 1
        if self._count > NODES_MAX:
            raise _at(mark, f"the file has more than {NODES_MAX} values")
        if anchor is not None:
            self._anchors[anchor] = node
        self._add(node, mark)

    def _named(self, event: AliasEvent, mark: yaml.Mark) -> Node:
        anchor = event.anchor or ""
        if anchor in self._unfinished:
            raise _at(mark, f"the alias *{anchor} refers to itself")
        if anchor not in self._anchors:
            raise _at(mark, f"the alias *{anchor} names nothing")
        return self._anchors[anchor]

    def _add(self, node: Node, mark: yaml.Mark) -> None:
        if not self._open:
            if not (isinstance(node, Scalar) and node.is_null):
                self.roots.append(node)
            return
        into = self._open[-1]
        into.node.size += node.size
        if into.node.size > EXPANDED_MAX:
            raise _at(mark, "the aliases of the file expand to too much")
        if isinstance(into.node, Sequence):
            spliced = node.spliced if isinstance(node, Mapping) else []
            into.node.items += spliced or [node]
        elif into.key is None:
            into.key = node
            self._check_key(into, node, mark)
        else:
            self._add_member(into.node, into.key, node, mark)
            into.key = None

    def _check_key(self, into: _Open, key: Node, mark: yaml.Mark) -> None:
        if not isinstance(key, Scalar):
            self._fault(mark, "a key is not text")
        elif key.text in into.own and not self._repeats and not self._is_merge(key):
            self._fault(mark, f"the key {key.text[:100]!r} is a duplicate")
        else:
            into.own.add(key.text)

    def _add_member(self, into: Mapping, key: Node, value: Node, mark: yaml.Mark) -> None:
        if not isinstance(key, Scalar):
            return
        if not self._is_merge(key):
            if key.text in into.keys:
                into.earlier.append((key.text, into.members[key.text]))
            into.members[key.text] = value
            into.keys[key.text] = (key.line, key.column)
            return
        sources = value.items if isinstance(value, Sequence) else [value]
        if self._splices and not any(isinstance(other, Mapping) for other in sources):
            into.spliced += sources
            return
        for source in sources:
            if not isinstance(source, Mapping):
                self._fault(mark, "a merge of something that is not a mapping")
            for name, member in members(source).items():
                into.members.setdefault(name, member)

    def _is_merge(self, key: Scalar) -> bool:
        return self._merges and key.text == _MERGE

    def _fault(self, mark: yaml.Mark, reason: str) -> None:
        if len(self._faults) < _FAULTS_MAX:
            self._faults.append(_at(mark, reason))


def _at(mark: yaml.Mark, reason: str) -> Fault:
    return Fault(reason, mark.line + 1, mark.column + 1)
