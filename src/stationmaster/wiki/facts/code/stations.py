"""The stations of a flow: functions with what they call, in the order of the source.

A call leads to what its file declares or imports, or to a method of the declared type of what it is
made on. Where several types have that method, all of them are listed, and none is followed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from operator import attrgetter

import msgspec

from stationmaster.catalogue import code
from stationmaster.reading.code.calling import INSTANCE
from stationmaster.reading.code.model import Call, Symbol
from stationmaster.wiki.facts.code.comments import defaults_end, lines_of, only_statement, symbol_of
from stationmaster.wiki.facts.code.names import called, choices, targets, types
from stationmaster.wiki.facts.code.steps.callbacks import (
    is_run,
    of_parameter,
    passed,
)
from stationmaster.wiki.facts.code.steps.channels import channels
from stationmaster.wiki.facts.code.steps.emitted import emitted
from stationmaster.wiki.facts.code.steps.libraries import extending, implementing, registered
from stationmaster.wiki.facts.code.steps.messages import forwarded, handled, may_send, sent
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.queued import queued
from stationmaster.wiki.facts.code.symbols import TYPES, maker_of, only_for_tests, suites
from stationmaster.wiki.facts.data.records import saved
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.tooling.programs.dispatching import dispatched

CALLS_MAX, STEPS_MAX = 24, 120
"""Of one function: the most that count, and the most that are read."""
LINES_MIN = 4
"""Of a function that is worth showing."""
_DECLARING = code.names("python.commands.declaring")
_DECLARING_SHARE, _DECLARING_DEPTH = 0.5, 2
"""Of the calls of a function that only declares options, itself or through others."""
_SCRIPTS = (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".php", ".py", ".rb", ".ts", ".tsx")
"""Where the top level of a file runs in its order."""
_VALUES = ("variable", "constant")
_FUNCTIONS = ("function", "method", "constructor")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WORDS = re.compile(r"[a-z](?:_[a-z]|[A-Z][a-z])")
_GIVING = re.compile(r"_{0,2}(?:get|has|is|set|to)(?:_|[A-Z])")
_ALIKE_MAX = 4
"""Functions of one name, any of which an object of an unknown type may have."""
_CLOSURE = re.compile(r"=>|\bfunction\b|\blambda\b|->")
_EMPTY = re.compile(r"yield from \(\)|\.\.\.|pass|return(?: None)?|raise NotImplementedError\b.*")
"""What the body of a function is that does nothing."""


class Station(msgspec.Struct, frozen=True, array_like=True):
    """A function on the way, and where it leads, in order. `left` more are not followed. `within`
    are the first and last line of the part of it that is shown, (0, 0) for all of it."""

    spot: Spot
    steps: tuple[Step, ...]
    left: int = 0
    within: tuple[int, int] = (0, 0)


class _Stations:
    """The stations of one commit that were computed; no data, so that no page depends on them."""

    def __init__(self) -> None:
        self.stations: dict[tuple[Spot, tuple[int, int]], Station] = {}


@query
def _stations(_: Facts) -> _Stations:
    return _Stations()


def station_of(facts: Facts, spot: Spot, within: tuple[int, int] = (0, 0)) -> Station:
    """A function, or a part of one or of a file's top level, with what it leads to, each once."""
    stations = _stations(facts).stations
    if (spot, within) not in stations:
        stations[spot, within] = _station(facts, spot, within)
    return stations[spot, within]


