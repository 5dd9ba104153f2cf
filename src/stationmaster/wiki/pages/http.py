"""The HTTP interface: routes with their handlers, and what a description of it says otherwise.

Source: wiki reference, section 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts import routes
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_of
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.facts.routes import Endpoint
from stationmaster.wiki.pages.contents import contents
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page

KEY = "api/http"
ROWS_MAX = 120
"""As many routes are told of on one page."""


def plan(facts: Facts) -> Iterator[Planned]:
    found = routes.endpoints(facts)
    if not found:
        return
    yield Planned(KEY, "HTTP API", _write)
    if len(found) > ROWS_MAX:
        for sheet in routes.route_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", f"HTTP API: {sheet.title}", _sheet, sheet.slug)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = routes.endpoints(facts)
    frameworks = Counter(each.framework for each in found if each.framework)
    page.summary(
        md("{} {} {}.", len(found), "route is" if len(found) == 1 else "routes are",
           joined([md("declared with {} ({})", *each) for each in frameworks.most_common()])
           if len(frameworks) > 1 else md("declared with {}", next(iter(frameworks), "code")))
    )  # fmt: skip
    guarded = sum(bool(each.guard) for each in found)
    page.glance((
        ("Routes", len(found)),
        ("Methods", _methods(found)),
        ("With a guard that the code shows", guarded or None),
    ))  # fmt: skip
    if len(found) > ROWS_MAX:
        page.section("Routes by path")
        contents(page, KEY, routes.route_sheets(facts), "Routes")
    else:
        for sheet in routes.route_sheets(facts):
            _sections(page, facts, sheet)
    page.see("entry-points", "data-model", "security", "configuration")


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = routes.route_sheet(facts, slug)
    count = sum(len(part.items) for part in sheet.parts)
    page.summary(md("{} routes of the {}.", count, page.link(KEY, "HTTP API")))
    _sections(page, facts, sheet)
    page.see(KEY)


def _sections(page: Page, facts: Facts, sheet: Sheet[Endpoint]) -> None:
    for part in sheet.parts:
        page.section(part.title)
        _table(page, facts, part.items)


def _methods(found: Sequence[Endpoint]) -> Md:
    counts = Counter(method for each in found for method in each.methods)
    return joined([md("{} {}", count, method) for method, count in sorted(counts.items())])


def _table(page: Page, facts: Facts, found: Sequence[Endpoint]) -> None:
    head = ["Method", "Path", "Handler", "Guard", "Module"]
    rows = [
        [" ".join(each.methods), code(each.route), _handler(page, each),
         code(each.guard), _module(page, facts, each)]
        for each in found
    ]  # fmt: skip
    kept = [index for index in range(len(head)) if any(row[index] for row in rows)]
    page.table([head[index] for index in kept], [[row[index] for index in kept] for row in rows])


def _handler(page: Page, each: Endpoint) -> Md:
    if each.handler_path:
        place = page.cite(Place(each.handler_path, each.handler_line, each.handler_end))
        return md("{} {}", code(each.handler), place)
    place = page.cite(Place(each.path, each.line))
    return md("{} {}", code(each.handler), place) if each.handler else place


def _module(page: Page, facts: Facts, each: Endpoint) -> Md:
    key = module_of(facts, each.handler_path or each.path)
    return page.link(key) if key else Md("")
