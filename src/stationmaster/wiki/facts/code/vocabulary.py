"""The words of a program's names, and which symbols they lead to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.symbols import TYPES, only_for_tests, suites
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.searching import words

_CALLED = frozenset({"function", "method", "constructor"})
_MIGRATION = re.compile(r"(?:^|/)(?:\w*migrations?|db/migrate)/", re.IGNORECASE)
_SYMBOLS_MAX = 40_000
_CODE = re.compile(r"[_.]|[A-Z]")
"""What distinguishes names from plain words."""
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
"""The end of a stem whose ending was removed, as of `scanner`."""
_IE = re.compile(r"ie$")
"""The end of `cookie`, whose plural is like that of words with a `y`."""
_SHORT = {words.stem(long): short for short, long in map(str.split, english().short)}
_SHARED_MAX = 4
"""Symbols of one name, beyond which the name means none of them."""


class Vocabulary(NamedTuple):
    """The symbols of source files, and their numbers by their names and qualified names."""

    symbols: Sequence[tuple[Spot, Symbol]]
    by_name: Mapping[str, Sequence[int]]

    def meant(self, words: str) -> tuple[int, ...]:
        """The symbols that a word of code such as `~shop.Cart.add()` names; () for plain words and
        for names that many symbols have."""
        names = words.strip("~!&*").partition("(")[0].replace("::", ".").split(".")
        for some in (names[-2:], names[-1:]):
            name = ".".join(some)
            numbers = self.by_name.get(name, ())
            if 0 < len(numbers) <= _SHARED_MAX and (_CODE.search(name) or words.endswith("()")):
                return tuple(numbers)
        return ()

    def find(self, stems: Iterable[str], mentioned: Iterable[str]) -> list[tuple[Spot, Symbol]]:
        """The symbols that words of code name, then those with most of these stems in their names,
        types first."""
        wanted = {*stems}
        counts = {
            number: len(wanted & {*stems_of(symbol.name)})
            for number, (_, symbol) in enumerate(self.symbols)
        }
        numbers = dict.fromkeys(number for name in mentioned for number in self.meant(name))
        order = sorted(
            (number for number, count in counts.items() if count),
            key=lambda it: (-counts[it], kind_of(self.symbols[it][1]) != "type", it),
        )
        return [self.symbols[it] for it in dict.fromkeys((*numbers, *order))]


_TIMED_OUT = re.compile(r"(?i)timed?[ _-]?out")
"""One word, however it is written."""


@lru_cache(50_000)
def stems_of(name: str) -> tuple[str, ...]:
    """The stems of the words of an identifier or title."""
    stems: dict[str, None] = {}
    for run in words.runs(_TIMED_OUT.sub("timeout", name)):
        for part in parts_of(run[0]):
            if len(part) > 2:
                stems[stem_of(part)] = None
    return tuple(stems)


def parts_of(run: str) -> tuple[str, ...]:
    """The words of a run of letters; one with a letter behind it, as `StatsD`, is a name."""
    whole, *parts = words.of_run(run) or ("",)
    is_name = len(parts) == 2 and len(parts[1]) == 1 and parts[1].isalpha()
    return (whole,) if is_name or not parts else tuple(parts)


@lru_cache(50_000)
def stem_of(word: str) -> str:
    """The beginning that `scan`, `scans`, `scanned` and `scanner` share; of a short word itself."""
    one = _IE.sub("y", singular(word))
    stem = _DOUBLED.sub(r"\1", words.stem(one)) or one
    return _SHORT.get(stem, stem)


@query
def vocabulary(facts: Facts) -> Vocabulary:
    """The vocabulary of source files. Used by other queries only: it changes with every name."""
    symbols: list[tuple[Spot, Symbol]] = []
    by_name: dict[str, list[int]] = defaultdict(list)
    for path in (it for it in facts.code if _is_product(facts, it)):
        tests = only_for_tests(facts, path)
        holding = {symbol.container for symbol in facts.code[path].symbols}
        for symbol in facts.code[path].symbols:
            is_named = kind_of(symbol) or _is_named_type(symbol, holding)
            if is_named and symbol.qualified not in tests and len(symbols) < _SYMBOLS_MAX:
                for name in {symbol.name, symbol.qualified}:
                    by_name[name].append(len(symbols))
                symbols.append((Spot(path, symbol.qualified), symbol))
    return Vocabulary(symbols, by_name)


def kind_of(symbol: Symbol) -> str:
    """`type`, `function` or `method`; '' for what explains nothing by itself."""
    if symbol.kind in TYPES:
        return "type" if symbol.end > symbol.line else ""
    if symbol.kind not in _CALLED or symbol.end - symbol.line < 2:
        return ""
    return "method" if symbol.container else "function"


def _is_named_type(symbol: Symbol, holding: Collection[str]) -> bool:
    """Is it a type of one line that has methods, as `type Condition string` in Go?"""
    return symbol.kind in TYPES and symbol.qualified in holding


def _is_product(facts: Facts, path: str) -> bool:
    """Is a file source of the product that is neither a migration nor a suite? Migrations are the
    history of a database and explain nothing of what runs."""
    is_source = facts.records[path].file_class == "source" and not path.startswith(".")
    is_apart = path in suites(facts) or folder_of(path) in _only_tried(facts)
    return is_source and not _MIGRATION.search(path) and not is_apart


@query
def _only_tried(facts: Facts) -> frozenset[str]:
    """The folders of Go that are closed to other projects and that only tests import."""
    tried, used = set[str](), set[str]()
    for path, links in all_links(facts).into.items():
        folder = folder_of(path)
        if path.endswith(".go") and "internal" in folder.split("/"):
            starts = [it.start for it in links if folder_of(it.start) != folder]
            is_tried = [facts.records[it].file_class == "test" for it in starts]
            tried |= {folder} if any(is_tried) else set()
            used |= {folder} if not all(is_tried) else set()
    return frozenset(tried - used)
