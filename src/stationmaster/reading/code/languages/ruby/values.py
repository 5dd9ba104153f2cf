"""What calls of Ruby are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, inside, literal
from stationmaster.reading.code.languages.tagged import Called

_ARRAYS = frozenset({"array", "string_array", "symbol_array"})


class Given(NamedTuple):
    """Values by place, and by key in their order."""

    source: Source
    at: tuple[Node, ...]
    keys: tuple[tuple[str, Node], ...]
    texts: frozenset[str]
    """The keys that are texts, not symbols."""

    def word(self, *keys: int | str) -> str:
        """The first text or symbol at the first of these places or keys; '' without one."""
        return next(iter(self.words(*keys)), "")

    def words(self, *keys: int | str) -> list[str]:
        """The texts and symbols at the first of these places or keys: one, or those of a list."""
        return words(self.source, self.get(*keys))

    def get(self, *keys: int | str) -> Node | None:
        """The value at the first of these places or keys that is there; None without one."""
        placed = (self.at[key] for key in keys if isinstance(key, int) and key < len(self.at))
        return next(placed, None) or next((node for key, node in self.keys if key in keys), None)

    def pairs(self, key: str) -> Iterator[tuple[str, str]]:
        """The keys and texts of the hash at a key."""
        node = self.get(key)
        for pair in node.named_children if node is not None and node.type == "hash" else ():
            name, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if name is not None and value is not None:
                yield self.source.text(name).strip(":'\""), word(self.source, value)


def given(source: Source, call: Called) -> Given:
    """The arguments of a call, without comments and block arguments; keys lose their colons."""
    placed: list[Node] = []
    keys: list[tuple[str, Node]] = []
    texts: set[str] = set()
    for node in inside(call.given):
        if node.type == "pair":
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and value is not None:
                text = literal(source, key) if key.type == "string" else None
                keys.append((source.text(key).strip(":") if text is None else text, value))
                texts |= {text} if text is not None else set()
        elif node.type not in ("comment", "block_argument"):
            placed.append(node)
    return Given(source, tuple(placed), tuple(keys), frozenset(texts))


def words(source: Source, node: Node | None) -> list[str]:
    """The texts and symbols that a value says: one, or those of a list."""
    return [] if node is None else [*_words(source, node)]


def word(source: Source, node: Node | None) -> str:
    """The first text or symbol that a value says, '' without one."""
    return next(iter(words(source, node)), "")


def _words(source: Source, node: Node) -> Iterator[str]:
    for named_child in node.named_children if node.type in _ARRAYS else (node,):
        if named_child.type in ("simple_symbol", "bare_symbol", "bare_string", "hash_key_symbol"):
            yield source.text(named_child).strip(":")
        elif (told := literal(source, named_child)) is not None:
            yield told


def has_block(call: Called) -> bool:
    """True for a call with a block, in braces or `do`."""
    return call.node.child_by_field_name("block") is not None
