"""A page for each document that explains the product, section by section, and a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.documents import chosen, title_of
from stationmaster.wiki.facts.texts.guides import (
    FOLDER,
    Guide,
    explaining,
    guide,
    guide_of,
    guides,
)
from stationmaster.wiki.facts.texts.passages import Passage, is_recipe, opening, words_of
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text import quoting
from stationmaster.wiki.text.inline import Md, Place, among, md
from stationmaster.wiki.text.page import Page

SECTION_MAX, SECTIONS_MAX, QUOTED_MAX = 5_000, 50, 200
"""Letters of a section, sections on a page, and sections of a document."""
ROWS_MAX = 300
"""Of a table on the page of its document."""
EXPLAINED_MAX = 14_000
"""Letters of the sections that explain how the product works."""
HEADINGS_MAX = 6
"""Of a document, that the list names."""


def plan(facts: Facts) -> Iterator[Planned]:
    listed = guides(facts)
    if listed:
        yield Planned(FOLDER, "Documents", _write_list, version=2)
    for it in listed:
        yield Planned(it.key, it.title, _write, it.key)


def _write_list(page: Page, facts: Facts, _: None) -> None:
    listed = guides(facts)
    rows = []
    for it in listed:
        titles = [passage.title for passage in it.sections if passage.title != it.title]
        named = among([md("{}", title) for title in titles[:HEADINGS_MAX]], len(titles))
        sentence = _opening(facts, it)
        rows.append((page.link(it.key), sentence, named, page.cite(Place(it.path))))
    page.table(("Document", "It begins", "Sections", "File"), rows)
    page.section("Documents without a page here")
    paths = {it.path for it in listed}
    page.items(
        md("{} ({})", title_of(it), page.cite(Place(it.path)))
        for it in chosen(facts)
        if it.path not in paths
    )


def _write(page: Page, facts: Facts, key: str) -> None:
    this = guide(facts, key)
    page.description = str(md("{}", _opening(facts, this)))
    first = sorted(this.sections, key=lambda it: not is_recipe(it))[:QUOTED_MAX]
    shown = {passage.line for passage in first}

    def write(page: Page, passages: Sequence[Passage]) -> None:
        for passage in passages:
            page.section(passage.title or this.title)
            page.block(section(page, facts, passage, ROWS_MAX))

    page.continued([it for it in this.sections if it.line in shown], SECTIONS_MAX, write)
    page.section("Sections that are not quoted here")
    page.items(
        md("{} ({})", it.title, page.cite(Place(it.path, it.line)))
        for it in (*this.sections, *this.aside)
        if it.line not in shown
    )
    page.see(FOLDER)


def _opening(facts: Facts, this: Guide) -> str:
    """The first sentence of a document, or of its next section where the first is only a note."""
    sentences = (opening(facts, it) for it in this.sections[:2])
    return next(filter(None, sentences), "")


def section(page: Page, facts: Facts, passage: Passage, rows: int = quoting.ROWS_MAX) -> Md:
    """A section of a document as a quote with its place."""
    words = quoting.quoted(words_of(facts, passage), SECTION_MAX, rows)
    return page.sourced(words, Place(passage.path, passage.line, passage.end))


def explained(page: Page, facts: Facts) -> None:
    """The sections that explain how the product works, as far as there is room."""
    page.section("What its documents say")
    size = 0
    for passage in explaining(facts):
        words = section(page, facts, passage)
        if words and size < EXPLAINED_MAX:
            size += len(words)
            title = f"{passage.chapter}: {passage.title}" if passage.chapter else passage.title
            page.text(md("From “{}”:", title))
            page.block(words)
            key = guide_of(facts, passage.path)
            if key:
                page.see(key)
