"""Requests: the types, rules and names of what handlers take."""

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
    listed = bodies(facts)
    if listed:
        yield Planned(KEY, "Requests", _write)
    if len(listed) > WHOLE_MAX:
        for sheet in body_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", f"Requests: {sheet.title}", _sheet,
                          sheet.slug)  # fmt: skip


def _write(page: Page, facts: Facts, _: None) -> None:
    listed = bodies(facts)
    page.summary(md("The code shows what the handlers of {} read from a request.",
                    counted(len(listed), "route")))  # fmt: skip
    if len(listed) > WHOLE_MAX:
        page.section("Requests by path")
        contents(page, KEY, body_sheets(facts), "Requests")
    else:
        _bodies(page, facts, listed)
    page.see("api/http", "data-model")


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = next(it for it in body_sheets(facts) if it.slug == slug)
    page.summary(md("What the handlers of {} take; a part of the {}.", sheet.title,
                    page.link(KEY, "requests")))  # fmt: skip
    _bodies(page, facts, sheet.items)
    page.see(KEY, "api/http")


def _bodies(page: Page, facts: Facts, listed: Sequence[Body]) -> None:
    shown: dict[Part, str] = {}
    for body in listed:
        way = f"{' '.join(body.methods)} {body.route}"
        page.section(way)
        if body.values:
            page.text(_read(page, "The handler reads {} at {}.", body.values, body.handler))
        for part, names in body.queries:
            reader = Md("The handler") if part == body.handler else code(part.name)
            page.text(_read(page, "{} reads {} of the query at {}.", names, part, reader))
        for part in body.parts:
            if shown.setdefault(part, way) != way:
                checked = code(part.name) if part.name else Md("What is checked")
                page.text(md("{} is the same as for {}.", checked, code(shown[part])))
            else:
                _part(page, facts, part)


def _read(page: Page, form: str, names: Sequence[str], part: Part, *before: Md) -> Md:
    place = page.cite(Place(part.path, part.line, part.end))
    return md(form, *before, joined([code(name) for name in names], last=" and "), place)


def _part(page: Page, facts: Facts, part: Part) -> None:
    lines = part_of(facts, part.path, part.line, part.end, BODY_LINES_MAX)
    place = page.cite(lines.place)
    more = Md("") if lines.is_whole else md(", which continues to line {}", part.end)
    page.text(md("{} at {}{}:", code(part.name) if part.name else "Checked", place, more))
    page.block(block(lines.text, lines.language))
