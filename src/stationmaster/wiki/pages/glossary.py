"""The project's own words with what the repository says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_name, module_of
from stationmaster.wiki.facts.terms import Term, terms
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import code, counted, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
WHOLE_MAX = 30


def plan(facts: Facts) -> Iterator[Planned]:
    if len(terms(facts)) >= FACTS_MIN:
        yield Planned("glossary", "Glossary", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = terms(facts)
    page.summary(
        md("{} names that several files use, each with the repository's own words for it.",
           len(found)),
    )  # fmt: skip
    chapters: dict[str, list[Term]] = defaultdict(list)
    for term in found:
        first = term.name[:1].upper()
        chapters["" if len(found) <= WHOLE_MAX else first if first.isalpha() else "#"].append(term)
    for title, members in chapters.items():
        page.section(title or "Terms")
        for term in members:
            page.text(*_told(page, facts, term))
    page.see("architecture", "data-model", "extension-points", "api/library")


def _told(page: Page, facts: Facts, term: Term) -> Iterator[str]:
    yield md("**{}** — {} {}", code(term.name), f"“{term.meaning}”", page.cite(term.place))
    key = module_of(facts, term.place.path)
    link = page.link(key, module_name(facts, key)) if key else ""
    if term.users and link:
        yield md("({} in {}, named in {})", term.kind, link, counted(term.users, "file"))
    elif link:
        yield md("({} {})", term.kind, link)
