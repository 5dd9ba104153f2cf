"""How large it is, of what it is made, and what changes most."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from stationmaster.wiki.facts.graph import edges
from stationmaster.wiki.facts.history import activity, span
from stationmaster.wiki.facts.inside import kinds_inside
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_names
from stationmaster.wiki.facts.overview import classes, languages
from stationmaster.wiki.facts.sizes import busiest, largest, size_of_module, size_of_source
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import bars
from stationmaster.wiki.text.inline import Md, Place, code, md
from stationmaster.wiki.text.page import Page

MONTHS_MAX = 12
ROWS = 12
FILES_MIN = 10


def plan(facts: Facts) -> Iterator[Planned]:
    if sum(count for _, count in classes(facts)) >= FILES_MIN and languages(facts):
        yield Planned("by-the-numbers", "By the numbers", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    size = size_of_source(facts)
    found = module_names(facts)
    commits = span(facts)
    page.summary(
        md("{} lines of source in {} files and {} modules.", f"{size.lines:,}", f"{size.files:,}",
           len(found)),
        md("{} commits by people are known from {} to {}.", f"{commits.commits:,}", commits.since,
           commits.until) if commits.commits else "",
    )  # fmt: skip
    page.section("Languages")
    page.table(
        ("Language", "Files", "Lines"),
        [(name, files, f"{lines:,}") for name, files, lines in languages(facts)],
    )
    page.section("Kinds of files")
    page.table(("Kind", "Files"), [(kind, f"{count:,}") for kind, count in classes(facts)])
    _counts(page, facts, len(found))
    _modules(page, facts)
    page.section("Largest source files")
    page.table(("File", "Lines"), [(page.cite(Place(path)), f"{lines:,}")
                                   for path, lines in largest(facts)])  # fmt: skip
    changed = busiest(facts)
    if changed:
        page.section("Most changed files")
        page.table(("File", "Commits"),
                   [(page.cite(Place(path)), count) for path, count in changed])  # fmt: skip
    months = [(each.month, each.commits) for each in activity(facts)][-MONTHS_MAX:]
    if len(months) > 1:
        page.section("Activity")
        page.diagram(bars("Commits by people in each of the last months", months, "commits"))
    page.see("history", "hotspots", "repository-map", "source-index")


def _counts(page: Page, facts: Facts, modules: int) -> None:
    rows: list[tuple[Md | str, int]] = [("modules", modules), ("imports between modules",
                                                              len(edges(facts)))]  # fmt: skip
    rows += [(page.link(key, words), count) for words, count, key in kinds_inside(facts)]
    page.section("What there is")
    page.table(("What", "How many"), [row for row in rows if row[1]])


def _modules(page: Page, facts: Facts) -> None:
    sizes = [(size_of_module(facts, each.key).lines, each) for each in module_names(facts)]
    order = sorted(filter(itemgetter(0), sizes), key=lambda pair: (-pair[0], pair[1].path))[:ROWS]
    if len(order) > 2:
        page.section("Largest modules")
        drawn = bars("Lines of source by module", [(each.name, n) for n, each in order], "lines")
        if drawn is not None:
            page.diagram(drawn._replace(alternative=[]))
        page.table(
            ("Module", "Path", "Lines"),
            [(page.link(each.key, each.name), code(each.path), f"{lines:,}")
             for lines, each in order],
        )  # fmt: skip