def _station(facts: Facts, spot: Spot, within: tuple[int, int]) -> Station:
    steps: dict[tuple[bool, tuple[Spot, ...]], Step] = {}
    calls = calls_of(facts, spot, within)
    for step in _called(facts, spot, calls):
        key = step.is_later, step.ends
        first = steps.setdefault(key, step)
        if first.line != step.line and step.line not in first.again[-1:]:
            steps[key] = msgspec.structs.replace(first, again=(*first.again, step.line))
    for (is_later, ends), step in [*steps.items()]:  # What is called on itself to be queued.
        later = None if is_later else steps.get((True, ends))
        if later and {step.line, *step.again} <= {later.line, *later.again}:
            del steps[is_later, ends]
    counts = Counter(line for step in steps.values() for line in (step.line, *step.again))
    for key, step in [*steps.items()]:  # What is asked for an instance is not what is done.
        is_shared = all(counts[line] > 1 for line in (step.line, *step.again))
        if is_shared and INSTANCE.fullmatch(step.ends[0].name.rpartition(".")[2]):
            del steps[key]
    for kind, line in forwarded(facts, spot, calls) if not within[0] else ():
        steps.setdefault((False, (kind,)), Step(spot, (kind,), line, is_passed=True))
    every = [_followed(facts, it) for it in handled(facts, spot, calls, [*steps.values()])]
    called = {step.ends[0] for step in every}
    for line, end in passed(facts, spot, within):
        if end not in called and end != spot:
            is_passed = not is_run(facts, spot.path, line)
            every.append(Step(spot, (end,), line, is_passed=is_passed))
            called.add(end)
    every += channels(facts, spot) if not within[0] else ()
    listed = sorted(every, key=lambda step: step.line)
    return Station(spot, tuple(listed[:STEPS_MAX]), len(listed[STEPS_MAX:]), within)


def _followed(facts: Facts, step: Step) -> Step:
    """A step with what it leads to behind a short function, and in a library."""
    through = _through(facts, step.end) if step.is_certain else ()
    made = None if step.handlers else extending(facts, step.ends[0])
    base, handlers = made or ("", step.handlers)
    handlers = tuple(end for end in handlers if end != step.start)
    if not (through or handlers):
        return step
    return msgspec.structs.replace(step, through=through, handlers=handlers, base=base)


def as_given(station: Station, way: Mapping[Spot, Station]) -> Station:
    """A function with what its parameters hold where it is called by the functions of a way, or by
    the parts of them that are shown; without a parameter for which those pass no known function."""
    if not any(step.givers for step in station.steps):
        return station
    steps = []
    for step in station.steps:
        pairs = zip(step.givers, step.ends, strict=False)
        here = [(giver, line, end) for (giver, line), end in pairs if giver in way]
        parts = ((way[giver].within, line, end) for giver, line, end in here)
        inside = (end for part, line, end in parts if not part[0] or part[0] <= line <= part[1])
        if ends := tuple(dict.fromkeys(inside)):
            steps.append(msgspec.structs.replace(step, ends=ends))
        elif not here:
            steps.append(step)
    return msgspec.structs.replace(station, steps=tuple(steps))


def _called(facts: Facts, spot: Spot, calls: Sequence[Call]) -> Iterator[Step]:
    """The steps of some calls of a function, in their order."""
    for call in calls:
        if several := [*queued(facts, spot, call), *emitted(facts, spot, call)]:
            yield from several
            continue
        for kind in _KINDS:
            if step := kind(facts, spot, call):
                yield step
                break


