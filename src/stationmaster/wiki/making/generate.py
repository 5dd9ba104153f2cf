"""From a commit to a wiki: read, link, plan, write.

Everything is a function of the commit and of this version. What is remembered from earlier runs
(`Memory`) saves work, and changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple, cast

from stationmaster.children.messages import Report
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki import secrets
from stationmaster.wiki.facts.code.sizes import size_of_source
from stationmaster.wiki.facts.material import Material, material
from stationmaster.wiki.facts.model import Commit, Facts, Noted
from stationmaster.wiki.making import refresh
from stationmaster.wiki.making.gathering import gather
from stationmaster.wiki.making.memo import Memory
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import text
from stationmaster.wiki.text.page import Page

log = logging.getLogger("stationmaster.wiki.making")


class Wiki(NamedTuple):
    commit: Commit
    pages: tuple[Written, ...]
    stats: Mapping[str, int]
    model: str | None = None
    """What wrote some of its pages, if anything did."""
    missing: str = ""
    """Which pages of a model are missing, and why; '' where none are."""
    material: Material | None = None
    """What a model may read, where one was asked for."""


def generate(
    snapshot: Snapshot,
    commit: Commit,
    memory: Memory,
    report: Report = lambda *_: None,
    for_model: bool = False,
) -> Wiki:
    """Raises what reading a repository raises."""
    report("inventory", 0, 1)
    return write(gather(snapshot, commit, memory, report), commit, memory, report, for_model)


def write(
    facts: Facts,
    commit: Commit,
    memory: Memory,
    report: Report = lambda *_: None,
    for_model: bool = False,
) -> Wiki:
    """All pages of what was gathered, and where a model is asked, what it may read."""
    report("link", 0, 1)
    planned = catalogue.plan(facts)
    pages: list[Written] = []
    for count, page in enumerate(planned):
        report("render", count, len(planned))
        pages += _page(page, facts, memory).pages()
    facts.remembered.keep()
    report("store", 0, 1)
    stats = {
        "files": len(facts.records),
        "codeFiles": len(facts.code),
        "lines": size_of_source(facts).lines,
        "pages": len(pages),
        "pagesFailed": sum(page.has_failed for page in pages),
    }
    return Wiki(commit, tuple(pages), stats, material=material(facts) if for_model else None)


def _page(planned: Planned, facts: Facts, memory: Memory) -> Written:
    written = refresh.page(planned, facts, memory)
    if written is None:
        noted = Noted(facts)
        seen = cast("Facts", noted)
        page = Page(seen, planned.key, planned.title)
        try:
            planned.write(page, seen, planned.subject)
            written = _written(page)
        except Exception as fault:  # An error costs only its own page, which states it.
            log.exception("The page %s could not be written", planned.key)
            return _failed(planned, fault)
        refresh.keep(planned, written, noted, facts, memory)
    return written


def _failed(planned: Planned, fault: Exception) -> Written:
    """In the place of a page that could not be written. It is not remembered."""
    sentence = (
        f"This page could not be written: an internal error occurred ({type(fault).__name__})."
    )
    body = f"# {text(planned.title)}\n\n{sentence}\n"
    return Written(planned.key, secrets.masked(planned.title), sentence, body, has_failed=True)


def _written(page: Page) -> Written:
    return Written(
        page.key,
        secrets.masked(page.title),
        secrets.masked(page.description),
        secrets.masked(page.body()),
        tuple(map(_written, page.further)),
    )
