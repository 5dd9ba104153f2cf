"""The words of a program's names, and which symbols they lead to."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.ranks import importance
from stationmaster.wiki.facts.code.symbols import TYPES, is_sample, only_for_tests, suites
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.searching import words

_CALLED = frozenset({"function", "method", "constructor"})
_WEIGHTS = {"type": 1.5, "function": 1.0, "method": 0.6}
_SAMPLE_SHARE = 0.2
"""What counts of code that demonstrates the product."""
_BY_FILE, _BY_BOTH = 0.5, 1.2
"""The weight of a word of the file's name, and of one of both names; one of the symbol's own name
has 1."""
_MENTIONED = 6.0
"""What it counts that a document names a symbol as code."""
_MIGRATION = re.compile(r"(?:^|/)(?:\w*migrations?|db/migrate)/", re.IGNORECASE)
_SYMBOLS_MAX = 40_000
_BEGINNING_MIN = 5
_CODE = re.compile(r"[_.]|[A-Z]")
"""What distinguishes names from plain words."""
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
"""The end of a stem whose ending was removed, as of `scanner`."""
_IE = re.compile(r"ie$")
"""The end of `cookie`, whose plural is like that of words with a `y`."""
_SHORT = {words.stem(long): short for short, long in map(str.split, english().short)}
_SHARED_MAX = 4
"""Symbols of one name, beyond which the name means none of them."""


class Hit(NamedTuple):
    """A symbol, and how well it matches the words."""

    spot: Spot
    symbol: Symbol
    score: float


class Vocabulary(NamedTuple):
    """The words of names. `symbols` have a number and a weight; `by_stem` has the numbers of the
    symbols whose names contain a stem, with its weight there; `files` the number of files in which
    a stem occurs."""

    symbols: Sequence[tuple[Spot, Symbol, float]]
    by_stem: Mapping[str, Sequence[tuple[int, float]]]
    by_name: Mapping[str, Sequence[int]]
    files: Mapping[str, int]
    size: int

    def rarity(self, stem: str) -> float:
        """The rarity of a stem: 0 where all files have it."""
        return math.log((1 + self.size) / (1 + self.files.get(stem, 0)))

    def known(self, stem: str) -> str:
        """The stem itself, or its longest prefix that occurs in names: `config` of `configur`."""
        lengths = range(len(stem), min(_BEGINNING_MIN, len(stem)) - 1, -1)
        return next((stem[:end] for end in lengths if stem[:end] in self.files), stem)

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

    def find(self, stems: Iterable[str], mentioned: Iterable[str] = ()) -> list[Hit]:
        """The symbols that match words and names, the best first."""
        scores: dict[int, float] = defaultdict(float)
        for stem in dict.fromkeys(map(self.known, stems)):
            rarity = self.rarity(stem)
            for number, share in self.by_stem.get(stem, ()):
                scores[number] += rarity * share
        for numbers in dict.fromkeys(map(self.meant, mentioned)):
            for number in numbers:
                scores[number] += _MENTIONED / len(numbers)
        hits = [
            Hit(self.symbols[number][0], self.symbols[number][1],
                round(score * self.symbols[number][2], 6))
            for number, score in scores.items()
        ]  # fmt: skip
        hits.sort(key=lambda hit: (-hit.score, hit.spot.path, hit.symbol.line, hit.spot.name))
        return hits


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
    symbols: list[tuple[Spot, Symbol, float]] = []
    by_stem: dict[str, dict[int, float]] = defaultdict(dict)
    by_name: dict[str, list[int]] = defaultdict(list)
    files: dict[str, set[str]] = defaultdict(set)
    paths = [path for path in facts.code if _is_product(facts, path)]
    for path in paths:
        folder, _, own = path.rpartition("/")
        of_file = stems_of(own.partition(".")[0]) + stems_of(folder.rpartition("/")[2])
        for stem in of_file:
            files[stem].add(path)
        by_file = 0.5 + 0.05 * importance(facts, path)
        code = facts.code[path]
        tests = only_for_tests(facts, path)
        holding = {symbol.container for symbol in code.symbols}
        for symbol in code.symbols:
            kind = kind_of(symbol) or ("type" if _is_named_type(symbol, holding) else "")
            if not kind or symbol.qualified in tests or len(symbols) >= _SYMBOLS_MAX:
                continue
            number = len(symbols)
            size = 1 + math.log1p(symbol.end - symbol.line) / 8
            spot = Spot(path, symbol.qualified)
            weight = by_file * _WEIGHTS[kind] * size * (_SAMPLE_SHARE if is_sample(spot) else 1)
            symbols.append((spot, symbol, weight))
            for stem in of_file:
                by_stem[stem][number] = _BY_FILE
            for stem in stems_of(symbol.name):
                files[stem].add(path)
                by_stem[stem][number] = _BY_BOTH if stem in of_file else 1.0
            for name in {symbol.name, symbol.qualified}:
                by_name[name].append(number)
    return Vocabulary(
        symbols, {stem: list(rows.items()) for stem, rows in by_stem.items()}, by_name,
        {stem: len(rows) for stem, rows in files.items()}, len(paths),
    )  # fmt: skip


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
    return is_source and not _MIGRATION.search(path) and path not in suites(facts)
