"""What happens step by step: functions with the lines that matter, and the calls between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code.explaining import EXCERPT_MAX
from stationmaster.wiki.facts.code.bindings import constants
from stationmaster.wiki.facts.code.comments import Excerpt, excerpt, part_of, symbol_of
from stationmaster.wiki.facts.code.stations import Station, callers_of, uncertain_calls
from stationmaster.wiki.facts.interfaces.outgoing import outside_of
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.subjects.explained import Steps
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.pages.explaining import compiled, signature
from stationmaster.wiki.pages.steps.calls import calls_of, elsewhere, step_title
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block

CALLERS_MAX, CONSTANTS_MAX = 3, 4
SIGNATURE_MAX = 110
_NONE = Md("")


class Shown(NamedTuple):
    """A function under its `title`, declared at `place`. `part` is where its lines are if they are
    not all; `callers` are what calls the first function of a flow."""

    title: Md
    name: Md
    place: Md
    sentence: str
    signature: Md
    part: Md
    lines: Md
    calls: Sequence[Md]
    left: int
    callers: Md = _NONE
    constants: Md = _NONE
    compiled: Md = _NONE


def steps(page: Page, facts: Facts, this: Steps, others: Sequence[Spot] = ()) -> None:
    """The functions that a page explains, after links to those `others` of its subject that further
    pages explain."""
    numbers = this.numbers
    named = set[str]()
    flows = [
        [_shown(page, facts, it, numbers, it == flow.stations[0], named) for it in flow.stations]
        for flow in this.flows
    ]
    links = [link for spot in others if (link := elsewhere(page, facts, spot))]
    page.fill("steps", is_way=any(numbers.values()), flows=flows, links=links)


def _shown(
    page: Page,
    facts: Facts,
    this: Station,
    numbers: Mapping[Spot, int],
    is_first: bool,
    named: set[str],
) -> Shown:
    spot, within = this.spot, this.within
    symbol = symbol_of(facts, spot.path, spot.name)
    outside = outside_of(facts, spot.path, spot.name, *within)
    lines: Excerpt | None
    if within[0] and (spot.name or within[0] > 1):
        lines = part_of(facts, spot.path, *within)
    else:
        called = (*(step.line for step in this.steps), *(call.line for call in outside))
        called += uncertain_calls(facts, spot.path, spot.name)
        leading = tuple(it.line for it in this.steps if numbers.keys() & {*it.ends, *it.handlers})
        lines = excerpt(facts, spot.path, spot.name, EXCERPT_MAX, called, leading)
    seen = lines.lines if lines is not None else frozenset[int]()
    calls, left = calls_of(page, facts, this, outside, numbers, seen)
    if any(it.startswith("|") for it in calls):
        lines = None  # The table has the branches of the choice.
        calls, left = calls_of(page, facts, this, outside, numbers, ())
    shown = block(lines.text, lines.language) if lines is not None else _NONE
    is_part = lines is not None and (symbol is None or bool(within[0]) or not lines.is_whole)
    part = page.cite(lines.place) if lines is not None and is_part else _NONE
    title = step_title(spot, numbers[spot])
    name = code(spot.name or spot.path)
    if symbol is None or within[0]:
        return Shown(title, name, _NONE, "", _NONE, part, shown, calls, left)
    return Shown(
        title, name, page.cite(Place(spot.path, symbol.line, symbol.end)), meaning(facts, symbol),
        code(signature(symbol, SIGNATURE_MAX)), part, shown, calls, left,
        _callers(page, facts, spot) if is_first else _NONE,
        _constants(page, facts, spot, named), compiled(page, facts, spot),
    )  # fmt: skip


def _callers(page: Page, facts: Facts, spot: Spot) -> Md:
    callers = callers_of(facts, spot.path, spot.name)
    places = [
        md("{} ({})", code(caller.name or caller.path), page.cite(Place(caller.path, line)))
        for caller, line in callers[:CALLERS_MAX]
    ]
    if len(callers) > CALLERS_MAX:
        return md("{} and {} more", joined(places), len(callers) - CALLERS_MAX)
    return joined(places, last=" and ")


def _constants(page: Page, facts: Facts, spot: Spot, seen: set[str]) -> Md:
    """The constants that a function uses, with their values and places, each once on a page."""
    new = [it for it in constants(facts, spot.path, spot.name) if it.name not in seen]
    seen.update(it.name for it in new[:CONSTANTS_MAX])
    return joined([
        md("{} is {} ({})", code(it.name), code(it.value), page.cite(Place(it.path, it.line)))
        for it in new[:CONSTANTS_MAX]
    ])  # fmt: skip
