"""Modules and files that import each other in a circle, and the lightest way out."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.graph import Circle, circles, edges, file_circles
from stationmaster.wiki.facts.links import links_from
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_name
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Place, counted, joined, md
from stationmaster.wiki.text.page import Page

FILES_MAX = 15
MEMBERS_MAX = 30


def plan(facts: Facts) -> Iterator[Planned]:
    if circles(facts) or file_circles(facts):
        yield Planned("cycles", "Cycles", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    modules, files = circles(facts), file_circles(facts)
    page.summary(
        md("{} of modules and {} of files import each other in a circle.",
           _groups(len(modules)).capitalize(), _groups(len(files))),
        "A module is a folder here: a circle of modules need not be one of packages or files.",
        "A cut is an import that few others go along with: without it the circle may open.",
    )  # fmt: skip
    for number, circle in enumerate(modules, 1):
        page.section(f"Modules, circle {number}" if len(modules) > 1 else "Modules")
        _modules(page, facts, circle)
    if files:
        page.section("Files")
    for circle in files[:FILES_MAX]:
        told = [page.cite(Place(path)) for path in circle.members[:MEMBERS_MAX]]
        left = len(circle.members) - len(told)
        page.text(md("{} files: {}{}.", len(circle.members), joined(told),
                     f" and {left} more" if left > 0 else ""))  # fmt: skip
        page.items(_cut(page, facts, start, end) for start, end, _ in circle.cuts[:1])
    if len(files) > FILES_MAX:
        page.text(md("First {} of {} circles of files.", FILES_MAX, len(files)))
    page.see("architecture", "cleanup")


def _groups(count: int) -> str:
    return counted(count, "group") if count else "no group"


def _modules(page: Page, facts: Facts, circle: Circle) -> None:
    names = {key: module_name(facts, key) for key in circle.members}
    inside = [
        Edge(each.start, each.end, "", each.weight)
        for each in edges(facts)
        if each.is_firm and each.start in names and each.end in names
    ]
    drawn = flowchart("Who imports whom in the circle", names, inside)
    if drawn is not None:
        page.diagram(drawn if len(inside) <= MEMBERS_MAX else drawn._replace(alternative=[]))
    page.text(md("Members: {}.", joined([page.link(key, name) for key, name in names.items()])))
    page.items(
        md("Candidate for a cut: {} → {}, {}", names[start], names[end],
           counted(count, "import"))
        for start, end, count in circle.cuts
    )  # fmt: skip


def _cut(page: Page, facts: Facts, start: str, end: str) -> str:
    line = next((each.line for each in links_from(facts, start) if each.end == end), None)
    return md("Candidate for a cut: {} imports {}", page.cite(Place(start, line)),
              page.cite(Place(end)))  # fmt: skip
