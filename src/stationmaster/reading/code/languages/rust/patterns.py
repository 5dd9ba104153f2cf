"""Names that patterns bind in Rust: a call on `cmd` in the arm `Some(cmd)` of `match args.command`
is one on `args.command`, and in the arm `Command::Run(cmd)` on the content of that variant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.source import Source, child, line_of
from stationmaster.reading.code.model import Call

_WRAPPERS = frozenset({"Some", "Ok"})
_WITHIN = {"match_arm": "", "if_expression": "consequence", "while_expression": "body"}
"""What a pattern is part of, and the field of that in which its names hold, '' for all of it."""
_LEVELS_MAX = 12


class _Bound(NamedTuple):
    """From `first` to `last`, `name` refers to `words`; '' where that is not certain."""

    first: int
    last: int
    name: str
    words: str


def followed(
    source: Source, nodes: Iterable[Node], calls: Iterable[Call], enums: Collection[str] = ()
) -> tuple[Call, ...]:
    """The calls with their real receivers where a pattern among `nodes` binds the name. `enums` are
    those whose variants the file uses by their names alone."""
    only = next(iter(enums)) if len(enums) == 1 else ""
    bound: dict[str, list[_Bound]] = {}
    for node in _bound(source, nodes, only):
        bound.setdefault(node.name, []).append(node)
    return tuple(_followed(call, bound) for call in calls) if bound else tuple(calls)


def _followed(call: Call, bound: dict[str, list[_Bound]]) -> Call:
    name, sign, rest = call.of.partition(".")
    around = [it for it in bound.get(name, ()) if it.first <= call.line <= it.last]
    if not around:
        return call
    nearest = max(around, key=lambda it: (it.first, -it.last))
    alike = {it.words for it in around if (it.first, it.last) == (nearest.first, nearest.last)}
    words = f"{nearest.words}{sign}{rest}" if nearest.words and len(alike) == 1 else ""
    return replace(call, of=words) if words else call


def _bound(source: Source, nodes: Iterable[Node], enum: str) -> Iterator[_Bound]:
    for node in nodes:
        kind, *parts = node.named_children
        name = _name(source, parts[0]) if len(parts) == 1 else ""
        if not name:
            continue
        within, value, is_whole = _around(node)
        if within is None:
            continue
        words = source.text(kind)
        if words in _WRAPPERS:
            words = receiver(source, value).lstrip("&*").removeprefix("mut ") if is_whole else ""
        elif "::" not in words:
            words = f"{enum}::{words}" if enum else ""
        yield _Bound(line_of(node), within.end_point[0] + 1, name, words)


def _name(source: Source, node: Node) -> str:
    """The bound name, without `ref` and `mut`."""
    while node.type in ("ref_pattern", "mut_pattern", "reference_pattern") and node.named_children:
        node = node.named_children[-1]
    return source.text(node) if node.type == "identifier" else ""


def _around(node: Node) -> tuple[Node | None, Node | None, bool]:
    """The scope of a pattern's names, what is matched, and whether the pattern is all that it is
    matched with."""
    value, is_whole = node.parent, False
    below, at = node, node.parent
    for _ in range(_LEVELS_MAX):
        if at is None:
            break
        if at.type in ("match_pattern", "let_condition", "let_declaration") and below == node:
            is_whole = True
        if at.type in ("let_condition", "let_declaration"):
            value = child(at, "value")
        if at.type == "let_declaration":
            return at.parent, value, is_whole
        if at.type in _WITHIN:
            if at.type == "match_arm" and at.parent and at.parent.parent:
                value = child(at.parent.parent, "value")
            field = _WITHIN[at.type]
            return (child(at, field) if field else at), value, is_whole
        below, at = at, at.parent
    return None, None, False
