"""Which classes of workers the product itself makes or registers: others do not run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from msgspec.structs import replace

from stationmaster.reading.code.model import Call, Job
from stationmaster.wiki.facts.code.comments import numbered, symbol_of
from stationmaster.wiki.facts.code.names import around, called
from stationmaster.wiki.facts.model import Facts, Spot, query

_REGISTERS = re.compile(r"\bAdd\w{0,60}<([\w.,<> \n]{1,300}?)>\s?\(")
_OFFERING = re.compile(r"\bpublic\b.{0,300}?\bI\w{0,40}(?:Builder|ServiceCollection)\b")
_DEPTH_MAX = 4
_NAME = re.compile(r"\w+")


def running(facts: Facts, path: str, job: Job) -> Job | None:
    """The job of a worker, of Python with what makes it; None where nothing of the product makes
    it, or, in .NET, where only a method registers it that is for others to call."""
    is_worker = job.kind == "worker" and path.endswith((".cs", ".py"))
    holder = job.handler if path.endswith(".cs") else job.name
    symbol = symbol_of(facts, path, holder) if is_worker else None
    if symbol is None or symbol.kind != "class":
        return job
    if path.endswith(".py"):
        own, makers = Spot(path, symbol.qualified), _calls(facts).get(symbol.name, ())
        makes = (
            call.caller
            for at, call in makers
            if at.endswith(".py") and called(facts, at, call) in (own, None)
        )
        caller = next(makes, None)
        is_idle = job.handler.rpartition(".")[2] == symbol.name
        return None if caller is None or is_idle else replace(job, trigger=caller)
    places = _registering(facts).get(symbol.name, ())
    return None if places and all(_is_offered(facts, it) for it in places) else job


@query
def _calls(facts: Facts) -> Mapping[str, list[tuple[str, Call]]]:
    """The calls of each name, with their files."""
    calls: dict[str, list[tuple[str, Call]]] = defaultdict(list)
    for path, code in facts.code.items():
        if facts.records[path].file_class == "source":
            for call in code.calls:
                calls[call.name].append((path, call))
    return calls


@query
def _registering(facts: Facts) -> Mapping[str, tuple[Spot, ...]]:
    """The functions that register types as services, by the names of these."""
    functions: dict[str, dict[Spot, None]] = defaultdict(dict)
    for path in facts.code:
        if path.endswith(".cs") and facts.records[path].file_class == "source":
            for line, match in numbered(_REGISTERS, facts.tree.text(path)):
                for name in _NAME.findall(match[1]):
                    functions[name][Spot(path, around(facts, path, line))] = None
    return {name: tuple(spots) for name, spots in functions.items()}


def _is_offered(facts: Facts, spot: Spot, depth: int = _DEPTH_MAX) -> bool:
    """Is a function one that others may call to register something, and that nothing here calls
    but such functions?"""
    symbol = symbol_of(facts, *spot) if spot.name else None
    if symbol is None or not _OFFERING.search(symbol.signature):
        return False
    callers = {
        Spot(path, call.caller)
        for path, call in _calls(facts).get(symbol.name, ())
        if call.caller.rpartition(".")[2] != symbol.name
    }
    return all(depth and _is_offered(facts, it, depth - 1) for it in callers)
