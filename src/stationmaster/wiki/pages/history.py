"""What the log proves: how busy it was, what came, moved and went. Nobody is named."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts import history
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import bars
from stationmaster.wiki.text.inline import Md, code, md, text
from stationmaster.wiki.text.page import Page

COMMITS_MIN = 200
_MONTHS_MAX = 12
_ROWS_MAX = 15
_BORN_MIN = 3


def plan(facts: Facts) -> Iterator[Planned]:
    if history.span(facts).commits >= COMMITS_MIN:
        yield Planned("history", "History", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    span = history.span(facts)
    begun = "" if span.is_complete else " Earlier ones were not read."
    page.summary(
        md("From {} to {} there were {} commits that are no merges, and {} more by programs.{}",
           span.since, span.until, span.commits, span.by_bots, begun)
    )  # fmt: skip
    months = history.activity(facts)[-_MONTHS_MAX:]
    drawn = bars("Commits a month", [(each.month, each.commits) for each in months], "commits")
    if drawn is not None:
        page.section("Activity")
        page.diagram(drawn)
    _releases(page, facts)
    _born(page, facts)
    _moved(page, facts)
    page.see("hotspots", "by-the-numbers", "decisions", "architecture")


def _releases(page: Page, facts: Facts) -> None:
    found = history.releases(facts)
    if found:
        page.section("Releases")
        page.table(("Tag", "Date"), [(code(each.name), each.at) for each in found[:_ROWS_MAX]])


def _born(page: Page, facts: Facts) -> None:
    found = [each for each in history.births(facts) if each.files >= _BORN_MIN]
    if found:
        page.section("New areas")
        page.text("Folders all of whose files came within that time, the newest first.")
        rows = [(code(each.folder), each.files, each.at) for each in found[:_ROWS_MAX]]
        page.table(("Folder", "Files", "Since"), rows)


def _moved(page: Page, facts: Facts) -> None:
    moves = history.moves(facts)[:_ROWS_MAX]
    if moves:
        page.section("Moves")
        rows = [(_folder(each.start), _folder(each.end), each.files, each.at) for each in moves]
        page.table(("From", "To", "Files", "Date"), rows)
    gone = history.removals(facts)[:_ROWS_MAX]
    if gone:
        page.section("Removed areas")
        page.table(("Folder", "Files", "Date"),
                   [(code(each.folder), each.files, each.at) for each in gone])  # fmt: skip


def _folder(path: str) -> Md:
    return code(path) if path and path != "." else text("the root")
