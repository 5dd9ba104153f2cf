"""Functions that run for an event or message of another sender, and that sender."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.model import Call, Symbol
from stationmaster.reading.code.signatures import parameters, parameters_apart
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import called, handler_of, targets
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.model import Facts, Spot, query

_FIRST = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|\\)[A-Za-z_]\w*)*")
_GENERIC_HANDLER = re.compile(
    r"(?:[\w.]+\.)?\w*(?:Handler|Listener|Consumer|Subscriber)(?:Async)?<([\w.]+)\b.*>"
)
"""`IRequestHandler<Pay, bool>`: the class handles what is made as `Pay`."""
_HANDLING = ("event", "consumer", "queue")
_SENDS = re.compile(
    r"_*(?i:send|publish|emit|dispatch|raise|fire|trigger|notify|enqueue|produce|invoke)(?![a-z])"
    r"|(?:event|broadcast)$"
)
"""What is called to have a message handled."""
_KEPT = r"\b(\w{1,80})\s*(?::\s*\w+\s*)?:?=\s*(?:(?:await|new)\s+|&)?(?:[\w\\]{1,80}(?:\.|::|\\))*"
"""The variable in which an object is kept, up to the name of its type."""
_ARGUMENTS = re.compile(r"\s*(?:<[^()]*>)?\(([^()]*)")
_LINE_MAX = 400
_REQUEST = "IRequestHandler<"
_BEHAVIOR = re.compile(r"\.AddOpenBehavior\(\s*typeof\(([\w.]{1,200})<")
_WITHIN = "sends within it"
_SENDING = ("send", "send_robust", "asend", "asend_robust")


def forwarded(facts: Facts, spot: Spot, calls: Sequence[Call]) -> Iterator[tuple[Spot, int]]:
    """The types of messages that a function receives and passes to a sender such as a bus, with the
    line of that call. A handler of the message, or a function that passes it to a helper of the
    handler, sends none; nor does a call of the repository's own that takes the type, which is
    followed itself."""
    symbol = symbol_of(facts, spot.path, spot.name)
    sending = [call for call in calls if _SENDS.match(call.name)]
    if symbol is None or not sending or not _handlers(facts):
        return
    lines = lines_of(facts, spot.path)
    sent = {word: call for call in reversed(sending) for word in _argument_words(lines, call)}
    for words in parameters_apart(symbol.signature):
        call = next((sent[word] for word in words if word in sent), None)
        for named in words if call else ():
            kind = _type(facts, spot.path, named) if named[:1].isupper() else None
            handlers = handlers_of(facts, kind) if kind is not None else ()
            is_sent = handlers and spot not in handlers
            if call and kind and is_sent and not _takes(facts, spot.path, call, named):
                yield kind, call.line


def handled(
    facts: Facts, spot: Spot, calls: Sequence[Call], steps: Sequence[Step]
) -> Iterator[Step]:
    """The steps of a function with the handlers of messages: on the call that sends one, of which
    there is a further step where the message is made at another line. Of a message that the
    function itself does not send, on the step that makes it."""
    handlers_by = {it: it.handlers or handlers_of(facts, it.ends[0]) for it in steps}
    made = [it for it in steps if handlers_by[it] and not (it.handlers or it.is_passed)]
    sent = _sent(lines_of(facts, spot.path), calls, made) if made else {}
    # What is sent comes before what is sent within it.
    for step in sorted(steps, key=lambda it: sent.get(it, (0, ""))[1] == _WITHIN):
        handlers = tuple(end for end in handlers_by[step] if end != spot)
        around = _around(facts, handlers[0]) if handlers else ()
        line, does = sent.get(step, (step.line, ""))
        if does:
            yield step
            yield Step(spot, step.ends, line, does=does, handlers=handlers, around=around)
        else:
            is_unsent = step in made and step not in sent
            yield msgspec.structs.replace(
                step, handlers=handlers, around=around, is_unsent=is_unsent
            )


def _around(facts: Facts, handler: Spot) -> tuple[Spot, ...]:
    """What MediatR runs around a handler of a request, the outermost first: the behaviors that the
    handler's project registers."""
    holder = symbol_of(facts, handler.path, handler.name.rpartition(".")[0])
    is_asked = holder is not None and any(it.startswith(_REQUEST) for it in holder.bases)
    return _behaviors(facts).get(_project(facts, handler.path), ()) if is_asked else ()


@query
def _behaviors(facts: Facts) -> Mapping[str, tuple[Spot, ...]]:
    """By the folder of the project."""
    by_folder: dict[str, dict[Spot, None]] = defaultdict(dict)
    for path in facts.code:
        is_read = path.endswith(".cs") and facts.records[path].file_class == "source"
        for name in _BEHAVIOR.findall(facts.tree.text(path)) if is_read else ():
            end = _type(facts, path, name)
            method = Spot(end.path, f"{end.name}.Handle") if end else None
            if method and symbol_of(facts, *method):
                by_folder[_project(facts, path)][method] = None
    return {folder: tuple(spots) for folder, spots in by_folder.items()}


def _project(facts: Facts, path: str) -> str:
    """The folder of the nearest project of .NET above a file, '' for none."""
    folders = (it.folder for it in facts.tree.project.manifests if it.ecosystem == "dotnet")
    return max((it for it in folders if path.startswith(f"{it}/")), key=len, default="")