def _called_functions(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The functions of the product that a call runs."""
    ends = tuple(
        end for end in targets(facts, spot.path, call)
        if facts.records[end.path].file_class == "source"
    )  # fmt: skip
    if not ends or ends[0] == spot:
        return None
    is_open = types(facts).is_open((ends[0].path, ends[0].name))
    return Step(spot, implementing(facts, ends) if is_open else ends, call.line, is_open)


def _chosen(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The functions of which one runs, by the import of a name or by what a field is made of."""
    ends = choices(facts, spot.path, call)
    if len(ends) < 2:
        ends = tuple(dict.fromkeys(Spot(*it) for it in types(facts).choices(spot.path, call)))
    does, others = ("runs one of these", ends) if ends[1:] else ("", ())
    return Step(spot, ends[:1], call.line, does=does, handlers=others) if ends else None


_KINDS = (of_parameter, _called_functions, dispatched, _chosen, sent, saved, registered)
"""The readers of what a call leads to: the first with a result counts."""


@query
def only_declares(facts: Facts, path: str, name: str, depth: int = _DECLARING_DEPTH) -> bool:
    """Does a function hardly do more than declare options of a command line?"""
    calls = calls_of(facts, Spot(path, name)) if path.endswith(".py") else []

    def is_declaring(call: Call) -> bool:
        ends = targets(facts, path, call) if depth and not call.of else ()
        return call.name in _DECLARING or any(
            only_declares(facts, end.path, end.name, depth - 1) for end in ends
        )

    return sum(map(is_declaring, calls)) > _DECLARING_SHARE * len(calls)


def leads_to(facts: Facts, step: Step) -> Iterator[Spot]:
    """The functions that a step goes on in: what is called, or, where that is too short to be
    shown, what that calls in turn; then what handles what is made."""
    if step.is_certain and not step.does:
        yield entered(facts, step.end)
    yield from (*step.through, *step.handlers)


def _through(facts: Facts, spot: Spot) -> tuple[Spot, ...]:
    """The calls of a function that is too short to be shown, and what is put around it."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or symbol.kind in TYPES or symbol.end - symbol.line + 1 >= LINES_MIN:
        return ()
    ends = (
        entered(facts, step.end)
        for step in _called(facts, spot, calls_of(facts, spot))
        if step.is_certain
    )
    return tuple(dict.fromkeys((*ends, *decorators(facts, *spot))))


@query
def decorators(facts: Facts, path: str, name: str) -> tuple[Spot, ...]:
    """The functions of the product that are put around one of Python whose body does nothing, the
    outermost first: they do what it is called for."""
    is_empty = path.endswith(".py") and _EMPTY.fullmatch(only_statement(facts, path, name))
    symbol = symbol_of(facts, path, name) if is_empty else None
    ends = []
    for mark in symbol.marks if symbol else ():
        of, _, last = mark.partition("(")[0].rpartition(".")
        end = called(facts, path, Call(last, 0, of))
        decorator = symbol_of(facts, *end) if end else None
        ends += [end] if end and decorator and decorator.kind in _FUNCTIONS else []
    return tuple(ends)


def entered(facts: Facts, spot: Spot) -> Spot:
    """A function, or what makes an object of a type."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is not None and symbol.kind in TYPES:
        made = Spot(spot.path, f"{spot.name}.{maker_of(spot.path, symbol.name)}")
        if symbol_of(facts, made.path, made.name) is not None:
            return made
    return spot


def calls_of(facts: Facts, spot: Spot, within: tuple[int, int] = (0, 0)) -> list[Call]:
    """The calls of a function and of those that it declares for itself, or of a file's top level,
    or those on some lines of it."""
    by_caller = _calls(facts, spot.path)
    names = (spot.name, *(_inner(facts, spot.path).get(spot.name, ()) if spot.name else ()))
    calls = [call for name in names for call in by_caller.get(name, ())]
    head = defaults_end(facts, spot.path, spot.name) if calls else 0
    others = _others(facts, spot.path).get(spot.name, ())
    return [
        call for call in sorted(calls, key=attrgetter("line"))
        if call.line > head and (not within[0] or within[0] <= call.line <= within[1])
        and not any(other.line <= call.line <= other.end for other in others)
    ]  # fmt: skip


@query
def uncertain_calls(facts: Facts, path: str, name: str) -> tuple[int, ...]:
    """The lines at which a function calls itself, or on something of an unknown type what has the
    name, of several words, of few functions of the product, or may send a message."""
    steps = station_of(facts, Spot(path, name)).steps
    known = {line for step in steps for line in (step.line, *step.again)}
    own, few = name.rpartition(".")[2], _few(facts)
    calls = calls_of(facts, Spot(path, name))
    lines = (
        it.line
        for it in calls
        if (it.of and it.name in few) or it.name == own or may_send(facts, it)
    )
    return tuple(dict.fromkeys(line for line in lines if line not in known))


@query
def _few(facts: Facts) -> frozenset[str]:
    """The names of several words that only one function or method of the product has, or a few
    have that are more than to give or to set something."""
    counts = Counter(
        symbol.name
        for path, code in facts.code.items()
        if facts.records[path].file_class == "source"
        for symbol in code.symbols
        if symbol.kind in _FUNCTIONS
    )
    return frozenset(
        name
        for name, count in counts.items()
        if count <= (1 if _GIVING.match(name) else _ALIKE_MAX) and _WORDS.search(name)
    )


@query
def _inner(facts: Facts, path: str) -> Mapping[str, tuple[str, ...]]:
    """The functions that one declares within itself and names there, by the outer one. A function
    that it only marks, such as a route, is run by others."""
    symbols = {it.qualified: it for it in facts.code[path].symbols if it.kind in _FUNCTIONS}
    inner = [it for it in symbols.values() if it.kind == "function" and it.container in symbols]
    lines = _named_on(facts, path, frozenset(it.name for it in inner)) if inner else {}
    inner_of: dict[str, list[str]] = defaultdict(list)
    for symbol in reversed(inner):  # Those within it come before it.
        outer = symbols[symbol.container]
        named = lines.get(symbol.name, ())
        before = bisect_left(named, symbol.line) - bisect_left(named, outer.line + 1)
        behind = bisect_right(named, outer.end) - bisect_right(named, symbol.end)
        if before + behind > 0:
            inner_of[outer.qualified] += (symbol.qualified, *inner_of.get(symbol.qualified, ()))
    return {name: tuple(names) for name, names in inner_of.items()}


def _named_on(facts: Facts, path: str, names: Container[str]) -> Mapping[str, list[int]]:
    """The lines of a file that contain some words, by word."""
    lines_of_word: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines_of(facts, path), 1):
        for word in _WORD.findall(line):
            if word in names:
                lines_of_word[word].append(number)
    return lines_of_word


