"""Queues that values of the repository hold, and the functions that run for what is put on them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.reading.code.model import Call
from stationmaster.reading.code.signatures import arguments, parameters_apart
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import called, targets
from stationmaster.wiki.facts.model import Facts, Spot, query

PUTS = re.compile(r"(?:add|delay|dispatch|enqueue|push|schedule|send|submit)(?:_\w+|[A-Z]\w*)?")
"""What puts something on a queue."""
ITSELF = re.compile(r"\$?(?:cls|self|static|this)\b")
TAKES = re.compile(
    r"(?i:(?:create|make|new|register|start)?_?(?:runner|worker|consumer))|process|consume"
)
"""What is given a queue with the function that runs for what is on it."""
_NAMED = re.compile(r"(?:\w+\.)?\w*queue", re.IGNORECASE)
_RUN = re.compile(r"(?:consume|execute|handler?|perform|process(?:or)?|run)\s*:(.*)", re.DOTALL)
"""A member of an object that is that function."""
_GENERIC = re.compile(r"\s*+(?:<[^()]{0,300}>\s*+)?(?=\()")
_HANDED = re.compile(r"(?:async\s++)?\(?\w*+\)?\s*+=>\s*+(?:await\s++)?([\w.]++)\(")
"""A function that only calls another one."""
_AROUND = re.compile(r"(?!new\b)[\w.]+(?=\()")
_NAME = re.compile(r"\w+(?:\.\w+)*")
_LINES_MAX, _AROUND_MAX = 20, 4
"""Of a call up to that function, and calls around it."""
_VALUES = ("variable", "constant")


class Runner(NamedTuple):
    """What runs `handler` for what is put on `queue`: a call at `line` of a file in a function
    called `holder`."""

    queue: Spot
    handler: Spot
    path: str
    line: int
    holder: str


def is_queue(words: str) -> bool:
    """Is a value, or a function that returns it, called a queue?"""
    return _NAMED.fullmatch(words.removesuffix("()")) is not None


def is_put(call: Call) -> bool:
    """Is a call named as one that puts something on a queue?"""
    return is_queue(call.of) and PUTS.fullmatch(call.name) is not None


def running(facts: Facts, path: str, words: str, line: int) -> tuple[Spot, ...]:
    """The functions that run for what is on the queue that a name refers to."""
    queue = _queue(facts, path, words, line)
    return tuple(dict.fromkeys(it.handler for it in runners(facts) if it.queue == queue))


@query
def runners(facts: Facts) -> tuple[Runner, ...]:
    """What runs for queues, by file and line."""
    rows: dict[Runner, None] = {}
    for path, code in facts.code.items():
        for call in code.calls if facts.records[path].file_class == "source" else ():
            if TAKES.fullmatch(call.name):
                rows.update(dict.fromkeys(_runners(facts, path, call)))
    return tuple(rows)


def _runners(facts: Facts, path: str, call: Call) -> Iterator[Runner]:
    values = given(facts, path, call)
    named = values[0] if values and _NAME.fullmatch(values[0]) else ""
    own = _queue(facts, path, call.of, call.line)
    queues = [own] if own else [*_queues(facts, path, call, named)]
    ends = (_function(facts, path, call, it) for it in (values if own else values[1:]))
    handler = next(filter(None, ends), None) if queues else None
    if handler is not None:
        yield from (Runner(it, handler, path, call.line, call.caller) for it in queues)


def given(facts: Facts, path: str, call: Call) -> list[str]:
    """The arguments of a call."""
    text = "\n".join(lines_of(facts, path)[call.line - 1 : call.line - 1 + _LINES_MAX])
    behind = text.partition(call.name)[2]
    generic = _GENERIC.match(behind)
    return arguments(behind[generic.end() :]) if generic else []


def _queue(facts: Facts, path: str, words: str, line: int) -> Spot | None:
    """The queue that a name refers to: a value that is called so."""
    of, _, name = words.rpartition(".")
    end = called(facts, path, Call(name, line, of)) if _NAMED.fullmatch(words) else None
    symbol = symbol_of(facts, *end) if end else None
    return end if symbol and symbol.kind in _VALUES and not symbol.container else None


def _queues(facts: Facts, path: str, call: Call, named: str) -> Iterator[Spot]:
    """The queue that a name refers to, or those that are given for a parameter of that name."""
    if queue := _queue(facts, path, named, call.line):
        yield queue
        return
    symbol = symbol_of(facts, path, call.caller) if named and call.caller else None
    words = parameters_apart(symbol.signature) if symbol else []
    place = next((at for at, it in enumerate(words) if it[:1] == [named]), None)
    for user, giving in _callers(facts, Spot(path, call.caller)) if place is not None else ():
        values = given(facts, user, giving)
        if place is not None and place < len(values):
            yield from filter(None, [_queue(facts, user, values[place], giving.line)])


def _callers(facts: Facts, spot: Spot) -> Iterator[tuple[str, Call]]:
    for call_path, call in _by_name(facts).get(spot.name.rpartition(".")[2], ()):
        if targets(facts, call_path, call) == (spot,):
            yield call_path, call


@query
def _by_name(facts: Facts) -> Mapping[str, list[tuple[str, Call]]]:
    """The calls of source files by name."""
    calls = defaultdict[str, list[tuple[str, Call]]](list)
    for path, code in facts.code.items():
        for call in code.calls if facts.records[path].file_class == "source" else ():
            calls[call.name].append((path, call))
    return calls


def _function(facts: Facts, path: str, call: Call, text: str) -> Spot | None:
    """The function that a value is, or that it is made around: `traced("mail", send)`."""
    members = filter(None, map(_RUN.match, arguments(text) if text.startswith("{") else ()))
    text = next((it[1].strip() for it in members), text)
    for _ in range(_AROUND_MAX):
        around = _AROUND.match(text)
        values = arguments(text[around.end() :]) if around else []
        text = values[-1] if values else text
    handed = _HANDED.match(text)
    name = handed[1] if handed else text
    of, _, name = name.rpartition(".") if _NAME.fullmatch(name) else ("", "", "")
    ends = targets(facts, path, Call(name, call.line, of, call.caller)) if name else ()
    symbol = symbol_of(facts, *ends[0]) if len(ends) == 1 else None
    return ends[0] if symbol and symbol.kind in ("function", "method") else None
