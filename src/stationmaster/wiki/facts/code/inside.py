"""What the files of a module declare, by the pages of interfaces that list it, and its
components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from stationmaster.reading.code.components import LANGUAGES
from stationmaster.reading.code.model import INNER
from stationmaster.wiki.facts.code.interfaces import jobs_in
from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.model import Facts, query

COMPONENTS_MIN = 4
_WITHOUT_TABLE = frozenset({"change", "base", "unproven", "history", "joint"})
"""Kinds of entities that are no table by themselves."""


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


@query
def components(facts: Facts, key: str) -> tuple[str, ...]:
    """The files of a module that are components, such as those of Vue, where most are."""
    files = module(facts, key).files
    own = tuple(it for it in files if facts.records[it].language in LANGUAGES)
    return own if len(own) >= COMPONENTS_MIN and 2 * len(own) > len(files) else ()
