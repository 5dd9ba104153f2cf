"""The first page: what the repository is, what it is made of, where to start."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import md
from stationmaster.wiki.text.page import Page


def plan(facts: Facts) -> Iterator[Planned]:
    yield Planned("index", facts.commit.name, _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    page.summary(md("{} has {} files.", facts.commit.name, len(facts.records)))
