"""What the files of a module declare: its types by their names, and the pages of interfaces that
list the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from stationmaster.catalogue import lists
from stationmaster.reading.code.components import LANGUAGES
from stationmaster.reading.code.languages.inflections import plural, singular
from stationmaster.reading.code.model import INNER, Symbol
from stationmaster.wiki.facts.code.interfaces import jobs_in
from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.code.symbols import TYPES, only_for_tests, own_files
from stationmaster.wiki.facts.model import Facts, query

ALIKE_MIN, SHARE_MIN = 4, 0.1
"""Types of one kind that are counted, and their share of all."""
_LAST = re.compile(r"[A-Z][a-z]{2,30}$")
_GENERAL = lists.words("no-idea") | lists.words("no-subject")
_WITHOUT_TABLE = frozenset({"change", "base", "unproven", "history", "joint"})
"""Kinds of entities that are no table by themselves."""
_BY_FILE = frozenset({"Command", "Migration"})
"""Names of classes of Django that the names of their files tell apart."""


@query
def inside(facts: Facts, key: str) -> Mapping[str, int]:
    """The number of routes, commands, settings, tables, jobs and programs that the files of a
    module declare, by the page that lists them."""
    counts: Counter[str] = Counter()
    for path in module(facts, key).files:
        if path not in facts.code:
            continue
        code = facts.code[path]
        counts["api/http"] += len(code.routes)
        counts["cli"] += sum(bool(it.words) for it in code.commands)
        counts["configuration"] += sum(not it.name.startswith(INNER) for it in code.settings)
        counts["data-model"] += sum(it.kind not in _WITHOUT_TABLE for it in code.entities)
        counts["jobs-and-events"] += len(jobs_in(facts, path))
        counts["architecture"] += len(code.entries)
    return +counts


def _types(facts: Facts, key: str) -> Sequence[Symbol]:
    """The types of a module that are not nested, the longest first."""
    types = [
        symbol
        for path in own_files(facts, key)
        if path in facts.code
        for symbol in facts.code[path].symbols
        if symbol.kind in TYPES
        and not symbol.container
        and symbol.qualified not in only_for_tests(facts, path)
    ]
    return sorted(types, key=lambda it: (it.line - it.end, it.name))


def _without_twins(types: Sequence[Symbol]) -> list[Symbol]:
    """Types without interfaces whose name is an `I` before that of a class."""
    names = {it.name for it in types}
    return [it for it in types if not (it.name.startswith("I") and it.name[1:] in names)]


@query
def kinds(facts: Facts, key: str) -> tuple[tuple[int, str], ...]:
    """The number of types of a module by the last word of their names, as `24 components`; the
    others last. () where more than a quarter are others."""
    types = _types(facts, key)
    named = (_LAST.search(it.name) for it in _without_twins(types))
    lasts = Counter(match[0].lower() for match in named if match)
    least = max(ALIKE_MIN, SHARE_MIN * len(types))
    rows = [(count, plural(last)) for last, count in lasts.items() if count >= least]
    rows.sort(key=lambda row: (-row[0], row[1]))
    left = len(types) - sum(count for count, _ in rows)
    if not rows or 4 * left > len(types):
        return ()
    return (*rows, (left, "other types" if left > 1 else "other type")) if left else tuple(rows)


@query
def components(facts: Facts, key: str) -> tuple[str, ...]:
    """The files of a module that are components, such as those of Vue, where most are."""
    files = module(facts, key).files
    own = tuple(it for it in files if facts.records[it].language in LANGUAGES)
    return own if len(own) >= ALIKE_MIN and 2 * len(own) > len(files) else ()


@query
def largest(facts: Facts, key: str) -> tuple[str, ...]:
    """The names of the types that a module has for others, the longest first and those last that
    any module may have; without those that a framework finds by the name of their file."""
    names = (it.name for it in _without_twins(_types(facts, key)) if it.is_public)
    own = dict.fromkeys(it for it in names if it not in _BY_FILE)
    return tuple(sorted(own, key=lambda name: singular(name.lower()) in _GENERAL))
