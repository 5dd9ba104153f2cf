"""Modules that use each other, by the imports of their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from stationmaster.wiki.facts.code.links import Link, all_links
from stationmaster.wiki.facts.code.modules import module, module_of
from stationmaster.wiki.facts.code.ranks import by_importance
from stationmaster.wiki.facts.code.symbols import own_files
from stationmaster.wiki.facts.model import Facts, query

_FIRM = frozenset({"module", "reexport", "include"})


class Use(msgspec.Struct, frozen=True, array_like=True):
    """One module uses the module `key`, or is used by it, such as in `path` at `line`. `weight` is
    in hundredths of a plain import."""

    key: str
    weight: int
    path: str
    line: int


class Way(msgspec.Struct, frozen=True, array_like=True):
    """From the module that imports to the one that is imported, with the weight in hundredths.
    `is_firm`: some of the imports run when a file is loaded."""

    start: str
    end: str
    weight: int
    is_firm: bool


def is_firm(link: Link) -> bool:
    """Does an import run when its file is loaded, and name the file or package that it leads to?
    Types, names without an import, imports inside functions and of whole namespaces do not."""
    return link.kind in _FIRM and (link.weight >= 1 or link.end.endswith(".go"))


@query
def uses(facts: Facts, key: str) -> tuple[Use, ...]:
    """What a module uses, the heaviest first."""
    return _sorted(
        _use(end, links) for (start, end), links in _edges(facts).items() if start == key
    )


@query
def used_by(facts: Facts, key: str) -> tuple[Use, ...]:
    return _sorted(
        _use(start, links) for (start, end), links in _edges(facts).items() if end == key
    )


@query
def edges(facts: Facts) -> tuple[Way, ...]:
    """The edges between all modules."""
    return tuple(
        Way(*pair, _use("", links).weight, any(map(is_firm, links)))
        for pair, links in _edges(facts).items()
    )


@query
def key_files(facts: Facts, key: str) -> tuple[str, ...]:
    """The files of a module, those that matter most first."""
    return tuple(by_importance(facts, own_files(facts, key)))


@query
def _edges(facts: Facts) -> Mapping[tuple[str, str], list[Link]]:
    """Imports between modules, by both modules."""
    edges: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for path, links in all_links(facts).out.items():
        start = module_of(facts, path)
        is_own = start and path in own_files(facts, start)
        for link in links if is_own else ():
            end = module_of(facts, link.end)
            if end and end != start and not (link.is_whole and _is_piece(facts, end)):
                edges[start, end].append(link)
    return {pair: edges[pair] for pair in sorted(edges)}


def _is_piece(facts: Facts, key: str) -> bool:
    """Is a module only some of the files of a folder, by how their names begin?"""
    return module(facts, key).path.endswith("*")


def _use(key: str, links: list[Link]) -> Use:
    first = max(links, key=lambda it: (it.weight, it.start, it.line))
    weight = round(100 * sum(link.weight for link in links))
    return Use(key, weight, first.start, first.line)


def _sorted(uses: Iterable[Use]) -> tuple[Use, ...]:
    return tuple(sorted(uses, key=lambda use: (-use.weight, use.key)))
