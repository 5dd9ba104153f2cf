"""The documents that there are already, what they cover, and where they and the files differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts import documents, drift
from stationmaster.wiki.facts.documents import Paper, Shelf
from stationmaster.wiki.facts.drift import Drift
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md, text
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
_TOPICS_MAX = 5
_NAMED_MAX = 4
_SHELF_MAX = 30
_KINDS = {
    "link": "Links to {}, which is not there",
    "path": "Names {}, which is not there",
    "task": "Asks for {}, which nothing declares",
    "badge": "Shows the state of {}, which is not there",
}


def plan(facts: Facts) -> Iterator[Planned]:
    if len(documents.papers(facts)) >= FACTS_MIN:
        yield Planned("docs-map", "Documents", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    papers = documents.papers(facts)
    shelves = documents.shelves(facts)
    drifts = drift.drifts(facts)
    page.summary(*_summary(papers, shelves, drifts))
    _papers(page, "At the root", [each for each in papers if "/" not in each.path
                                  and not each.is_for_agents])  # fmt: skip
    _papers(page, "For coding agents", [each for each in papers if each.is_for_agents])
    _shelves(page, shelves)
    _drifts(page, drifts)
    _variables(page, facts)
    page.see("getting-started", "contributing", "decisions", "agent-guide", "glossary")


def _summary(
    papers: Sequence[Paper], shelves: Sequence[Shelf], drifts: Sequence[Drift]
) -> Iterator[Md]:
    lines = sum(each.lines for each in papers)
    yield md("The repository has {} documents with {} lines.", len(papers), lines)
    if shelves:
        most = sorted(shelves, key=lambda each: (-len(each.papers), each.folder))[:3]
        named = joined([code(each.folder) for each in most], last=" and ")
        yield (
            md("Most of them lie in {}.", named)
            if len(shelves) > 1
            else md("Those that are not at the root lie in {}.", named)
        )
    if drifts:
        yield md(
            "{} of what they name {} not there.", len(drifts), "is" if len(drifts) == 1 else "are"
        )


def _papers(page: Page, title: str, papers: Sequence[Paper]) -> None:
    if papers:
        page.section(title)
        page.table(("Document", "Says", "Covers", "Lines"),
                   [_row(page, each) for each in papers])  # fmt: skip


def _row(page: Page, paper: Paper) -> tuple[Md, Md, Md, int]:
    return page.cite(Place(paper.path)), text(paper.says, 160), _topics(paper), paper.lines


def _topics(paper: Paper) -> Md:
    shown = joined([text(each, 60) for each in paper.topics[:_TOPICS_MAX]])
    return md("{}, …", shown) if len(paper.topics) > _TOPICS_MAX else shown


def _shelves(page: Page, shelves: Sequence[Shelf]) -> None:
    """A small shelf document by document, several or a large one by folder."""
    if not shelves:
        return
    if len(shelves) == 1 and len(shelves[0].papers) <= _SHELF_MAX:
        _papers(page, f"In {shelves[0].folder}", shelves[0].papers)
        return
    page.section("By folder")
    rows = [
        (code(each.folder), len(each.papers), _titles(each), page.cite(Place(each.papers[0].path)))
        for each in sorted(shelves, key=lambda each: (-len(each.papers), each.folder))
    ]
    page.table(("Folder", "Documents", "Some of them", "First"), rows)


def _titles(shelf: Shelf) -> Md:
    names = list(dict.fromkeys(each.title for each in shelf.papers))
    shown = joined([text(each, 60) for each in names[:_NAMED_MAX]])
    return md("{}, …", shown) if len(names) > _NAMED_MAX else shown


def _drifts(page: Page, found: Sequence[Drift]) -> None:
    if found:
        page.section("Where documents and files differ")
        rows = [(md(_KINDS[each.kind], code(each.said)), page.cite(each.place)) for each in found]
        page.table(("Finding", "Said in"), rows)


def _variables(page: Page, facts: Facts) -> None:
    unread = drift.unread(facts)
    untold = drift.untold(facts)
    if unread:
        page.section("Variables that no code was seen to read")
        page.text("Examples or documents name them:")
        page.table(("Variable", "Named in"),
                   [(code(name), page.cite(place)) for name, place in unread])  # fmt: skip
    if untold:
        page.section("Variables that no document names")
        page.text("Code reads them:", page.link("configuration"))
        page.table(("Variable", "Read in"),
                   [(code(name), page.cite(place)) for name, place in untold])  # fmt: skip
