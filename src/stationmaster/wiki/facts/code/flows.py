"""What happens from a function on: the functions that it leads to, in the order of their calls."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, zip_longest

import msgspec

from stationmaster.catalogue.code import names
from stationmaster.reading.code.bodies import Chance
from stationmaster.wiki.facts.code.comments import (
    chance,
    lines_of,
    symbol_of,
)
from stationmaster.wiki.facts.code.modules import module_of, slug
from stationmaster.wiki.facts.code.names import users_of
from stationmaster.wiki.facts.code.programs import is_declared, is_unnamed
from stationmaster.wiki.facts.code.starts import CALL, PROGRAM, PROGRAMS, Start, starts
from stationmaster.wiki.facts.code.stations import Station, as_given, leads_to, station_of
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.weights import is_helper, room_of, share_of, weight
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts, Spot, of_file, query
from stationmaster.wiki.facts.parting import area
from stationmaster.wiki.facts.texts.examples import uses
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.facts.tooling.programs.launched import launched_files

FLOWS_MAX = 40
FEWEST, FILES_PER_FLOW = 8, 40
"""A repository has one flow for so many files of code, and a few more."""
SAME_SHARE, SAME_SHARE_OF_COMMANDS = 0.5, 0.65
"""The share of its functions that a flow may have in common with an earlier one; larger for
commands, which people look up by name."""
STATIONS_MAX, PROGRAM_MAX = 12, 16
"""Functions of a flow that are shown, and of that of a program."""
STEPS_MIN = 3
DEPTH_MAX = 6
STARTS_MAX = 400
WEIGHT_MIN = 1
"""Of a function that a page with limited room shows."""
USERS_MAX = 8
"""Files that use a function into which a flow goes."""
_RETURNED_WORTH = {"always": 6, "condition": 3, "failure": 1}
"""The factor for a call whose result is returned, by how often the call runs."""
_SHARES = {"always": 1, "condition": 0.7, "failure": 0.1}
"""What counts of a function that is called under a condition, or where something has failed."""
_PASSED_WORTH = 2
"""The factor for a function that is passed as an argument to be called."""
CALLS_MAX = 3
"""Of what users of a library call."""
_LINE_MAX = 300
"""Characters of a line that are read."""
_RETURNS = re.compile(r"\s*(?:return|yield)\b\s*(?:await\s+)?(?:\$?(\w+)\s*(?:[;,].*)?$)?")
_KEPT_IN = re.compile(r"\s*(?:(?:const|let|var|val|final|auto)\s+)?\$?(\w++)[^=(]{0,80}=(?!=)")
_BESIDE = names("shared.programs.beside")


class Flow(msgspec.Struct, frozen=True):
    """A flow with the `key` of its page; the first station is where it starts. Its beginning is
    declared at `line` of the file `path`; its `kind` is '' for a route."""

    key: str
    name: str
    start: Spot
    path: str
    line: int
    stations: tuple[Station, ...]
    kind: str = ""

    @property
    def steps(self) -> list[Step]:
        """All calls of its stations."""
        return [step for station in self.stations for step in station.steps]


@query
def flows(facts: Facts) -> tuple[str, ...]:
    """The keys of the flows that get a page: of each kind of beginning in turn the flow through
    most modules, first one for each part of the paths."""
    return tuple(_flows(facts))


@query
def flow(facts: Facts, key: str) -> Flow:
    return _flows(facts)[key]


@query
def _flows(facts: Facts) -> Mapping[str, Flow]:
    candidates = []
    for number, start in enumerate(starts(facts)):
        if number == STARTS_MAX:
            break
        walked = _from(facts, start)
        modules = {module_of(facts, step.end.path) for step in walked.steps} - {""}
        is_wide = walked.kind == CALL or len({step.end.path for step in walked.steps}) > 1
        if (is_wide and len(walked.steps) >= STEPS_MIN) or (
            walked.steps and _is_declared(facts, walked)
        ):
            size = len(modules), len(walked.steps)
            candidates.append((-size[0], -size[1], start.path, start.name, walked))
    ordered = [walked for *_, walked in sorted(candidates, key=lambda candidate: candidate[:4])]
    others = [
        it for it in ordered
        if it.kind not in PROGRAMS or not is_unnamed(facts, it.path, it.name)
    ]  # fmt: skip
    if any(walked.kind in PROGRAMS for walked in others):
        ordered = others
    by_kind: dict[str, list[Flow]] = defaultdict(list)
    for walked in ordered:
        by_kind[walked.kind].append(walked)
    declared = {it.path for it in programs(facts)}
    begun = by_kind.get(PROGRAM, [])
    begun = [it for it in begun if it.path in declared] or begun
    if own := [walked for walked in begun if walked.name not in _BESIDE]:
        by_kind[PROGRAM] = own
    for kind, some in by_kind.items():  # Examples only show what users of the library do.
        own = [it for it in some if kind == CALL or not is_aside(it.start.path)]
        by_kind[kind] = own if own or CALL in by_kind else some
    if CALL in by_kind:
        by_kind[CALL] = _of_library(facts, by_kind[CALL])
    most = min(FLOWS_MAX, FEWEST + len(facts.code) // FILES_PER_FLOW)
    first = [walked for walked in by_kind.get(PROGRAM, ()) if _is_declared(facts, walked)]
    chosen = {walked.key: walked for walked in reversed(first)}
    for walked in filter(None, chain.from_iterable(zip_longest(*map(_spread, by_kind.values())))):
        is_same = any(_is_same(walked, other) for other in chosen.values())
        if len(chosen) < most and walked.key not in chosen and not is_same:
            chosen[walked.key] = walked
    kinds, called = [*by_kind], facts.commit.name
    ordered = sorted(chosen.values(), key=lambda it: (kinds.index(it.kind), it.name != called))
    return {walked.key: walked for walked in ordered}


def _of_library(facts: Facts, calls: Sequence[Flow]) -> list[Flow]:
    """The flows of functions that documents call, first those that go through others, then those
    of constructors of the receivers; without such calls, the flows of all public functions."""
    uses_ = {use.spot: (number, use) for number, use in enumerate(uses(facts))}
    first = [walked for walked in calls if uses_[walked.start][1].is_first]
    inside = {station.spot for walked in first for station in walked.stations[1:]}
    first.sort(key=lambda it: (not uses_[it.start][1].is_by_itself, it.start in inside))
    holders = {uses_[walked.start][1].holder for walked in first}
    kept: list[Flow] = []
    for walked in (*first, *(walked for walked in calls if walked not in first)):
        number, use = uses_[walked.start]
        is_beside = not use.is_first and (use.kind != "maker" or use.holder not in holders)
        same = next((at for at, other in enumerate(kept) if _is_same(walked, other)), None)
        if same is not None and use.is_first and number < uses_[kept[same].start][0]:
            kept[same] = walked  # Of two that go through the same the one that is called most.
        elif same is None and len(kept) < CALLS_MAX and not (first and is_beside):
            kept.append(walked)
    return kept


def _is_declared(facts: Facts, this: Flow) -> bool:
    """Is it that of a program which a manifest names?"""
    is_launched = this.path in launched_files(facts)
    return this.kind == PROGRAM and is_declared(facts, this.path) and not is_launched


def _spread(flows: Sequence[Flow]) -> list[Flow]:
    """The flows, first one for each part of the paths, then the others."""
    firsts: dict[str, Flow] = {}
    for flow in flows:
        subject = flow.name if flow.kind else area(flow.name.partition(" ")[2])
        firsts.setdefault(subject, flow)
    kept = {flow.key for flow in firsts.values()}
    return [*firsts.values(), *(flow for flow in flows if flow.key not in kept)]


def _is_same(one: Flow, other: Flow) -> bool:
    """Do two flows begin alike, or, if they are of one kind, go through mostly the same functions?
    A request that starts a job leads through all of the job, and one that forwards to another
    request through all of that one."""
    if (one.start, one.stations[0].within) == (other.start, other.stations[0].within):
        return True
    is_behind = other.kind == PROGRAM and one.start in {it.spot for it in other.stations[1:2]}
    if one.kind == "command" and is_behind:
        return True
    if one.kind != other.kind or one.start in {station.spot for station in other.stations[1:]}:
        return False
    spots = {station.spot for station in one.stations[1:]}
    shared = spots & {station.spot for station in other.stations}
    most = SAME_SHARE_OF_COMMANDS if one.kind == "command" else SAME_SHARE
    return len(shared) > most * len(spots)


def walk_again(facts: Facts, way: Flow, apart: Set[Spot], room: int) -> Flow:
    """A flow without some functions and what they lead to, as far as a page has room."""
    start = Start(way.name, way.start, way.path, way.line, way.kind, way.stations[0].within)
    return _from(facts, start, apart, room)


def _from(facts: Facts, start: Start, apart: Set[Spot] = frozenset(), room: int = 0) -> Flow:
    most = PROGRAM_MAX if start.kind in (PROGRAM, CALL) else STATIONS_MAX
    walked = walk(facts, start.name, start.spot, start.line, most, apart, start.within, room)
    return msgspec.structs.replace(walked, path=start.path, kind=start.kind)


def walk(
    facts: Facts, name: str, start: Spot, line: int, most: int = STATIONS_MAX,
    apart: Set[Spot] = frozenset(), within: tuple[int, int] = (0, 0), room: int = 0,
) -> Flow:  # fmt: skip
    """The flow from a function: first into the calls whose result is returned, then into the most
    central ones; at most `most` functions and none of those `apart`. It ends at functions that many
    files use, such as one that authenticates a user. Where the `room` of a page is limited, it goes
    as far as there is some, without what helps many others or runs only after a failure."""
    first = station_of(facts, start, within)
    chosen, giving = {start: first}, {start}
    order: dict[Spot, tuple[int, ...]] = {start: ()}
    shares: dict[Spot, float] = {start: 1}
    waiting: list[tuple[float, tuple[int, ...], int, Spot]] = []
    last, left = first, room - room_of(facts, first)
    while len(chosen) < most:
        before = order[last.spot]
        is_far = len(before) >= DEPTH_MAX or (before and _users(facts, last.spot) > USERS_MAX)
        is_end = is_far and last.spot not in giving
        for number, step, end, often, part in () if is_end else _ahead(facts, last):
            is_way = _holder(end) == _holder(start) or not is_helper(facts, end)
            is_way = is_way and often != "failure" and weight(facts, end) >= WEIGHT_MIN
            is_way = is_way or not room
            if end not in order and end not in apart and is_way:
                order[end] = (*before, number)
                share = shares[last.spot] * part
                shares[end] = share * share_of(facts, end)
                worth = weight(facts, end) * share / len(order[end])
                path, caller = step.start.path, step.start.name
                is_called = end == step.end and not step.is_passed
                if is_called and _is_returned(facts, path, caller, step.line):
                    worth *= _RETURNED_WORTH[often]
                    if often != "failure" and last.spot in giving:
                        worth *= len(order[end])
                        giving |= {end}
                if worth:
                    heapq.heappush(waiting, (-worth, order[end], len(order), end))
        if not waiting:
            break
        spot = heapq.heappop(waiting)[-1]
        last = as_given(station_of(facts, spot), chosen)
        left -= room_of(facts, last) if room else 0
        if left < 0 < room:
            break
        chosen[spot] = last
    stations = tuple(_in_order(facts, start, chosen))
    return Flow(f"concepts/how-{slug(name)}", name, start, start.path, line, stations)


def _holder(spot: Spot) -> Spot:
    return Spot(spot.path, spot.name.rpartition(".")[0])


@of_file
def _is_returned(facts: Facts, path: str, name: str, line: int) -> bool:
    """Does a function return the result of a call in one of its lines?"""
    symbol = symbol_of(facts, path, name) if name else None
    if symbol is None:
        return False
    lines = lines_of(facts, path)
    text = lines[line - 1][:_LINE_MAX]
    if _RETURNS.match(text):
        return True
    kept = _KEPT_IN.match(text)
    below = (_RETURNS.match(it[:_LINE_MAX]) for it in lines[line : symbol.end])
    return kept is not None and any(it is not None and it[1] == kept[1] for it in below)


_Ahead = tuple[int, Step, Spot, Chance, float]


def _ahead(facts: Facts, station: Station) -> Sequence[_Ahead]:
    """The functions that one leads to. They are stored for all walks, unless they depend on the
    arguments of the function."""
    key = (station.spot, station.within)
    if station_of(facts, *key) is not station:
        return [*_leading(facts, station)]
    ahead = _stored_ahead(facts)
    if key not in ahead:
        ahead[key] = [*_leading(facts, station)]
    return ahead[key]


@query
def _stored_ahead(_: Facts) -> dict[tuple[Spot, tuple[int, int]], Sequence[_Ahead]]:
    return {}


def _leading(facts: Facts, station: Station) -> Iterator[_Ahead]:
    """The functions that one leads to: number of the step, step, function, how often it runs, and
    its share of the weight. Of several functions of one name, such as the `run` of each command,
    the second counts half as much as the first, and so on; `readSync` counts little where `read`
    is called too."""
    ends = [
        (number, step, end, chance(facts, step.start.path, step.start.name, step.line))
        for number, step in enumerate(station.steps)
        for end in leads_to(facts, step)
    ]
    alike: Counter[str] = Counter()
    twins = _twins(end for _, _, end, _ in ends)
    for number, step, end, often in sorted(ends, key=lambda it: -weight(facts, it[2])):
        name = end.name.rpartition(".")[2]
        alike[name] += 1
        part = _PASSED_WORTH if step.parameter else _SHARES["failure" if end in twins else often]
        yield number, step, end, often, part / alike[name]


def _twins(ends: Iterable[Spot]) -> set[Spot]:
    """The functions that block, by their names, where one that does the same without blocking is
    among them."""
    names = {end: end.name.rpartition(".")[2] for end in ends}
    others = {name.removesuffix("Async") for name in names.values()}
    pairs = ((end, name.removesuffix("Sync")) for end, name in names.items())
    return {end for end, name in pairs if name in others and name != names[end]}


def _in_order(facts: Facts, start: Spot, chosen: Mapping[Spot, Station]) -> Iterator[Station]:
    """The functions in the order of the source, each after the first one that leads to it; those
    that block last."""
    waiting, seen = [start], set[Spot]()
    while waiting:
        spot = waiting.pop()
        if spot in seen:
            continue
        seen.add(spot)
        yield chosen[spot]
        ends = [end for step in chosen[spot].steps for end in leads_to(facts, step)]
        twins = _twins(ends)
        ends.sort(key=lambda end: end in twins)
        waiting += [end for end in reversed(ends) if end in chosen]


def _users(facts: Facts, spot: Spot) -> int:
    """The number of other files that use a function."""
    return users_of(facts, spot.path).get(spot.name, 0)
