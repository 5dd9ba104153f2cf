"""The HTTP interface: routes with their handlers, and what a description of it says otherwise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.interfaces import contracts, routes
from stationmaster.wiki.facts.interfaces.contracts import Operation
from stationmaster.wiki.facts.interfaces.routes import Endpoint
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.facts.texts.differences import differences, read
from stationmaster.wiki.facts.unread import unread_as
from stationmaster.wiki.pages.contents import contents, module_link, packages
from stationmaster.wiki.pages.interfaces import guards
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page

KEY = "api/http"
MEMBERS_MAX = 24
ROWS_MAX = 120
"""As many routes are on one page."""

_DONE = ("200", "")
"""An answer that says nothing."""
_VALUE = re.compile(r"/?\{the value of ([\w.]+)\}")
"""A path that a variable holds."""


def plan(facts: Facts) -> Iterator[Planned]:
    found = routes.endpoints(facts)
    if not found and not contracts.operations(facts):
        if unread_as(facts, "HTTP routes"):
            yield Planned(KEY, "HTTP API", _write_unread)
        return
    yield Planned(KEY, "HTTP API", _write, version=2)
    if len(found) > ROWS_MAX:
        for sheet in routes.route_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", f"HTTP API: {sheet.title}", _sheet, sheet.slug)
    if not _is_described_here(facts):
        for each in contracts.operation_sheets(facts):
            title = f"HTTP API, described: {each.title}"
            yield Planned(f"{KEY}/described-{each.slug}", title, _described_sheet, each.slug, 2)


def _is_described_alone(facts: Facts) -> bool:
    """Does the description tell much that the code does not show?"""
    return 2 * differences(facts).matched < len(contracts.operations(facts))


def _is_described_here(facts: Facts) -> bool:
    """Are all operations described on the page itself?"""
    return _is_described_alone(facts) and len(contracts.operations(facts)) <= ROWS_MAX


def _write(page: Page, facts: Facts, _: None) -> None:
    found = routes.endpoints(facts)
    described = contracts.operations(facts)
    missing = packages(page, unread_as(facts, "HTTP routes"), "routes")
    page.summary(*_summary(found, len(described)), missing)
    guarded = sum(any(not guard.is_own for guard in each.guards) for each in found)
    always = sum(any(not guard.condition for guard in each.guards) for each in found)
    is_most = 2 * guarded >= len(found)
    unread = sum(bool(each.unread) for each in found)
    files = [page.cite(Place(path)) for path in contracts.descriptions(facts)]
    page.glance(
        (
            ("Routes", len(found) or None),
            ("Methods", _methods(found)),
            ("With a guard that the code shows", always * is_most or None),
            ("With a guard under a condition only", (guarded - always) * is_most or None),
            ("Public by a mark", sum(each.is_public for each in found) or None),
            ("Through something else that may refuse", unread or None),
            ("Operations in OpenAPI", len(described) or None),
            ("Described in", joined(files)),
        )
    )
    guards.write_rules(page, facts)
    if len(found) > ROWS_MAX:
        page.section("Routes by path")
        contents(page, KEY, routes.route_sheets(facts), "Routes")
    else:
        guards.explain(page, found)
        for sheet in routes.route_sheets(facts):
            _sections(page, facts, sheet)
    page.section("Prefixes")
    if any("{…}" in each.route for each in found):
        page.text(md("{} stands for a part of a path that the code leaves open.", code("{…}")))
    guards.write_guards(page, facts, found)
    guards.write_layers(page, facts)
    _described(page, facts)
    page.see("api/bodies", "data-model", "configuration")


def _write_unread(page: Page, facts: Facts, _: None) -> None:
    page.summary(packages(page, unread_as(facts, "HTTP routes"), "routes"))
    page.see("gaps")


def _summary(found: Sequence[Endpoint], described: int) -> Iterator[Md]:
    frameworks = Counter(each.framework for each in found if each.framework)
    is_one = len({each.framework for each in found}) == 1
    params = [
        md("{}", each[0]) if is_one else md("{} ({})", *each) for each in frameworks.most_common()
    ]
    if found:
        yield md(
            "The code declares at least {}{}.",
            counted(len(found), "route"),
            md(" with {}", joined(params, last=" and ")) if params else "",
        )
    if described:
        yield md("OpenAPI describes {}.", counted(described, "operation"))


def _described(page: Page, facts: Facts) -> None:
    """What OpenAPI says, where the code does not say it as well; else where both differ."""
    found = contracts.operations(facts)
    if not found:
        return
    page.section("Described in OpenAPI")
    if _is_described_here(facts):
        _operations(page, facts, found)
    else:
        contents(page, f"{KEY}/described", contracts.operation_sheets(facts), "Operations", "-")
    _types(page, facts)
    if _is_described_alone(facts):
        return
    compared = differences(facts)
    page.section("OpenAPI and code")
    words = "Of {} described operations, {} were found in the code."
    page.text(md(words, len(found), compared.matched))
    page.section("Described, but not found so in the code", 3)
    _operations(page, facts, compared.described)
    page.section("In the code, but not described", 3)
    _table(page, facts, compared.coded)


def _described_sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = next(each for each in contracts.operation_sheets(facts) if each.slug == slug)
    operations = counted(len(sheet.items), "operation")
    template = "This page has {} of the {} that OpenAPI describes."
    page.summary(md(template, operations, page.link(KEY, "HTTP API")))
    for part in sheet.parts:
        page.section(part.title)
        _operations(page, facts, part.items)
    page.see(KEY)


def _operations(page: Page, facts: Facts, found: Sequence[Operation]) -> None:
    instead = differences(facts).instead
    head = ("Operation", "Name", "Meaning", "Takes", "Answers", "Described")
    is_telling = any(answer != _DONE for each in found for answer in each.answers)
    page.table(
        head,
        [
            (
                _operation(each, instead.get(each, ())),
                code(each.name),
                text(each.doc, 160),
                joined([*_taken(facts, each)]),
                joined([_typed(*answer) for answer in each.answers if is_telling]),
                page.cite(Place(each.path, each.line or None)),
            )
            for each in found
        ],
    )


def _operation(each: Operation, instead: Sequence[str]) -> Md:
    """The method and path, with what the code has for the path instead."""
    shown = code(f"{each.method} {each.route}")
    others = joined([code(words) for words in instead])
    return md("{}, in the code {}", shown, others) if instead else shown


def _taken(facts: Facts, each: Operation) -> Iterator[Md]:
    """The parameters, a star behind those that must be there, and what else the code reads."""
    differing = read(facts).get(each)
    for it in each.takes:
        star = "*" if it.is_required else ""
        if it.place == "body":
            yield _typed(f"body{star}", it.type)
        else:
            is_absent = differing is not None and it.name in differing.absent
            form = "{} {}{} (not in the file of the handler)" if is_absent else "{} {}{}"
            yield md(form, it.place, code(it.name), star)
    if differing is not None:
        names = joined([code(name) for name in differing.more], last=" and ")
        yield md("not described, but read by the code: {}", names)


def _types(page: Page, facts: Facts) -> None:
    """The types that operations take and answer."""
    page.section("Types in OpenAPI")
    rows = []
    for path, each in contracts.described_types(facts):
        members = [
            md("{}{} {}", code(it.name), "*" if it.is_required else "", it.type)
            for it in each.members[:MEMBERS_MAX]
        ]
        members += [md("all of {}", code(name)) for name in each.same]
        place = page.cite(Place(path, each.line))
        rows.append(
            (code(each.name), joined(members) or code(each.type), text(each.doc, 160), place)
        )
    if rows:
        page.text("A star stands behind what must be there.")
    page.table(("Type", "Members", "Meaning", "Described"), rows)


def _typed(words: str, type_: str) -> Md:
    return md("{} {}", words, code(type_)) if type_ else md("{}", words)


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = routes.route_sheet(facts, slug)
    routed = counted(len(sheet.items), "route")
    page.summary(md("This page has {} of the {}.", routed, page.link(KEY, "HTTP API")))
    guards.explain(page, sheet.items)
    _sections(page, facts, sheet)
    page.see(KEY)


def _sections(page: Page, facts: Facts, sheet: Sheet[Endpoint]) -> None:
    for part in sheet.parts:
        page.section(part.title)
        _table(page, facts, part.items)


def _methods(found: Sequence[Endpoint]) -> Md:
    counts = Counter(method for each in found for method in each.methods)
    return joined([md("{} {}", count, method) for method, count in sorted(counts.items())])


def _table(page: Page, facts: Facts, endpoints: Sequence[Endpoint]) -> None:
    rows = [
        [
            "" if _is_package(endpoint) else " ".join(endpoint.methods),
            _path(endpoint),
            _handler(page, endpoint),
            joined(guards.guarding(endpoint)),
            code(endpoint.condition),
            module_link(page, facts, endpoint.handler_path or endpoint.path),
        ]
        for endpoint in endpoints
    ]
    page.table(("Method", "Path", "Handler", "Guard", "Only there", "Module"), rows)


def _is_package(endpoint: Endpoint) -> bool:
    """Does it stand for all routes of a package that a table of Django includes?"""
    is_below = endpoint.framework == "Django" and endpoint.route.endswith("/*")
    return is_below and not endpoint.handler_path and endpoint.handler.endswith(".urls")


def _path(endpoint: Endpoint) -> Md:
    """The path of a route, or below which one a package has its own."""
    if _is_package(endpoint):
        below = endpoint.route.removesuffix("*").rstrip("/")
        part = md("below {}", code(below)) if below else md("at the top")
        return md("routes of {} {}", code(endpoint.handler), part)
    value = _VALUE.fullmatch(endpoint.route)
    return md("the value of {}", code(value[1])) if value else code(endpoint.route)


def _handler(page: Page, each: Endpoint) -> Md:
    if each.handler_path:
        place = page.cite(Place(each.handler_path, each.handler_line, each.handler_end))
        return md("{} {}", code(each.handler), place)
    place = page.cite(Place(each.path, each.line))
    return md("{} {}", code(each.handler), place) if each.handler else place
