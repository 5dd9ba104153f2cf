"""Where most of the work happens: large files that change often, files that change together."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts import history, spots
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, md
from stationmaster.wiki.text.page import Page

COMMITS_MIN = 200
FACTS_MIN = 5
_PAIRS_MAX = 15


def plan(facts: Facts) -> Iterator[Planned]:
    if history.span(facts).commits >= COMMITS_MIN and len(spots.spots(facts)) >= FACTS_MIN:
        yield Planned("hotspots", "Hotspots", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = spots.spots(facts)
    span = history.span(facts)
    page.summary(
        md("Of {} commits between {} and {}, {} changed {}, which has {} lines.", span.commits,
           span.since, span.until, found[0].commits, page.cite(Place(found[0].path)),
           found[0].lines),
    )  # fmt: skip
    page.section("Large files that change often")
    page.text("By the number of commits times the number of lines; a place to read with care before"
              " changing it.")  # fmt: skip
    rows = [
        (page.cite(Place(each.path)), each.commits, each.lines,
         page.link(each.module) if each.module else Md(""))
        for each in found
    ]  # fmt: skip
    page.table(("File", "Commits", "Lines", "Module"), rows)
    _pairs(page, facts)
    _few(page, facts)
    page.see("history", "cleanup", "architecture", "ownership")


def _pairs(page: Page, facts: Facts) -> None:
    pairs = history.together(facts)[:_PAIRS_MAX]
    if pairs:
        page.section("Files of different modules that change together")
        page.text("A hint from the log, no dependency: the share is that of the commits of the file"
                  " that changes less.")  # fmt: skip
        rows = [
            (page.cite(Place(each.one)), page.cite(Place(each.other)), each.commits,
             f"{each.share:.0%}")
            for each in pairs
        ]  # fmt: skip
        page.table(("File", "With", "Commits", "Share"), rows)


def _few(page: Page, facts: Facts) -> None:
    found = spots.few(facts)
    if found:
        page.section("Modules that one person mostly changes")
        rows = [
            (page.link(each.module), each.commits, each.people, f"{each.share:.0%}")
            for each in found
        ]
        page.table(("Module", "Commits", "People", "Share of the one"), rows)
