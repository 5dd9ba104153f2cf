"""Which pages of interfaces tell what the files of a module declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.model import Facts, query


@query
def inside(facts: Facts, key: str) -> Mapping[str, int]:
    """How many routes, commands, settings, tables, jobs and beginnings of programs the files of a
    module declare, by the page that has all of them."""
    counts: Counter[str] = Counter()
    for said in (facts.code[path] for path in module(facts, key).files if path in facts.code):
        counts["api/http"] += len(said.routes)
        counts["cli"] += sum(bool(it.words) for it in said.commands)
        counts["configuration"] += len(said.settings)
        counts["data-model"] += sum(
            it.kind not in ("change", "base", "joint") for it in said.entities
        )
        counts["jobs-and-events"] += len(said.jobs)
        counts["architecture"] += len(said.entries)
    return +counts
