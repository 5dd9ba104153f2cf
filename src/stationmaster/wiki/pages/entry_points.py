"""Every way into the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stationmaster.reading.code.model import EntryKind
from stationmaster.wiki.facts import contracts, routes, work
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.pages.contents import module_link
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Place, code, joined, md
from stationmaster.wiki.text.page import Page

KEY = "entry-points"
FACTS_MIN = 2
_KINDS: Mapping[EntryKind, str] = {
    "main": "Programs", "server": "Servers", "app": "Applications", "handler": "Handlers",
    "script": "Scripts",
}  # fmt: skip


def plan(facts: Facts) -> Iterator[Planned]:
    others = sum(map(bool, (routes.endpoints(facts), work.commands(facts), work.jobs(facts))))
    if len(work.begins(facts)) + others >= FACTS_MIN:
        yield Planned(KEY, "Entry points", _write)


@query
def ways(facts: Facts) -> tuple[tuple[str, str, int], ...]:
    """Lists of ways in that have pages of their own: what they are, the page, how many."""
    return (
        ("HTTP routes", "api/http",
         len(routes.endpoints(facts)) or len(contracts.operations(facts))),
        ("GraphQL operations", "api/graphql", len(contracts.asked(facts))),
        ("remote calls", "api/rpc",
         sum(len(each.service.rpcs) for each in contracts.services(facts))),
        ("commands", "cli", len(work.commands(facts))),
        ("jobs and events", "jobs-and-events", len(work.jobs(facts))),
    )  # fmt: skip


def _write(page: Page, facts: Facts, _: None) -> None:
    found = work.begins(facts)
    told = [md("{} {}", count, page.link(key, name)) for name, key, count in ways(facts) if count]
    if found:
        told.insert(0, md("{} {} where programs begin", len(found),
                          "place" if len(found) == 1 else "places"))  # fmt: skip
    page.summary(md("{}.", joined(told, last=" and ")))
    for kind, title in _KINDS.items():
        of_kind = [each for each in found if each.kind == kind]
        if not of_kind:
            continue
        page.section(title)
        head = ["Name", "Where", "Calls first", "Module"]
        rows = [
            [code(each.name), page.cite(Place(each.path, each.line, each.end)),
             joined([code(name) for name in each.first]), module_link(page, facts, each.path)]
            for each in of_kind
        ]  # fmt: skip
        page.table(head, rows)
    page.see("architecture", "api/library", *(key for _, key, count in ways(facts) if count))