def _sent(
    lines: Sequence[str], calls: Sequence[Call], made: Sequence[Step]
) -> Mapping[Step, tuple[int, str]]:
    """The lines at which messages are sent, and what a call does that does not make them."""
    named = {it: it.ends[0].name.rpartition(".")[2] for it in made}
    kept = {it: _variable(lines, it.line, named[it]) for it in made}
    sending = [
        (it.line, {it.of.rpartition(".")[2], *_last_words(lines, it)})
        for it in calls
        if _SENDS.match(it.name)
    ]
    sent: dict[Step, tuple[int, str]] = {}
    for step in made:
        for line, words in sending:
            if named[step] in words and {line, line + 1} & {step.line, *step.again}:
                sent.setdefault(step, (step.line, ""))
            elif kept[step] in words and line >= step.line:
                sent.setdefault(step, (line, "sends"))
    for step, (line, _) in [*sent.items()]:
        words = _last_words(lines, Call(named[step], step.line))
        for other in made:
            if other not in sent and kept[other] in words:
                sent[other] = line, _WITHIN
    return sent


def _last_words(lines: Sequence[str], call: Call) -> set[str]:
    return {words.rpartition(".")[2] for words in _argument_words(lines, call)}


def _variable(lines: Sequence[str], line: int, name: str) -> str:
    """The variable in which an object of a type is kept that is made at a line; '' for none."""
    text = " ".join(it[:_LINE_MAX] for it in lines[max(line - 2, 0) : line])
    match = re.search(rf"{_KEPT}{re.escape(name)}\b", text)
    return match[1] if match else ""


def _takes(facts: Facts, path: str, call: Call, named: str) -> bool:
    """Does a method of the repository that is called have a parameter of this type?"""
    symbols = (symbol_of(facts, *end) for end in targets(facts, path, call))
    return any(symbol is not None and named in parameters(symbol.signature) for symbol in symbols)


def _argument_words(lines: Sequence[str], call: Call) -> list[str]:
    """The words of the arguments of a call, up to the first object that is made there."""
    text = " ".join(lines[call.line - 1 : call.line + 1]).partition(call.name)[2]
    arguments = _ARGUMENTS.match(text)
    return _FIRST.findall(arguments[1]) if arguments else []


def sent(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The signal that a call such as `order_paid.send(…)` sends, if something handles it."""
    of, _, name = call.of.rpartition(".")
    signal = called(facts, spot.path, Call(name, 0, of)) if call.name in _SENDING and name else None
    is_handled = signal is not None and handlers_of(facts, signal)
    return Step(spot, (signal,), call.line, does="sends") if signal and is_handled else None


def may_send(facts: Facts, call: Call) -> bool:
    """May a call send one of the messages that something handles?"""
    return bool(call.of and _SENDS.match(call.name) and _handlers(facts))


def handlers_of(facts: Facts, spot: Spot) -> tuple[Spot, ...]:
    """The handlers of events and messages of a type."""
    return _handlers(facts).get(spot, ())


@query
def _handlers(facts: Facts) -> Mapping[Spot, tuple[Spot, ...]]:
    """The handlers by type of event or message. Used by other queries only."""
    handlers_of_type: dict[Spot, dict[Spot, None]] = defaultdict(dict)
    for path, named, handler in _registered(facts):
        kind = _type(facts, path, named)
        if kind is not None and kind != handler:
            handlers_of_type[kind][handler] = None
    return {kind: tuple(handlers) for kind, handlers in handlers_of_type.items()}


def _registered(facts: Facts) -> Iterator[tuple[str, str, Spot]]:
    """The handlers of events and messages: the file, the type as written there, and the handler."""
    for file in interfaces(facts):
        for job in file.jobs:
            handler = handler_of(facts, file.path, job.handler, job.line)
            if job.kind not in _HANDLING or handler is None:
                continue
            symbol = symbol_of(facts, handler.path, handler.name)
            types = parameters(symbol.signature) if symbol and not job.trigger else ()
            firsts = map(_FIRST.match, job.trigger.split(", "))
            for named in [first[0] for first in firsts if first] or types:
                for spot in taking(facts, handler, named) or (handler,):
                    yield file.path, named, spot
    for path, code in facts.code.items():
        for symbol in code.symbols if facts.records[path].file_class == "source" else ():
            for match in filter(None, map(_GENERIC_HANDLER.fullmatch, symbol.bases)):
                for method in taking(facts, Spot(path, symbol.qualified), match[1]):
                    yield path, match[1], method


def taking(facts: Facts, holder: Spot, message: str) -> tuple[Spot, ...]:
    """The methods of a type that handle messages of a type; () of a function."""
    name = holder.name.rpartition(".")[2]
    methods = [
        it
        for it in facts.code[holder.path].symbols
        if it.container == holder.name and message in parameters(it.signature)
    ]
    own = _not_helping(lines_of(facts, holder.path), name, methods)
    return tuple(Spot(holder.path, it.qualified) for it in own)


def _not_helping(lines: Sequence[str], name: str, taking: Sequence[Symbol]) -> Iterator[Symbol]:
    """The methods of a handler called `name` that take its message, without constructors and
    without those that another of them names."""
    for method in taking:
        called_name = re.compile(rf"\b{re.escape(method.name)}\b")
        others = (it for it in taking if it.name != method.name)
        bodies = ("\n".join(lines[it.line : it.end]) for it in others)
        if method.name not in (name, "constructor") and not any(map(called_name.search, bodies)):
            yield method


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
