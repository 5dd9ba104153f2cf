"""What happens from an entry point on, along calls that are certain: edges of 0.85 and more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.modules import module_of, slug
from stationmaster.wiki.facts.code.names import Spot, called
from stationmaster.wiki.facts.code.programs import program_of
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Facts, query

FLOWS_MAX = 4
STEPS_MAX = 20
STEPS_MIN = 4
DEPTH_MAX = 5
STARTS_MAX = 400
_SCRIPT_LINES = 40
"""Behind the beginning of a script: what it does at top level."""

Stop = Literal["end", "depth", "length"]
STOPS: Mapping[Stop, str] = {
    "end": "the code calls nothing further whose target is certain",
    "depth": f"calls are followed {DEPTH_MAX} levels deep",
    "length": f"only the first {STEPS_MAX} calls are listed",
}


class Step(msgspec.Struct, frozen=True, array_like=True):
    """`start` calls `end` at a line of its file; `depth` counts from 1."""

    start: Spot
    end: Spot
    line: int
    depth: int


class Flow(msgspec.Struct, frozen=True):
    """`key` is that of its page. `doubtful` counts calls on the way of which nobody is certain
    where they lead."""

    key: str
    name: str
    start: Spot
    line: int
    steps: tuple[Step, ...]
    stop: Stop
    doubtful: int


@query
def flows(facts: Facts) -> tuple[str, ...]:
    """The keys of the flows that are worth a page: those through most modules first."""
    return tuple(_flows(facts))


@query
def flow(facts: Facts, key: str) -> Flow:
    return _flows(facts)[key]


@query
def _flows(facts: Facts) -> Mapping[str, Flow]:
    found = []
    for number, (name, start, line) in enumerate(_starts(facts)):
        if number == STARTS_MAX:
            break
        walked = walk(facts, name, start, line)
        modules = {module_of(facts, step.end.path) for step in walked.steps} - {""}
        if len(walked.steps) >= STEPS_MIN and len({s.end.path for s in walked.steps}) > 1:
            found.append((-len(modules), -len(walked.steps), start.path, start.name, walked))
    chosen: dict[str, Flow] = {}
    for *_, walked in sorted(found, key=lambda each: each[:4]):
        if walked.key not in chosen and len(chosen) < FLOWS_MAX:
            chosen[walked.key] = walked
    return chosen


def _starts(facts: Facts) -> Iterator[tuple[str, Spot, int]]:
    """Programs, then commands, then routes: a name, what is called first, and the line."""
    sources = [path for path in facts.code if facts.records[path].file_class == "source"]
    for path in sources:
        for entry in facts.code[path].entries:
            name = entry.name if entry.kind == "script" else entry.symbol
            if name.strip("_").lower() in ("", "main", "#!", "run", "cli"):
                name = program_of(facts, path)
            yield name, Spot(path, entry.symbol), entry.line
    for path in sources:
        for command in facts.code[path].commands:
            if command.handler:
                name = " ".join(command.words) or command.handler
                yield name, Spot(path, command.handler), command.line
    whole = {(each.path, each.line): each.route for each in endpoints(facts)}
    for path in sources:
        for route in facts.code[path].routes:
            if route.handler:
                told = whole.get((path, route.line), route.path)
                yield f"{route.method} {told}", Spot(path, route.handler), route.line


def walk(facts: Facts, name: str, start: Spot, line: int) -> Flow:
    steps: list[Step] = []
    spots: set[Spot] = {start}
    doubtful = 0
    stop: Stop = "end"
    open_: list[tuple[Spot, Iterator[Call]]] = [(start, calls_of(facts, start, line))]
    while open_ and len(steps) < STEPS_MAX:
        spot, calls = open_[-1]
        call = next(calls, None)
        if call is None:
            open_.pop()
            continue
        end = called(facts, spot.path, call)
        if end is None:
            doubtful += 1
        elif end not in spots and facts.records[end.path].file_class == "source":
            spots.add(end)
            steps.append(Step(spot, end, call.line, len(open_)))
            if len(open_) < DEPTH_MAX:
                open_.append((end, calls_of(facts, end, 0)))
            else:
                stop = "depth"
    if len(steps) == STEPS_MAX:
        stop = "length"
    return Flow(f"concepts/how-{slug(name)}", name, start, line, tuple(steps), stop, doubtful)


def calls_of(facts: Facts, spot: Spot, line: int) -> Iterator[Call]:
    """The calls of a function, or those of a script's top level behind a line."""
    found = _calls(facts, spot.path).get(spot.name, ())
    return iter([
        each for each in found if spot.name or line <= each.line <= line + _SCRIPT_LINES
    ])  # fmt: skip


@query
def _calls(facts: Facts, path: str) -> Mapping[str, tuple[Call, ...]]:
    found: dict[str, list[Call]] = defaultdict(list)
    for each in facts.code[path].calls:
        found[each.caller].append(each)
    return {name: tuple(sorted(calls, key=lambda each: each.line)) for name, calls in found.items()}
