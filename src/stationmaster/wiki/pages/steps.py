"""What happens step by step: functions with the lines that matter, and the calls between them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from msgspec import structs

from stationmaster.reading.code.bodies import Condition
from stationmaster.reading.code.explaining import EXCERPT_MAX
from stationmaster.wiki.facts.code.bindings import constants
from stationmaster.wiki.facts.code.comments import (
    Excerpt,
    conditions,
    excerpt,
    only_statement,
    part_of,
    some_lines,
    symbol_of,
)
from stationmaster.wiki.facts.code.flows import Flow
from stationmaster.wiki.facts.code.starts import way_to
from stationmaster.wiki.facts.code.stations import (
    CALLS_MAX,
    Station,
    callers_of,
    entered,
    weight,
)
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.interfaces.outgoing import Outside, outside_of
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.pages.explaining import signature
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block

NAMED_MAX = 6
"""Implementations of a method that are named."""
HANDLERS_MAX = 12
CALLERS_MAX, AGAIN_MAX, WAY_MAX = 4, 4, 10
SIGNATURE_MAX = 160
CONDITIONS_MAX, CASES_MAX, CONDITION_MAX = 3, 4, 100
"""Conditions of a call, the innermost ones; of one `else`; and letters of each."""
FUNCTIONS_MIN = 2
"""Functions of which none leads to another, and which are no steps."""
WHOLE_MAX, FIRST_WHOLE_MAX = 90, 120
"""Lines of a function that is shown whole; and of the one that a flow begins with."""
_NONE = Md("")
_LAST = re.compile(r"[.:>]+")
_FORMS = {
    "in": "in {}", "where": "where {}", "unless": "unless {}", "else": "in `else` of {}",
    "within": "in {}", "given": "in what {} is given", "returned": "in what is returned",
}  # fmt: skip


class Shown(NamedTuple):
    """A step of a flow: a function, declared at `place`. `part` is where its lines are if they are
    not all; `callers` are what calls the first function of a flow, and `way` is how the product
    comes to it."""

    number: int
    name: Md
    place: Md
    sentence: str
    signature: Md
    part: Md
    lines: Md
    calls: list[Md]
    left: int
    callers: Md = _NONE
    way: Md = _NONE
    constants: Md = _NONE


def steps(page: Page, facts: Facts, flows: Sequence[Flow], *, is_numbered: bool = False) -> None:
    """The functions of flows, numbered through all of them unless none leads to another."""
    stations = [station for flow in flows for station in flow.stations]
    ends = {end for it in stations for step in it.steps for end in (*step.ends, *step.through)}
    is_way = len(flows) < FUNCTIONS_MIN or not ends.isdisjoint(it.spot for it in stations)
    is_way = is_way or any(it.within[0] for it in stations)
    first = 1 if is_way or is_numbered else 0
    numbers = {station.spot: number for number, station in enumerate(stations, first)}
    page.fill("steps", is_way=bool(first), flows=[
        [_shown(page, facts, it, numbers, it == flow.stations[0]) for it in flow.stations]
        for flow in flows
    ])  # fmt: skip


_GETTER_LINES = 2
_GETTER = re.compile(
    r"(?:[{:]\s*return\s+|=>\s*|\)\s*(?::\s*\w+\s*)?=\s+)"
    r"[&*$@]?\w+(?:(?:\.|->|::)\w+){0,20}\s*;?\s*\}?\s*$"
)
"""A body that is only the name of a value."""


def _shown(
    page: Page, facts: Facts, this: Station, numbers: Mapping[Spot, int], is_first: bool
) -> Shown:
    number = numbers[this.spot]
    symbol = symbol_of(facts, this.spot.path, this.spot.name)
    outside = outside_of(facts, this.spot.path, this.spot.name, *this.within)
    listed = _listed(facts, this, numbers)
    calls = _calls(page, facts, listed, outside, numbers)
    left = this.left + len(this.steps) - len(listed.steps)
    is_script = not this.spot.name and this.within[0] == 1
    if this.within[0] and not is_script:
        most = FIRST_WHOLE_MAX if is_first and this.spot.name else EXCERPT_MAX
        lines: Excerpt | None = part_of(facts, this.spot.path, *this.within, most)
    else:
        whole = FIRST_WHOLE_MAX if is_first else WHOLE_MAX
        called = (*(step.line for step in this.steps), *(call.line for call in outside))
        leading = tuple(it.line for it in this.steps if numbers.keys() & set(it.ends))
        lines = excerpt(facts, this.spot.path, this.spot.name, whole, called, leading)
    shown = block(lines.text, lines.language) if lines is not None else _NONE
    is_part = lines is not None and (symbol is None or bool(this.within[0]) or not lines.is_whole)
    part = page.cite(lines.place) if lines is not None and is_part else _NONE
    if symbol is None or this.within[0]:
        name = code(this.spot.name or this.spot.path)
        return Shown(number, name, _NONE, "", _NONE, part, shown, calls, left)
    return Shown(
        number, code(this.spot.name), page.cite(Place(this.spot.path, symbol.line, symbol.end)),
        meaning(symbol), code(signature(symbol, SIGNATURE_MAX)), part, shown, calls, left,
        _callers(page, facts, this.spot) if is_first else _NONE,
        _way(facts, this.spot) if is_first else _NONE, _constants(page, facts, this.spot),
    )  # fmt: skip


def _listed(facts: Facts, this: Station, numbers: Mapping[Spot, int]) -> Station:
    """A function with the calls that a page lists: those to its steps first, then those with most
    words."""

    def worth(step: Step) -> tuple[bool, float]:
        is_shown = any(end in numbers for end in (*step.ends, *step.through, *step.handlers))
        return is_shown, weight(facts, step.end)

    kept = sorted(this.steps, key=worth, reverse=True)[:CALLS_MAX]
    return structs.replace(this, steps=tuple(step for step in this.steps if step in kept))


def _calls(
    page: Page, facts: Facts, this: Station, outside: Sequence[Outside], numbers: Mapping[Spot, int]
) -> list[Md]:
    """What a function leads to in this repository and outside, by line, and under which
    conditions."""
    lines = [(call.line, call.function, _sent(call)) for call in outside]
    lines += [
        (
            step.line,
            step.ends[0].name.partition("(")[0],
            md("{}{}", _step(page, facts, step, numbers), _again(step)),
        )
        for step in this.steps
        if not _is_only_getter(facts, step, numbers)
    ]
    lines.sort(key=lambda call: call[0])
    calls = tuple((line, _LAST.split(name)[-1]) for line, name, _ in lines)
    first = this.within[0] if this.within[0] > 1 else 0
    when = conditions(facts, this.spot.path, this.spot.name, calls, first)
    return [
        md("{}{}: {}", page.cite(Place(this.spot.path, line)), _when(some), words)
        for (line, _, words), some in zip(lines, when, strict=True)
    ]


def _again(step: Step) -> Md:
    """The later lines that call the same, which may do so under other conditions."""
    lines = [Md(str(line)) for line in step.again[:AGAIN_MAX]]
    more = ", …" if len(step.again) > AGAIN_MAX else ""
    word = "line" if len(step.again) == 1 else "lines"
    return md("; again in {} {}{}", word, joined(lines), more) if lines else _NONE


def _when(conditions: Sequence[Condition]) -> Md:
    return md(", {}", under(conditions)) if conditions else _NONE


def under(conditions: Sequence[Condition]) -> Md:
    """The innermost conditions, with the words that introduce them; conditions with the same word
    are joined, and of an argument of a call within an argument of another only the inner one is
    shown.
    """
    groups: list[tuple[str, list[Md]]] = []
    pairs = zip_longest(conditions, conditions[1:])
    near = [it for it, inner in pairs if not (inner and it.word == inner.word == "given")]
    for condition in near[-CONDITIONS_MAX:]:
        cases = [code(text, CONDITION_MAX) for text in condition.texts[:CASES_MAX]]
        left = len(condition.texts) - CASES_MAX
        last = " and " if condition.word == "where" else " or "
        words = joined([*cases, *([md("{} more", left)] if left > 0 else [])], last=last)
        form = _FORMS[condition.word]
        if groups and groups[-1][0] == form:
            groups[-1][1].append(words)
        else:
            groups.append((form, [words]))
    signs = {_FORMS["unless"]: " or "}
    return joined([md(form, joined(it, sign=signs.get(form, " and "))) for form, it in groups])


def _sent(this: Outside) -> Md:
    return md("{} of {}, which {}", code(this.function), code(this.package), this.does)


def _is_only_getter(facts: Facts, step: Step, numbers: Mapping[Spot, int]) -> bool:
    """Does a call only lead to a value that an object has?"""
    if step.handlers or not numbers.keys().isdisjoint((*step.ends, *step.through)):
        return False
    ends = step.ends[1:] if step.is_open else step.ends
    return bool(ends) and all(_is_getter(facts, end) for end in ends)


def _is_getter(facts: Facts, spot: Spot) -> bool:
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or symbol.doc or symbol.end - symbol.line > _GETTER_LINES:
        return False
    lines = some_lines(facts, spot.path, symbol.line, symbol.end)
    return _GETTER.search(" ".join(lines)) is not None


def _way(facts: Facts, spot: Spot) -> Md:
    """From where in the product a function is reached, and through which others."""
    way = way_to(facts, spot)
    if way is None or len(way[1]) > WAY_MAX:
        return _NONE
    start, (*through, _) = way
    begin = md("the {} {}", start.kind, code(start.name)) if start.kind else code(start.name)
    names = [code(it.name or it.path) for it in through]
    return md("Reached from {} through {}", begin, joined(names, sign=" → "))


def _callers(page: Page, facts: Facts, spot: Spot) -> Md:
    callers = callers_of(facts, spot.path, spot.name)
    places = [
        md("{} ({})", code(caller.name or caller.path), page.cite(Place(caller.path, line)))
        for caller, line in callers[:CALLERS_MAX]
    ]
    if len(callers) > CALLERS_MAX:
        return md("{} and {} more", joined(places), len(callers) - CALLERS_MAX)
    return joined(places, last=" and ")


def _constants(page: Page, facts: Facts, spot: Spot) -> Md:
    """The constants that a function uses, with their values and places."""
    lines = [
        md("{} is {} ({})", code(it.name), code(it.value), page.cite(Place(it.path, it.line)))
        for it in constants(facts, spot.path, spot.name)
    ]
    return joined(lines)


def _step(page: Page, facts: Facts, step: Step, numbers: Mapping[Spot, int]) -> Md:
    """What is called or passed on, its comment, and what implements it in other types; then where
    it leads without being a step itself."""
    first, *others = [_named(page, facts, spot, numbers) for spot in step.ends[: NAMED_MAX + 1]]
    if step.parameter:
        by = "by its caller here" if others else "here"
        values = joined([first, *others], last=" or ")
        first, others = md("{}, which is {} {}", code(step.parameter), by, values), []
    if step.is_passed and not step.handlers:
        return md("{}, which is passed on and not called here", first)
    if others:
        more = len(step.ends) - 1 - NAMED_MAX
        first = md(
            "{}, {} by {}{}", first, "implemented" if step.is_open else "overridden",
            joined(others), md(" and {} more", more) if more > 0 else _NONE,
        )  # fmt: skip
    on = [_named(page, facts, spot, numbers, True) for spot in step.through if spot in numbers]
    if on:
        first = md("{}; it leads to {}", first, joined(on, last=" and "))
    elif step.is_certain and step.end not in numbers:
        for it in outside_of(facts, step.end.path, step.end.name)[:1]:
            place = page.cite(Place(step.end.path, it.line))
            first = md("{}; it calls {}, {}", first, _sent(it), place)
    if step.is_later:
        first = md("{}; it is queued here and runs later", first)
    if step.handlers:
        handlers = [
            _named(page, facts, spot, numbers, True) for spot in step.handlers[:HANDLERS_MAX]
        ]
        more = len(step.handlers) - HANDLERS_MAX
        handlers += [md("{} more", more)] if more > 0 else []
        if step.end == step.handlers[0]:  # One of them runs.
            return md("{}: {}", step.does, joined(handlers, last=" or "))
        first = md("{} {}", step.does, first) if step.does else first
        by = (
            md("as it extends {}, the library calls", code(step.base))
            if step.base
            else "handled by"
        )
        first = md("{}; {} {}", first, by, joined(handlers, last=" and "))
    return first


def _named(
    page: Page, facts: Facts, spot: Spot, numbers: Mapping[Spot, int], is_listed: bool = False
) -> Md:
    if spot not in numbers:  # Of a type that which makes its objects may be a step.
        spot = made if (made := entered(facts, spot)) in numbers else spot
    symbol = symbol_of(facts, spot.path, spot.name)
    place = page.cite(Place(spot.path, symbol.line, symbol.end) if symbol else Place(spot.path))
    if spot in numbers:
        return md("{} (step {})" if is_listed else "{}, step {}", code(spot.name), numbers[spot])
    if symbol is not None and (sentence := meaning(symbol)):
        return md("{} ({}): “{}”", code(spot.name), place, sentence)
    only = only_statement(facts, spot.path, spot.name)
    does = md(", which is only {}", code(only, SIGNATURE_MAX)) if only else _NONE
    return md("{} ({}){}", code(spot.name), place, does)
