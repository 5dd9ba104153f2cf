"""Types that are there to be extended: what they ask for, and who extends them."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.code.modules import module_name, module_of
from stationmaster.wiki.facts.interfaces.extensions import Point, extension_points
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import classes
from stationmaster.wiki.text.inline import Place, code, joined, md, with_article
from stationmaster.wiki.text.page import Page

DRAWN_MAX = 5


def plan(facts: Facts) -> Iterator[Planned]:
    if extension_points(facts):
        yield Planned("extension-points", "Extension points", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = extension_points(facts)
    first = found[0]
    page.summary(
        "These are the types that at least three types of the repository extend or implement.",
        md("{} has the most, with {}.", code(first.symbol.qualified),
           len(first.implementations)),
    )  # fmt: skip
    for number, point in enumerate(found):
        page.section(point.symbol.qualified)
        _point(page, facts, point, is_drawn=number < DRAWN_MAX)
    page.see("architecture")


def _point(page: Page, facts: Facts, point: Point, *, is_drawn: bool) -> None:
    symbol = point.symbol
    key = module_of(facts, point.path)
    page.text(
        md("{} is {} in {}, at {}.", code(symbol.qualified), with_article(symbol.kind),
           page.link(key, module_name(facts, key)) if key else code(point.path),
           page.cite(Place(point.path, symbol.line, symbol.end))),
        md("“{}”", plain(symbol.doc)) if symbol.doc else "",
    )  # fmt: skip
    if point.methods:
        page.text(md("It declares {}.", joined([code(method.name) for method in point.methods])))
    names = {f"{path}:{each.qualified}": each.qualified for path, each in point.implementations}
    drawn = classes(f"The types that build on {symbol.name}", symbol.qualified, names)
    if drawn is not None and is_drawn:
        page.diagram(drawn._replace(alternative=[]))
    page.table(
        ("Built on it", "What it says", "Where"),
        [(code(each.qualified), plain(each.doc), page.cite(Place(path, each.line, each.end)))
         for path, each in point.implementations],
    )  # fmt: skip
