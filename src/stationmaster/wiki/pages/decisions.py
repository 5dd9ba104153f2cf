"""What was decided, as the repository's own records say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stationmaster.wiki.facts.decisions import decisions
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, joined, md, text
from stationmaster.wiki.text.page import Page

DECISIONS_MIN = 3


def plan(facts: Facts) -> Iterator[Planned]:
    if len(decisions(facts)) >= DECISIONS_MIN:
        yield Planned("decisions", "Decisions", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = decisions(facts)
    counts = Counter(each.status for each in found if each.status)
    told = [md("{} {}", count, status) for status, count in sorted(counts.items())]
    by_status = md(": {}", joined(told, last=" and ")) if told else Md("")
    page.summary(md("There are {} records of decisions{}.", len(found), by_status))
    page.section("Records")
    rows = [
        (each.number, text(each.title, 120),
         md("{}", each.status) if each.status else Md("none said"),
         page.cite(each.status_at or each.place))
        for each in reversed(found)
    ]  # fmt: skip
    page.text("The newest first.")
    page.table(("Number", "Decision", "Status", "Source"), rows)
    page.see("architecture", "docs-map", "contributing")
