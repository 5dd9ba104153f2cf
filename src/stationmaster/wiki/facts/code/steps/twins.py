"""Declarations of one name of which a compiler takes one, such as one for each system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from stationmaster.reading.code.languages import conditional
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.names import beside
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_DIRECTED = (
    ".c",
    ".h",
    ".cc",
    ".cpp",
    ".cxx",
    ".hh",
    ".hpp",
    ".m",
    ".mm",
    ".cs",
    ".swift",
)  # Files with `#if`.


class Twin(msgspec.Struct, frozen=True):
    """A further declaration of a name, and the condition of it."""

    place: Place
    condition: str


@query
def built_if(facts: Facts, path: str) -> str:
    """The condition under which Go builds a file; '' for none, and for other languages."""
    return conditional.of_go(path, facts.tree.text(path)) if path.endswith(".go") else ""


@query
def conditions_of(facts: Facts, path: str) -> Mapping[int, str]:
    """The conditions under which a file declares its symbols, by their lines; where `#if` states
    them, those of symbols of one name only."""
    text, symbols = facts.tree.text(path), facts.code[path].symbols
    if path.endswith(".go"):
        stated = built_if(facts, path)
        return {symbol.line: stated for symbol in symbols} if stated else {}
    counts = Counter(symbol.qualified for symbol in symbols)
    is_directed = path.endswith(_DIRECTED)
    wanted = {it.line for it in symbols if not is_directed or counts[it.qualified] > 1}
    if not wanted or not (path.endswith(".rs") or is_directed):
        return {}
    return conditional.of_lines(path, text.split("\n"), wanted)


def chosen(facts: Facts, path: str, alike: Sequence[Symbol]) -> Sequence[Symbol]:
    """Of symbols of one name with a body those for the system that is shown."""
    conditions = conditions_of(facts, path)
    if not any(it.line in conditions for it in alike):
        return alike
    lines = facts.tree.text(path).split("\n")
    whole = [it for it in alike if "}" in "".join(lines[it.end - 1 : it.end])] or alike
    ranks = [conditional.rank(conditions.get(it.line, "")) for it in whole]
    return [it for it, rank in zip(whole, ranks, strict=True) if rank == min(ranks)]


@query
def twins(facts: Facts, path: str, name: str, line: int) -> tuple[Twin, ...]:
    """What else a file, or a package of Go, declares under other conditions by the name of the
    symbol at a line."""
    own = conditions_of(facts, path).get(line)
    files = beside(facts, folder_of(path)) if path.endswith(".go") else (path,)
    return tuple(
        Twin(Place(file, symbol.line, symbol.end), condition)
        for file in files
        for symbol in facts.code[file].symbols
        if symbol.qualified == name and (file, symbol.line) != (path, line)
        and (condition := conditions_of(facts, file).get(symbol.line, own)) not in (own, None)
    )  # fmt: skip
