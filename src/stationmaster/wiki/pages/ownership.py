"""Which files belong to whom, as the file for it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.owners import Rule, rules
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, code, joined, md, text
from stationmaster.wiki.text.page import Page

RULES_MIN = 2
_OWNERS_MAX = 6
_AREAS_MAX = 4


def plan(facts: Facts) -> Iterator[Planned]:
    if len(rules(facts)) >= RULES_MIN:
        yield Planned("ownership", "Ownership", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = rules(facts)
    owners = {owner for each in found for owner in each.owners}
    page.summary(
        md("{} gives {} to {} owners.", page.cite(found[0].place._replace(line=None)),
           _count(len(found), "pattern"), len(owners)),
        "Where several patterns fit a file, the last one counts.",
    )  # fmt: skip
    _owners(page, found)
    page.section("By pattern")
    page.table(*_rows(page, [each for each in found if each.files]))
    lost = [each for each in found if not each.files]
    if lost:
        page.section("Patterns that fit no file")
        page.table(*_rows(page, lost))
    page.see("contributing", "repository-map", "hotspots")


def _owners(page: Page, found: Sequence[Rule]) -> None:
    counts = Counter(owner for each in found for owner in each.owners)
    if len(counts) < 2 or len(found) <= len(counts):
        return
    areas: dict[str, list[str]] = {}
    for each in found:
        for owner in each.owners:
            areas.setdefault(owner, []).append(each.pattern)
    page.section("By owner")
    rows = [
        (code(owner), count, _some([code(each) for each in areas[owner]], _AREAS_MAX))
        for owner, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    ]
    page.table(("Owner", "Patterns", "Some of them"), rows)


def _rows(page: Page, found: Sequence[Rule]) -> tuple[Sequence[str], list[Sequence[Md | int]]]:
    """With sections where the file has them."""
    rows: list[Sequence[Md | int]] = []
    for each in found:
        owners = [code(owner) for owner in each.owners]
        owners += [Md(_count(each.others, "address"))] if each.others else []
        told = _some(owners, _OWNERS_MAX) or Md("nobody")
        rows.append(
            (code(each.pattern), told, each.files, text(each.section), page.cite(each.place))
        )
    head = ("Pattern", "Owners", "Files", "Section", "Source")
    if any(each.section for each in found):
        return head, rows
    return [*head[:3], head[4]], [[*row[:3], row[4]] for row in rows]


def _some(told: Sequence[Md], most: int) -> Md:
    shown = joined(list(told[:most]))
    return md("{} and {} more", shown, len(told) - most) if len(told) > most else shown


def _count(count: int, word: str) -> str:
    plural = "addresses" if word == "address" else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
