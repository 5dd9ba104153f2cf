"""Bodies of requests: the types and rules that say what handlers take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.code.comments import part_of
from stationmaster.wiki.facts.interfaces.bodies import (
    BODY_LINES_MAX,
    Body,
    Part,
    bodies,
    body_sheets,
)
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.contents import contents
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block

KEY = "api/bodies"
WHOLE_MAX = 40
"""As many are on one page."""


def plan(facts: Facts) -> Iterator[Planned]:
    found = bodies(facts)
    if found:
        yield Planned(KEY, "Request bodies", _write)
    if len(found) > WHOLE_MAX:
        for sheet in body_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", f"Request bodies: {sheet.title}", _sheet,
                          sheet.slug)  # fmt: skip


def _write(page: Page, facts: Facts, _: None) -> None:
    found = bodies(facts)
    page.summary(md("The code shows what the handlers of {} read from a request.",
                    counted(len(found), "route")))  # fmt: skip
    if len(found) > WHOLE_MAX:
        page.section("Bodies by path")
        contents(page, KEY, body_sheets(facts), "Bodies")
    else:
        _bodies(page, facts, found)
    page.see("api/http", "data-model")


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = next(each for each in body_sheets(facts) if each.slug == slug)
    found = [body for part in sheet.parts for body in part.items]
    page.summary(md("What the handlers of {} take; a part of the {}.", sheet.title,
                    page.link(KEY, "request bodies")))  # fmt: skip
    _bodies(page, facts, found)
    page.see(KEY, "api/http")


def _bodies(page: Page, facts: Facts, found: Sequence[Body]) -> None:
    shown: dict[Part, str] = {}
    for body in found:
        way = f"{' '.join(body.methods)} {body.route}"
        page.section(way)
        if body.values:
            place = Place(body.handler.path, body.handler.line, body.handler.end)
            names = joined([code(name) for name in body.values], last=" and ")
            page.text(md("The handler reads {} at {}.", names, page.cite(place)))
        for part in body.parts:
            if shown.setdefault(part, way) != way:
                page.text(md("{} is the same as for {}.", code(part.name), code(shown[part])))
            else:
                _part(page, facts, part)


def _part(page: Page, facts: Facts, part: Part) -> None:
    lines = part_of(facts, part.path, part.line, part.end, BODY_LINES_MAX)
    place = page.cite(lines.place)
    more = Md("") if lines.is_whole else md(", which goes on to line {}", part.end)
    page.text(md("{} at {}{}:", code(part.name) if part.name else "Checked", place, more))
    page.block(block(lines.text, lines.language))
