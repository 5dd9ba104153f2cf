"""What the rules for frameworks are given."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.notes import Note, Noted, Proof, texts
from stationmaster.reading.code.languages.source import Arguments, Source, arguments, line_of
from stationmaster.reading.code.model import FileFacts, Mark, Symbol

_LAST = re.compile(r"\.|\\|::")


class Field(NamedTuple):
    """A field of a class, or a parameter that makes one."""

    name: str
    type: str
    line: int
    notes: Mapping[str, Note]


class Called(NamedTuple):
    """A call. `given` is the list of its arguments, `node` all of it with the blocks it is given;
    `caller` the symbol around it."""

    name: str
    of: str
    node: Node
    given: Node | None
    caller: str

    @property
    def line(self) -> int:
        """The line of its arguments, or of the call where it has no list of them."""
        return line_of(self.given or self.node)


class Unit(NamedTuple):
    """One file."""

    source: Source
    facts: FileFacts
    noted: Sequence[Noted]
    called: Sequence[Called]
    fields: Callable[[Node], list[Field]]
    proof: Proof
    by_name: Mapping[str, Sequence[tuple[Noted, Note]]]
    """Declarations by the simple names of their annotations."""

    def marked(self, packages: Mapping[str, Sequence[str]]) -> Iterator[tuple[Noted, Note, str]]:
        """Declarations that have one of these annotations, each of one of its packages."""
        found = [
            (each, note, name)
            for name in packages
            for each, note in self.by_name.get(name, ())
            if self.proof.of(note.written, packages[name])
        ]
        found.sort(key=lambda each: each[0].node.start_byte)
        yield from found

    def arguments(self, call: Called) -> Arguments:
        """The arguments of a call, by place and by name."""
        return arguments(self.source, call.given)

    def text(self, call: Called, *keys: int | str) -> str:
        """The text that a call is given; '' without one."""
        return next(iter(texts(self.source, self.arguments(call).get(*keys))), "")

    def classes(self, *bases: str) -> Iterator[tuple[Symbol, str]]:
        """Classes that say one of these as what they extend, and what they say."""
        for symbol in self.facts.symbols:
            for base in symbol.bases:
                if _LAST.split(base.partition("<")[0])[-1] in bases:
                    yield symbol, base

    def marks(self, name: str) -> tuple[Mark, ...]:
        """The file's remarks, and what an annotation says is old."""
        old = [
            Mark("deprecated", note.line, each.qualified)
            for each, note in self.by_name.get(name, ())
        ]
        return tuple(sorted((*self.facts.marks, *old), key=lambda each: each.line))


def unit(
    source: Source,
    facts: FileFacts,
    noted: Sequence[Noted],
    called: Sequence[Called],
    fields: Callable[[Node], list[Field]],
    proof: Proof,
) -> Unit:
    """A Unit of these parts, its declarations indexed by the simple names of annotations."""
    by_name: dict[str, list[tuple[Noted, Note]]] = defaultdict(list)
    for each in noted:
        for name, note in each.notes.items():
            by_name[name].append((each, note))
    return Unit(source, facts, noted, called, fields, proof, by_name)
