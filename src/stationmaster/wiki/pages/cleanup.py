"""What is left to do, as remarks in the code say, and what may be too large or unused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stationmaster.wiki.facts import spots
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_names
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
_ALONE_MAX = 20
_MODULES_MAX = 15


def plan(facts: Facts) -> Iterator[Planned]:
    count = len(spots.remarks(facts)) + len(spots.large(facts)) + len(spots.alone(facts))
    if count >= FACTS_MIN:
        yield Planned("cleanup", "Cleanup", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    counts = spots.remark_counts(facts)
    words: Counter[str] = Counter()
    for _key, told in counts:
        words.update(dict(told))
    large = spots.large(facts)
    page.summary(*_summary(words, len(large)))
    _remarks(page, facts)
    if large:
        page.section("Very large files")
        page.table(("File", "Lines"), [(page.cite(Place(path)), lines) for path, lines in large])
    _alone(page, facts)
    page.see("hotspots", "cycles", "gaps", "testing")


def _summary(words: Counter[str], large: int) -> Iterator[Md]:
    if words:
        told = [md("{} {}", count, code(word)) for word, count in sorted(words.items())]
        yield md("Remarks in the code speak of work to do: {}.", joined(told, last=" and "))
    if large:
        have = "file has" if large == 1 else "files have"
        yield md("{} source {} at least {} lines.", large, have, spots.LARGE_MIN)
    if not words and not large:
        yield Md("Files that may not be used any more.")


def _remarks(page: Page, facts: Facts) -> None:
    found = spots.remarks(facts)
    if not found:
        return
    names = {each.key: each.name for each in module_names(facts)}
    counts = spots.remark_counts(facts)
    page.section("Remarks")
    if len(counts) > 1:
        rows = [
            (page.link(key) if key in names else code(key), sum(count for _, count in told),
             ", ".join(f"{word} {count}" for word, count in told))
            for key, told in counts[:_MODULES_MAX]
        ]  # fmt: skip
        page.table(("Where", "Remarks", "Of them"), rows)
    page.table(
        ("Remark", "Says", "Place"),
        [(code(each.word), code(each.text, 120), page.cite(each.place)) for each in found],
    )


def _alone(page: Page, facts: Facts) -> None:
    """Candidates: nobody knows from here that nothing uses them."""
    found = spots.alone(facts)
    if found:
        page.section("Candidates for files without a use")
        page.text("No other file was seen to import them, and they declare no entry, route, command"
                  " or job. A name put together at run time, a setting, a template or a plugin may"
                  " still lead to them.")  # fmt: skip
        page.items([page.cite(Place(path)) for path in found], _ALONE_MAX)
