"""What a library gives to its users: each thing with its words, its head and an example."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.extending.exported import Offer, fronts, given, offers
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.pages.explaining import signature
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block

KEY = "library"
TOLD_MIN = 3
TESTS_MAX = 8
"""Tests that are shown."""
SIGNATURE_MAX = 120


def plan(facts: Facts) -> Iterator[Planned]:
    if sum(bool(it.example) for it in offers(facts)) >= TOLD_MIN:
        yield Planned(KEY, "What the library offers", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    every = offers(facts)
    is_given = bool(given(facts))
    begun = fronts(facts) if is_given else {}
    named = [
        md("{}, which begins in {}", code(name), page.cite(Place(path)))
        for path, name in begun.items()
    ]
    page.summary(md("Users import {}.", joined(named, last=" and ")) if named else "")
    rows = [row for it in every if any((row := _row(page, facts, it))[1:3]) or is_given]
    page.table(("Name", "What it says", "For example", "Declared"), rows)
    page.section("As tests use them")
    tests = [it for it in every if len(it.example) > 1]
    for it in tests[:TESTS_MAX]:
        page.section(it.name, 3)
        end = it.line + len(it.example) - 1
        page.text(md("The shortest test with it ({}):", page.cite(Place(it.path, it.line, end))))
        page.block(block("\n".join(it.example), facts.records[it.path].language.lower()))
    page.see("documents", "extension-points", "architecture")


def _row(page: Page, facts: Facts, this: Offer) -> tuple[Md, str, Md, Md]:
    symbol = symbol_of(facts, this.spot.path, this.spot.name) if this.spot else None
    head = signature(symbol, SIGNATURE_MAX) if symbol and symbol.kind == "function" else this.name
    example = Md("")
    if len(this.example) == 1:
        example = md("{} ({})", code(this.example[0]), page.cite(Place(this.path, this.line)))
    if symbol is None or this.spot is None:
        return code(head), "", example, Md("")
    place = page.cite(Place(this.spot.path, symbol.line, symbol.end))
    return code(head), meaning(facts, symbol), example, place