@query
def _others(facts: Facts, path: str) -> Mapping[str, list[Symbol]]:
    """Further symbols of one qualified name, such as a function for another system."""
    others: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in facts.code[path].symbols:
        own = symbol_of(facts, path, symbol.qualified)
        if own and (symbol.end < own.line or own.end < symbol.line):
            others[symbol.qualified].append(symbol)
    return others


@query
def callers_of(facts: Facts, path: str, name: str) -> tuple[tuple[Spot, int], ...]:
    """The functions that call one, as it is declared for what they call it on, or pass it on, with
    the line; by path."""
    return _callers(facts).get(Spot(path, name), ())


@query
def _callers(facts: Facts) -> Mapping[Spot, tuple[tuple[Spot, int], ...]]:
    """The callers of each function with their lines. Used by other queries only."""
    callers: dict[Spot, dict[tuple[str, int], Spot]] = defaultdict(dict)
    for path in facts.code:
        if facts.records[path].file_class != "source" or path in suites(facts):
            continue
        tests = only_for_tests(facts, path)
        for name in (it for it in _calls(facts, path) if it not in tests):
            for step in station_of(facts, Spot(path, name)).steps:
                if step.parameter and not step.is_certain:
                    continue  # Each of its callers gives another function.
                end = step.end if step.is_certain else step.ends[0]
                callers[end].setdefault((path, step.line), Spot(path, name))
    return {end: tuple((it, line) for (_, line), it in by.items()) for end, by in callers.items()}


@query
def _calls(facts: Facts, path: str) -> Mapping[str, tuple[Call, ...]]:
    """The calls of a file by caller; '' for its top level, with calls that set its variables."""
    calls_by: dict[str, list[Call]] = defaultdict(list)
    symbols = facts.code[path].symbols if path.endswith(_SCRIPTS) else ()
    values = {it.name: it.line for it in symbols if it.kind in _VALUES and not it.container}
    lines = lines_of(facts, path) if values else ()
    for call in facts.code[path].calls:
        is_run = values.get(call.caller) == call.line and not _CLOSURE.search(lines[call.line - 1])
        for name in (call.caller, "") if is_run else (call.caller,):
            calls_by[name].append(call)
    by_line = attrgetter("line")
    return {name: tuple(sorted(calls, key=by_line)) for name, calls in calls_by.items()}
