"""Where the code is there to be extended: what documents say of it, tables that lead names to code,
and types that others build on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import excerpt
from stationmaster.wiki.facts.code.modules import module_name, module_of
from stationmaster.wiki.facts.extending.added import added
from stationmaster.wiki.facts.extending.documented import ExtensionGuide, extension_guides
from stationmaster.wiki.facts.extending.extensions import Point, extension_points
from stationmaster.wiki.facts.extending.registering import (
    Entry,
    is_bundled,
    registered,
)
from stationmaster.wiki.facts.extending.registries import Registry, registries
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.meanings import is_deprecated, meaning
from stationmaster.wiki.facts.texts.passages import Passage, words_of
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import (
    Md,
    Place,
    among,
    code,
    joined,
    md,
    with_article,
)
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block, quoted

HASH_LETTERS, FILES_MAX = 10, 8
QUOTES_MAX, QUOTES_OF_GUIDE_MAX = 30, 4
OPEN, LINES_MAX = ("interface", "protocol", "trait"), 30
"""Types that only declare, and lines of one that is shown whole."""
METHODS_MAX = 60
"""Of a type that are named."""
ROWS_MAX = 120
"""Of a table of names."""


def plan(facts: Facts) -> Iterator[Planned]:
    if extension_guides(facts) or extension_points(facts) or registries(facts):
        yield Planned("extension-points", "Extension points", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    points = [each for each in extension_points(facts) if not is_bundled(facts, each.path)]
    tables = registries(facts)
    documents = extension_guides(facts)
    _documents(page, facts, documents)
    for table in tables:
        page.section(table.name or table.path.rpartition("/")[2])
        _registry(page, table)
    often = Counter(point.symbol.qualified for point in points)
    for point in points:
        name = point.symbol.qualified
        page.section(name if often[name] == 1 else f"{name} ({folder_of(point.path)})")
        _point(page, facts, point)
    page.see("architecture")


def _documents(page: Page, facts: Facts, documents: Sequence[ExtensionGuide]) -> None:
    """The first of them in their words."""
    page.section("What the documents say")
    left = QUOTES_MAX
    for guide in documents:
        parts = [part for part in (guide.begin, *guide.parts) if part is not None]
        quotes = parts[: min(left, QUOTES_OF_GUIDE_MAX)]
        left -= len(quotes)
        for part in quotes:
            _quote(page, facts, guide, part)


def _quote(page: Page, facts: Facts, guide: ExtensionGuide, part: Passage) -> None:
    if words := quoted(words_of(facts, part)):
        page.section(part.title if part.title == guide.title else f"{guide.title}: {part.title}", 3)
        page.block(page.sourced(words, Place(part.path, part.line, part.end)))


def _registry(page: Page, table: Registry) -> None:
    page.text(
        md("{} names lead to code at {}.", len(table.entries), page.cite(table.place)),
        "Another one is added there.",
    )
    _led_to(page, table.entries)


def _led_to(page: Page, entries: Sequence[Entry]) -> None:
    rows: list[list[Md | str]] = []
    for key, place, end in entries[:ROWS_MAX]:
        leads = md("{} in {}", code(end.name), code(end.path)) if end else Md("")
        rows.append([code(key), leads, page.cite(place)])
    page.table(("Name", "Leads to", "Where"), rows)
    left = len(entries) - len(rows)
    page.text(md("{} more are not listed.", left) if left else "")


def _registered(page: Page, facts: Facts, point: Point) -> Iterator[Md]:
    """Where types that build on a point are named together."""
    count = len(point.implementations)
    for each in registered(facts).get(f"{point.path}:{point.symbol.qualified}", ()):
        words = "{} names {} of the {} that build on it; a new one may have to be added there."
        yield md(words, page.cite(each.place), each.names, count)


def _adding(page: Page, facts: Facts, point: Point) -> Iterator[Md]:
    """What a new one comes with, as commits that added one show it."""
    commits = added(facts).get(f"{point.path}:{point.symbol.qualified}")
    if commits is None:
        return
    newest = code(commits.newest[:HASH_LETTERS])
    if commits.changed:
        files = [
            md("{} ({} of them)", page.cite(Place(it)), count) for it, count in commits.changed
        ]
        yield md("{} commits that added one also changed {}.", commits.commits,
                 joined(files, last=" and "))  # fmt: skip
    if not commits.newest:
        return
    files = [page.cite(Place(path)) for path in commits.files[:FILES_MAX]]
    yield md("The newest commit that added one, “{}” ({}), brought {}.", commits.subject, newest,
             among(files, len(commits.files)))  # fmt: skip


def _point(page: Page, facts: Facts, point: Point) -> None:
    symbol = point.symbol
    key = module_of(facts, point.path)
    page.text(
        md(
            "{} is {} in {}, at {}.",
            code(symbol.qualified),
            with_article(symbol.kind),
            page.link(key, module_name(facts, key)) if key else code(point.path),
            page.cite(Place(point.path, symbol.line, symbol.end)),
        ),
        md("“{}”", said) if (said := meaning(facts, symbol)) else "",
    )
    page.section(f"How to add one more {symbol.name}", 3)
    page.text(*_registered(page, facts, point), *_adding(page, facts, point))
    page.section("What it declares", 3)
    own = excerpt(facts, point.path, symbol.qualified, LINES_MAX)
    if symbol.kind in OPEN and own is not None and own.is_whole:
        page.block(block(own.text, own.language))
    elif point.methods:
        named = [code(method.name) for method in point.methods[:METHODS_MAX]]
        page.text(md("It declares {}.", among(named, len(point.methods))))
    if point.duties:
        duties = joined([code(name) for name in point.duties], last=" and ")
        page.text(md("A class that builds on it has to write {}.", duties))
    _built_on(page, facts, point)


def _built_on(page: Page, facts: Facts, point: Point) -> None:
    page.section("What builds on it", 3)
    rows = [
        (code(each.qualified),
         md("Deprecated. {}" if is_deprecated(each) else "{}", meaning(facts, each)),
         page.cite(Place(path, each.line, each.end)))
        for path, each in point.implementations
    ]  # fmt: skip
    page.table(("Built on it", "What it says", "Where"), [row for row in rows if row[1]])
    silent = [md("{} {}", name, place) for name, said, place in rows if not said]
    page.text(md("Built on it: {}.", joined(silent)) if silent else "")
