"""Arguments of calls in Ruby, and routes of Sinatra and Grape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.source import Source, child, inside
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Route

_ARRAYS = frozenset({"array", "string_array", "symbol_array"})


class Given(NamedTuple):
    """The arguments of a call by place, and by key in their order."""

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
            name, value = child(pair, "key"), child(pair, "value")
            if name is not None and value is not None:
                yield self.source.text(name).strip(":'\""), word(self.source, value)


def given(source: Source, call: Called) -> Given:
    """The arguments of a call, without comments and block arguments; keys lose their colons."""
    placed: list[Node] = []
    keys: list[tuple[str, Node]] = []
    texts: set[str] = set()
    for node in inside(call.listed):
        if node.type == "pair":
            key, value = child(node, "key"), child(node, "value")
            if key is not None and value is not None:
                text = source.literal(key) if key.type == "string" else None
                keys.append((source.text(key).strip(":") if text is None else text, value))
                texts |= {text} if text is not None else set()
        elif node.type not in ("comment", "block_argument"):
            placed.append(node)
    return Given(source, tuple(placed), tuple(keys), frozenset(texts))


def words(source: Source, node: Node | None) -> list[str]:
    """The texts and symbols of a value: one, or those of a list."""
    return [] if node is None else [*_words(source, node)]


def word(source: Source, node: Node | None) -> str:
    """The first text or symbol of a value, '' without one."""
    return next(iter(words(source, node)), "")


def _words(source: Source, node: Node) -> Iterator[str]:
    for named_child in node.named_children if node.type in _ARRAYS else (node,):
        if named_child.type in ("simple_symbol", "bare_symbol", "bare_string", "hash_key_symbol"):
            yield source.text(named_child).strip(":")
        elif (word := source.literal(named_child)) is not None:
            yield word


def has_block(call: Called) -> bool:
    """True for a call with a block, in braces or `do`."""
    return child(call.node, "block") is not None


_VERBS = code.words("ruby.routes.sinatra_methods")
_GROUPS = code.names("ruby.routes.sinatra_groups")
CALLS = frozenset({*_VERBS, *_GROUPS, "prefix"})


def routes(unit: Unit) -> Iterator[Route]:
    """The routes in classes of Sinatra and Grape, and at top level where Sinatra is required."""
    sinatra = {
        symbol.qualified
        for symbol, base in unit.classes("Base", "Application")
        if base.startswith(("Sinatra::", "::Sinatra::"))
    }
    grape = {
        symbol.qualified
        for symbol, base in unit.classes("API", "Instance")
        if base.startswith(("Grape::", "::Grape::"))
    }
    if any(import_.name == "sinatra" for import_ in unit.imports):
        sinatra.add("")
    if sinatra or grape:
        yield from _walk(unit, sinatra, grape)


def _walk(unit: Unit, sinatra: set[str], grape: set[str]) -> Iterator[Route]:
    around: list[tuple[int, str]] = []
    prefixes: dict[str, str] = {}
    for call in sorted(unit.called, key=lambda it: (it.node.start_byte, -it.node.end_byte)):
        while around and around[-1][0] <= call.node.start_byte:
            around.pop()
        if call.on or call.caller not in sinatra | grape or call.name not in CALLS:
            continue
        args = given(unit, call)
        text = args.word(0)
        path = around[-1][1] if around else prefixes.get(call.caller, "")
        if call.name == "prefix":
            prefixes[call.caller] = text
        elif not has_block(call):
            continue
        elif call.name in _GROUPS:
            step = f":{text}" if call.name == "route_param" else text
            around.append((call.node.end_byte, f"{path}/{step.strip('/')}"))
        elif text or call.caller in grape:
            framework = "Grape" if call.caller in grape else "Sinatra"
            yield Route(
                _VERBS[call.name], joined(path, text), call.line, call.caller, framework=framework
            )
