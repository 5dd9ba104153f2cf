"""Functions that run without being called where they are named: given away as values, or registered
for an event or message that somebody else sends."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from stationmaster.reading.code.model import Call, Given, Symbol
from stationmaster.reading.code.signatures import parameters, parameters_apart
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import Spot, around, called, handler_of, targets
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.model import Facts, query

_line = attrgetter("line")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|export)\b")
_FIRST = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|\\)[A-Za-z_]\w*)*")
_GENERIC_HANDLER = re.compile(
    r"(?:[\w.]+\.)?\w*(?:Handler|Listener|Consumer|Subscriber)(?:Async)?<([\w.]+)\b.*>"
)
"""`IRequestHandler<Pay, bool>`: the class handles what is made as `Pay`."""
_HANDLING = ("event", "consumer", "queue")
_CALLED = ("function", "method")
_SENDS = re.compile(
    r"_*(?i:send|publish|emit|dispatch|raise|fire|trigger|notify|enqueue|produce|invoke)(?![a-z])"
)
"""What is called to have a message handled."""
_ARGUMENTS = re.compile(r"\s*(?:<[^()]*>)?\(([^()]*)")
_SENDING = ("send", "send_robust", "asend", "asend_robust")
_OF_TYPE = (".cs", ".swift")
"""Where a method of the same type is named by its name alone."""
HEAD_LINES_MAX = 30
"""Of the parameters of a function."""
LINES_MAX = 200
"""Of a function in which such names are looked for."""


def passed(facts: Facts, spot: Spot, within: tuple[int, int]) -> Iterator[tuple[int, Spot]]:
    """The functions of the repository that one gives away as values, and on which line: handlers,
    dependencies, what a thread runs."""
    symbol = symbol_of(facts, spot.path, spot.name) if spot.name else None
    if symbol is None and not within[0]:
        return
    first, last = within if within[0] else (symbol.line, symbol.end) if symbol else within
    last = min(last, first + LINES_MAX)
    named = _among(facts.code[spot.path].given, first, last)
    if not named:
        return
    lines = lines_of(facts, spot.path)
    local = _local(facts, spot, lines) if symbol else frozenset[str]()
    for each in named:
        is_import = symbol is None and _IMPORT.match(lines[each.line - 1])
        if is_import or each.head in local or (not symbol and around(facts, spot.path, each.line)):
            continue
        of, _, name = each.name.rpartition(".")
        end = _function(facts, spot, Call(name, each.line, of, spot.name))
        if end is not None:
            yield each.line, end


def _local(facts: Facts, spot: Spot, lines: Sequence[str]) -> frozenset[str]:
    """The names that a function, or one around it, has for its own parameters and variables."""
    code, found = facts.code[spot.path], set[str]()
    for symbol in code.symbols:
        is_called = symbol.kind in (*_CALLED, "constructor")
        if is_called and f"{spot.name}.".startswith(f"{symbol.qualified}."):
            found.update(parameters(_head(lines, symbol).partition(symbol.name)[2]))
            found |= {each.name for each in _among(code.variables, symbol.line, symbol.end)}
    return frozenset(found)


def _head(lines: Sequence[str], symbol: Symbol) -> str:
    """The line of a declaration, and those in which its list of parameters goes on."""
    head = lines[symbol.line - 1]
    for line in lines[symbol.line : min(symbol.line + HEAD_LINES_MAX, symbol.end)]:
        if head.count("(") <= head.count(")"):
            break
        head += f" {line.strip()}"
    return head


def _among(names: Sequence[Given], first: int, last: int) -> Sequence[Given]:
    """Those on some lines."""
    start = bisect_left(names, first, key=_line)
    return names[start : bisect_right(names, last, start, key=_line)]


def _function(facts: Facts, spot: Spot, call: Call) -> Spot | None:
    """What a name stands for, if that is one function."""
    is_bare = not call.of and not spot.path.endswith(_OF_TYPE)
    if is_bare and called(facts, spot.path, call) is None:
        return None
    ends = targets(facts, spot.path, call)
    if len(ends) != 1 or facts.records[ends[0].path].file_class != "source":
        return None
    symbol = symbol_of(facts, ends[0].path, ends[0].name)
    is_function = symbol is not None and symbol.kind in _CALLED and symbol.end > symbol.line
    return ends[0] if is_function else None


def taken(facts: Facts, spot: Spot, calls: Sequence[Call]) -> Iterator[tuple[Spot, int]]:
    """The types of messages that a function takes and gives to what sends it to its handlers, such
    as a bus, with the line of that call. What handles a message itself, or hands it to a function
    that does part of this work, sends none."""
    symbol = symbol_of(facts, spot.path, spot.name)
    sending = [call for call in calls if _SENDS.match(call.name)]
    if symbol is None or not sending or not _handlers(facts):
        return
    lines = lines_of(facts, spot.path)
    sent = {word: call.line for call in reversed(sending) for word in _given_to(lines, call)}
    for words in parameters_apart(symbol.signature):
        line = next((sent[word] for word in words if word in sent), 0)
        for named in words if line else ():
            kind = _type(facts, spot.path, named) if named[:1].isupper() else None
            handlers = handlers_of(facts, kind) if kind is not None else ()
            if kind is not None and handlers and spot not in handlers:
                yield kind, line


def _given_to(lines: Sequence[str], call: Call) -> list[str]:
    """The words of what a call is given, up to the first that is made there."""
    text = " ".join(lines[call.line - 1 : call.line + 1]).partition(call.name)[2]
    given = _ARGUMENTS.match(text)
    return _FIRST.findall(given[1]) if given else []


def sent(facts: Facts, path: str, call: Call) -> Spot | None:
    """The signal that a call such as `order_paid.send(…)` sends, if something handles it."""
    of, _, name = call.of.rpartition(".")
    spot = called(facts, path, Call(name, 0, of)) if call.name in _SENDING and name else None
    return spot if spot and handlers_of(facts, spot) else None


def handlers_of(facts: Facts, spot: Spot) -> tuple[Spot, ...]:
    """What handles events and messages of a type."""
    return _handlers(facts).get(spot, ())


@query
def _handlers(facts: Facts) -> Mapping[Spot, tuple[Spot, ...]]:
    """By the type of event or message. For other questions."""
    found: dict[Spot, dict[Spot, None]] = defaultdict(dict)
    for path, named, handler in _registered(facts):
        kind = _type(facts, path, named)
        if kind is not None and kind != handler:
            found[kind][handler] = None
    for made, handler in _queued(facts):
        found[made][handler] = None
    return {kind: tuple(handlers) for kind, handlers in found.items()}


def _queued(facts: Facts) -> Iterator[tuple[Spot, Spot]]:
    """What is put on a queue as an object, with its method that then runs: so in Laravel."""
    for file in interfaces(facts):
        for job in file.jobs:
            made, _, method = job.handler.rpartition(".")
            if (job.kind, job.framework) == ("queue", "Laravel") and method:
                yield Spot(file.path, made), Spot(file.path, job.handler)


def _registered(facts: Facts) -> Iterator[tuple[str, str, Spot]]:
    """What handles events and messages: the file, the type as written there, and the handler."""
    for file in interfaces(facts):
        for job in file.jobs:
            handler = handler_of(facts, file.path, job.handler, job.line)
            if job.kind not in _HANDLING or handler is None:
                continue
            symbol = symbol_of(facts, handler.path, handler.name)
            taken = parameters(symbol.signature) if symbol and not job.trigger else ()
            firsts = map(_FIRST.match, job.trigger.split(", "))
            for named in [first[0] for first in firsts if first] or taken:
                yield file.path, named, handler
    for path, code in facts.code.items():
        for symbol in code.symbols if facts.records[path].file_class == "source" else ():
            for match in filter(None, map(_GENERIC_HANDLER.fullmatch, symbol.bases)):
                for method in code.symbols:
                    if method.container == symbol.qualified and match[1] in parameters(
                        method.signature
                    ):
                        yield path, match[1], Spot(path, method.qualified)


def _type(facts: Facts, path: str, words: str) -> Spot | None:
    """The type, or the signal of Django, that an expression such as `Paid`, `events.Paid` or
    `Paid.name` begins with."""
    parts = re.split(r"\.|::|\\", words)
    for end in range(len(parts), 0, -1):
        spot = called(facts, path, Call(parts[end - 1], 0, ".".join(parts[: end - 1])))
        symbol = symbol_of(facts, spot.path, spot.name) if spot else None
        if spot and symbol and (symbol.kind in TYPES or _is_signal(facts, spot, symbol)):
            return spot
    return None


def _is_signal(facts: Facts, spot: Spot, symbol: Symbol) -> bool:
    is_value = spot.path.endswith(".py") and symbol.kind in ("variable", "constant")
    return is_value and "Signal(" in lines_of(facts, spot.path)[symbol.line - 1]
