"""What a function calls, in order: one line a call, a table for the cases of a choice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise, zip_longest
from typing import NamedTuple

from stationmaster.reading.code.bodies import Condition
from stationmaster.wiki.checks.scanning import anchor_of
from stationmaster.wiki.facts.code.comments import (
    Conditions,
    conditions,
    only_statement,
    some_lines,
    symbol_of,
)
from stationmaster.wiki.facts.code.stations import Station, decorators, entered, uncertain_calls
from stationmaster.wiki.facts.code.steps.libraries import made_by_macros
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.weights import (
    LISTED_MAX,
    is_aside,
    is_reading,
    is_reporting,
    weight,
)
from stationmaster.wiki.facts.interfaces.outgoing import Outside, outside_of
from stationmaster.wiki.facts.model import Facts, Spot, title_of
from stationmaster.wiki.facts.subjects.explained import explained_at
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page, points, table

NAMED_MAX, HANDLERS_MAX = 3, 8
"""Implementations of a method, and handlers, that are named."""
CONDITIONS_MAX, CASES_MAX, CONDITION_MAX = 2, 4, 80
"""Conditions of a call, the innermost ones; of one `else`; and letters of each."""
CHOICE_MIN, ROWS_MAX = 3, 40
"""Cases of which a table is made, and calls in it."""
ONLY_MAX = 120
_ASIDE = 1000
"""By how much less a call of a helper weighs, which is listed where there is room."""
_CHOOSES = re.compile(r"(?:switch|match|select|when)\b")
_RUBY = re.compile(r"case\b"), re.compile(r"(?:when|in|else)\b")
"""A choice in Ruby and one of its cases; elsewhere `case` begins a case."""
_BESIDE = (
    re.compile(r"^\s*(?:go|spawn|detach) "),
    re.compile(r"\b(?:create_task|ensure_future|Thread|Process|spawn|start_soon|submit)\("),
)
"""Lines that begin what runs while they go on."""
_LAST = re.compile(r"[.:>]+")
_FORMS = {
    "in": "in {}", "where": "where {}", "unless": "unless {}", "else": "in `else` of {}",
    "within": "in {}", "given": "in what {} is given", "returned": "in what is returned",
}  # fmt: skip
_NONE = Md("")


class Call(NamedTuple):
    """A call at a line, in words. `is_main`: it leads to what is explained, or out of the
    repository; `worth` orders the others. `repeats` is the line of the first call of the same, 0
    for that itself."""

    line: int
    name: str
    words: Md
    is_main: bool
    worth: float
    repeats: int = 0


_Stated = tuple[Call, Conditions]


def calls_of(
    page: Page, facts: Facts, this: Station, outside: Sequence[Outside],
    numbers: Mapping[Spot, int], shown: Container[int],
) -> tuple[list[Md], int]:  # fmt: skip
    """Blocks of a page with the calls that say most, and how many more there are. Of those in lines
    that are `shown` the conditions are to be seen, and what they call by its name."""
    sent = (Call(it.line, it.function, _sent(it), True, 0) for it in outside)
    called = [_calls(page, facts, step, numbers) for step in this.steps]
    every = sorted(chain(sent, *called), key=lambda it: (it.line, it.repeats))
    left = this.left + called.count([]) + len(uncertain_calls(facts, *this.spot))
    first = this.within[0] if this.within[0] > 1 else 0
    names = tuple((it.line, _LAST.split(it.name)[-1]) for it in every)
    when = conditions(facts, this.spot.path, this.spot.name, names, first)
    cases: dict[tuple[Condition, ...], set[Condition]] = defaultdict(set)
    calls = _distinct(zip(every, when, strict=True))
    firsts = [it for it in calls if not it[0].repeats]
    for _, it in firsts:
        for choice in _choices(it.around):
            cases[choice].add(it.around[len(choice)])
    choices = {choice for choice, some in cases.items() if len(some) >= CHOICE_MIN}
    chosen = [it for it in firsts if _choice(it[1].around, choices)][:ROWS_MAX]
    others = [it for it in firsts if it not in chosen]
    others.sort(key=_rank)
    listed = [*chosen, *others[:LISTED_MAX]]
    seen = {(it.line, it.name) for it, _ in listed}
    again = sorted((it for it in calls if (it[0].repeats, it[0].name) in seen), key=_rank)
    rows = [it for it in again if _choice(it[1].around, choices)][: ROWS_MAX - len(chosen)]
    left_out = [it[0] for it in again if it not in rows]
    kept = [*(_with(page, this.spot.path, it, left_out, shown) for it in listed), *rows]
    kept.sort(key=lambda it: it[0].line)
    left += len(others[LISTED_MAX:])
    blocks = [*_blocks(page, this.spot.path, kept, choices, shown)]
    return blocks, left


def _distinct(calls: Iterable[_Stated]) -> list[_Stated]:
    """Calls without those that repeat one under the same conditions."""
    first: dict[tuple[str, int, tuple[Condition, ...]], _Stated] = {}
    for call, when in calls:
        first.setdefault((call.name, call.repeats or call.line, when.around), (call, when))
    return [*first.values()]


def _with(
    page: Page, path: str, stated: _Stated, repeats: Sequence[Call], shown: Container[int]
) -> _Stated:
    """A call under a condition with the places of those that repeat it, where the code does not
    show them: of one that it shows itself, only if the call leads on."""
    call, when = stated
    lines = [it.line for it in repeats if (it.repeats, it.name) == (call.line, call.name)]
    lines = [it for it in lines if it not in shown]
    if not lines or not when.around or (call.line in shown and not call.is_main):
        return stated
    places = [page.cite(Place(path, line)) for line in lines[:NAMED_MAX]]
    more = len(lines) - NAMED_MAX
    also = joined([*places, *([md("{} more", more)] if more > 0 else [])], last=" and ")
    return call._replace(words=md("{}; also at {}", call.words, also)), when


def _rank(stated: _Stated) -> tuple[bool, float]:
    return not stated[0].is_main, -stated[0].worth


def _calls(page: Page, facts: Facts, step: Step, numbers: Mapping[Spot, int]) -> list[Call]:
    """A call at its lines; nothing for one that only reports something, or of which there is
    nothing to say."""
    if is_reporting(facts, *step.end):
        return []
    is_main = (
        bool(step.handlers)
        or step.is_later
        or any(it in numbers for it in (*step.ends, *step.through))
    )
    is_main = is_main or any(_elsewhere(page, facts, it) for it in step.ends)
    if step.is_certain or step.is_open:
        is_main = is_main or any(outside_of(facts, *it) for it in step.ends)
    symbols = [symbol_of(facts, it.path, it.name) for it in step.ends]
    worth = max(weight(facts, it) for it in step.ends)
    worth += any(it is not None and bool(meaning(facts, it)) for it in symbols)
    is_beside = is_aside(facts, step.end)
    worth = worth or ("(" in _only(facts, step.end) and not is_beside)
    if not (is_main or worth) or (step.end not in numbers and is_reading(facts, step.end)):
        return []
    words = md("{}{}", _step(page, facts, step, numbers), _beside(facts, step))
    is_first = is_main and not (is_beside and step.end not in numbers)
    worth = worth / (_ASIDE if is_beside else 1)
    call = Call(step.line, step.ends[0].name.partition("(")[0], words, is_first, worth)
    is_plain = not (step.handlers or step.parameter)
    short = _placed(page, facts, step.ends[0], numbers) if is_plain else words
    again = (call._replace(line=it, words=short, repeats=step.line) for it in step.again)
    return [call, *again]


def _blocks(
    page: Page, path: str, calls: Sequence[_Stated], choices: Container[tuple[Condition, ...]],
    shown: Container[int],
) -> Iterator[Md]:  # fmt: skip
    """Lists, and tables of choices, in the order of the source."""
    lines: list[Md] = []
    passed = set[str]()
    for choice, of_choice in groupby(calls, key=lambda it: _choice(it[1].around, choices)):
        some = [*of_choice]
        if choice:
            yield from [points(lines)] if lines else ()
            lines = []
            head = _texts(choice[-1])
            rows = [
                (_texts(case), joined([*_lines(page, path, inside, len(choice) + 1)], "; "))
                for case, inside in groupby(some, key=lambda it: it[1].around[len(choice)])
            ]
            before = under(choice[:-1], CONDITIONS_MAX)
            yield md("By {}{}:", head, md(", {}", before) if before else _NONE)
            yield table(("Case", "Calls"), rows)
        else:
            lines += _grouped(page, path, some, shown, passed)
    yield from [points(lines)] if lines else ()


def _grouped(
    page: Page, path: str, calls: Sequence[_Stated], shown: Container[int], passed: set[str]
) -> Iterator[Md]:
    """Lines of calls, those under the same conditions in one. A guard is named with the first call
    behind it; `passed` are those named before."""

    def when(it: _Stated) -> Md:
        call, stated = it
        if call.line in shown:
            return _NONE
        new = (it for at, it in stated.guards if at not in shown)
        guards = [it for it in new if not passed.issuperset(it.texts)]
        passed.update(text for guard in guards for text in guard.texts)
        return under([*stated.around[-CONDITIONS_MAX:], *guards[-1:]])

    for before, inside in groupby([(when(it), it[0]) for it in calls], key=lambda it: it[0]):
        every = [(page.cite(Place(path, call.line)), call.words) for _, call in inside]
        if before and len(every) > 1:
            lines = [md("{} {}", *it) for it in every]
            yield md("{}: {}", Md(before[0].upper() + before[1:]), joined(lines, "; "))
        else:
            behind = md(", {}", before) if before else _NONE
            yield from (md("{}{}: {}", place, behind, words) for place, words in every)


def _choice(
    around: Sequence[Condition], choices: Container[tuple[Condition, ...]]
) -> tuple[Condition, ...]:
    """The conditions down to the innermost of some choices; () for none."""
    return next((it for it in reversed(_choices(around)) if it in choices), ())


def _choices(around: Sequence[Condition]) -> list[tuple[Condition, ...]]:
    """The conditions down to the outermost choice of several cases, and to those that begin such a
    case in turn."""
    choices = list[tuple[Condition, ...]]()
    for at, (condition, case) in enumerate(pairwise(around)):
        texts = condition.texts[-1], case.texts[-1]
        is_ruby = all(map(re.Pattern.match, _RUBY, texts))
        is_choice = condition.word == "in" and (is_ruby or _CHOOSES.match(texts[0]))
        if is_choice and (not choices or at == len(choices[-1]) + 1):
            choices.append(tuple(around[: at + 1]))
    return choices


def _lines(page: Page, path: str, calls: Iterator[_Stated], depth: int) -> Iterator[Md]:
    for call, stated in calls:
        when = under(stated.around[depth:])
        place = page.cite(Place(path, call.line))
        yield md("{}{}: {}", place, md(", {}", when) if when else _NONE, call.words)


def _texts(condition: Condition) -> Md:
    cases = [code(text, CONDITION_MAX) for text in condition.texts[:CASES_MAX]]
    left = len(condition.texts) - CASES_MAX
    last = " and " if condition.word == "where" else " or "
    return joined([*cases, *([md("{} more", left)] if left > 0 else [])], last=last)


def under(conditions: Sequence[Condition], most: int = CONDITIONS_MAX + 1) -> Md:
    """The innermost conditions, with the words that introduce them. Those of one function with the
    same word are joined; of an argument of a call within an argument of another only the inner one
    is shown.
    """
    groups: list[tuple[str, list[Md]]] = []
    start = 0
    pairs = zip_longest(conditions, conditions[1:])
    near = [it for it, inner in pairs if not (inner and it.word == inner.word == "given")]
    for condition in near[-most:]:
        start = len(groups) if condition.is_function else start
        before = [Condition("unless", condition.before)] if condition.before else []
        for part in (condition, *before):
            form = _FORMS[part.word]
            group = next((it for at, it in groups[start:] if at == form), None)
            if group is None:
                groups.append((form, group := []))
            group.append(_texts(part))
    signs = {_FORMS["unless"]: " or "}
    return joined([md(form, joined(it, sign=signs.get(form, " and "))) for form, it in groups])


def _sent(this: Outside) -> Md:
    return md("{} of {}, which {}", code(this.function), code(this.package), this.does)


def _beside(facts: Facts, step: Step) -> Md:
    """Where a call runs while its caller goes on."""
    text = some_lines(facts, step.start.path, step.line, step.line)
    is_beside = bool(text) and any(form.search(text[0]) for form in _BESIDE)
    return Md("; it runs beside what follows") if is_beside and not step.is_later else _NONE


def _step(page: Page, facts: Facts, step: Step, numbers: Mapping[Spot, int]) -> Md:
    """What is called or passed on, its comment, and what implements it in other types; then where
    it leads without being a step itself."""
    first = named(page, facts, step.ends[0], numbers)
    others = [_placed(page, facts, it, numbers) for it in step.ends[1 : NAMED_MAX + 1]]
    more = len(step.ends) - 1 - NAMED_MAX
    if step.parameter:
        by = "by its caller here" if others else "here"
        values = joined([first, *others], last=" or ")
        rest = md(", or one of {} more", more) if more > 0 else _NONE
        first, others = md("{}, which is {} {}{}", code(step.parameter), by, values, rest), []
    if step.is_passed and not step.handlers:
        return md("{}, which is passed as a value", first)
    if others:
        is_macro = step.ends[0].name.split(".")[0] in made_by_macros(facts)
        rest = md(" and {} more", more) if more > 0 else _NONE
        first = md(
            "{}, {} by {}{}", first, "implemented" if step.is_open else "overridden",
            joined(others), Md(" and others, which a macro makes") if is_macro else rest,
        )  # fmt: skip
    on = [_placed(page, facts, spot, numbers) for spot in step.through if spot in numbers]
    if on:
        first = md("{}; it leads to {}", first, joined(on, last=" and "))
    elif step.is_certain and step.end not in numbers:
        for it in outside_of(facts, step.end.path, step.end.name)[:1]:
            place = page.cite(Place(step.end.path, it.line))
            first = md("{}; it calls {}, {}", first, _sent(it), place)
    if step.is_later:
        first = md("{}; it is queued here and runs later", first)
    return _handled(page, facts, step, first, numbers) if step.handlers else first


def _handled(page: Page, facts: Facts, step: Step, called: Md, numbers: Mapping[Spot, int]) -> Md:
    """What is called, with what handles it or runs for it."""
    asked = dict(step.asked)
    handlers = [
        md("{}, only {}", placed, code(asked[spot])) if spot in asked else placed
        for spot in step.handlers[:HANDLERS_MAX]
        for placed in [_placed(page, facts, spot, numbers)]
    ]
    more = len(step.handlers) - HANDLERS_MAX
    handlers += [md("{} more", more)] if more > 0 else []
    if step.end == step.handlers[0]:  # One of them runs.
        return md("{}: {}", step.does, joined(handlers, last=" or "))
    by = "where it is sent, handled by" if step.is_unsent else "handled by"
    if step.base:
        by = md("as it extends {}, the library calls", code(step.base))
    called = md("{} {}", step.does, called) if step.does else called
    called = md("{}; {} {}", called, by, joined(handlers, last=" and "))
    around = [_placed(page, facts, it, numbers) for it in step.around]
    return md("{}, behind {}", called, joined(around, last=" and ")) if around else called


def _placed(page: Page, facts: Facts, spot: Spot, numbers: Mapping[Spot, int]) -> Md:
    """A function with the number of its step, or the page that explains it, or its place."""
    if spot not in numbers:  # Of a type that which makes its objects may be a step.
        spot = made if (made := entered(facts, spot)) in numbers else spot
    if spot in numbers:
        number = numbers[spot]
        return md("{} ({})", code(spot.name), md("step {}", number) if number else "below")
    symbol = symbol_of(facts, spot.path, spot.name)
    place = Place(spot.path, symbol.line, symbol.end) if symbol else Place(spot.path)
    return md("{} ({})", code(spot.name), _elsewhere(page, facts, spot) or page.cite(place))


def named(page: Page, facts: Facts, spot: Spot, numbers: Mapping[Spot, int]) -> Md:
    """The same with its comment, or with what it only is, where it is no step of this page."""
    shown = _placed(page, facts, spot, numbers)
    symbol = symbol_of(facts, spot.path, spot.name)
    if spot not in numbers and entered(facts, spot) not in numbers:
        if symbol is not None and (sentence := meaning(facts, symbol)):
            return md("{}: “{}”", shown, sentence)
        only = _only(facts, spot)
        return md("{}, which is only {}", shown, code(only, ONLY_MAX)) if only else shown
    return shown


def _only(facts: Facts, spot: Spot) -> str:
    """The only statement of a function; '' where decorators do what it is called for."""
    return "" if decorators(facts, *spot) else only_statement(facts, *spot)


def elsewhere(page: Page, facts: Facts, spot: Spot) -> Md:
    """A function with its comment and a link to the page that explains it, if another one does."""
    return named(page, facts, spot, {}) if _elsewhere(page, facts, spot) else _NONE


def _elsewhere(page: Page, facts: Facts, spot: Spot) -> Md:
    spot = entered(facts, spot)
    place = explained_at(facts, spot.path, spot.name)
    title = title_of(facts, place.key) if place and place.key != page.key else None
    if place is None or title is None:
        return _NONE
    heading = step_title(spot, place.number)
    return page.link(place.key, title, anchor_of(heading))


def step_title(spot: Spot, number: int) -> Md:
    """The heading of a function on the page that explains it."""
    name = code(spot.name or spot.path)
    return md("Step {}: {}", number, name) if number else name
