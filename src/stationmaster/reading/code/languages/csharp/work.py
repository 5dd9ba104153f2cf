"""Jobs, tests, commands and entries of .NET; commands are those of libraries whose options are
properties of classes, and of System.CommandLine, whose options are made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotated import Base
from stationmaster.reading.code.languages.command_lines.annotated import Library, annotated as typed
from stationmaster.reading.code.languages.source import above, child, line_of, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Entry, EntryKind, Job, Option, Test

_WORKERS = code.table("csharp.jobs.bases", dict[str, Base])
_TESTS = code.names("csharp.tests.attributes")
_BUILDERS = code.table("csharp.entries.builders", dict[str, EntryKind])
_CREATE = code.names("csharp.entries.create")
_COMMAND_LINE = ("System.CommandLine",)
_PARSER = ("CommandLine",)
_LIBRARIES = code.table("csharp.commands.annotated", dict[str, Library])
_ROOT = "RootCommand"
_GIVEN = re.compile(r"\A[^<]*+<(.+)>\Z", re.DOTALL)
_SUBSCRIBING = code.names("csharp.jobs.subscribing")
_SUBSCRIBED = re.compile(
    r"(?!I[A-Z])(?:\w+\.)*(\w+),\s*((?:\w+\.)*\w+(?:Handler|Consumer|Listener|Subscriber))"
)
"""The event and what handles it: `Paid, PaidHandler`."""
_DESCRIPTION = re.compile(r"\bDescription\s*=\s*\"((?:[^\"\\\n]|\\.)*+)\"")
_ON_LIST = re.compile(r"\.(?:Options|Arguments)$")
_QUOTED = re.compile(r"\"(-[\w-]{1,60})\"")
_TEXT_MAX = 20_000
CALLS = frozenset({*_CREATE, "Add", "AddArgument", "AddGlobalOption", "AddOption", "AddOrUpdate"})
CALLS |= {"ParseArguments", *_SUBSCRIBING}


def jobs(unit: Unit) -> Iterator[Job]:
    """Workers and consumers, by the base types of classes, recurring jobs of Hangfire, and handlers
    that are registered with their events: `bus.Subscribe<Paid, PaidHandler>()`."""
    yield from annotated.jobs_by_base(unit, _WORKERS)
    for call in unit.called:
        pair = _SUBSCRIBED.fullmatch(types_of(unit, call)) if call.name in _SUBSCRIBING else None
        if pair is not None:
            name = pair[2].rpartition(".")[2]
            yield Job(name, "event", call.line, pair[1], pair[2])
        if call.name == "AddOrUpdate" and "recurringjob" in call.on.lower():
            yield _recurring(unit, call)


def _recurring(unit: Unit, call: Called) -> Job:
    """`RecurringJob.AddOrUpdate("nightly", () => mailer.Send(), Cron.Daily)`: what follows the
    call that it makes is the schedule."""
    given = call.given.at
    place = next((at for at, node in enumerate(given) if node.type == "lambda_expression"), 0)
    handler = _called_in(unit, call, given[place]) if given else ""
    named = unit.text(given[0]) if place else ""
    name = call.value(0) or named
    trigger = call.value(place + 1)
    if not trigger and place + 1 < len(given):
        trigger = one_line(unit.text(given[place + 1]).removeprefix("() => "), 80)
    called = handler.rpartition(".")[2] or "recurring"
    return Job(name or called, "schedule", call.line, trigger, handler or call.caller, "Hangfire")


def _called_in(unit: Unit, call: Called, node: Node) -> str:
    """`mailer.Send` of `() => mailer.Send()`, `IMailer.Send` of `AddOrUpdate<IMailer>(m => …)`."""
    body = child(node, "body")
    if body is not None and body.type == "await_expression":
        body = body.named_children[0]
    function = child(body, "function")
    words = unit.text(function).removeprefix("this.")
    kind = generic(unit, call)
    return f"{kind}.{words.rpartition('.')[2]}" if kind and words else words


def tests(unit: Unit) -> Iterator[Test]:
    """The methods with an attribute of xUnit, NUnit or MSTest."""
    for each in unit.noted:
        if each.kind == "method":
            note = next((each.notes[name] for name in each.notes if name in _TESTS), None)
            if note is not None:
                yield Test(each.name, note.line)


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of a file, and classes that other files make commands of, as parts."""
    if unit.proof.any_of(_COMMAND_LINE):
        yield from _made(unit)
    yield from typed(unit, _LIBRARIES.values())
    for call in unit.called if unit.proof.any_of(_PARSER) else ():
        if call.name == "ParseArguments" and (name := generic(unit, call)):
            yield CliCommand((), call.line, parts=(name,))


def generic(unit: Unit, call: Called) -> str:
    """`T` of `ParseArguments<T>(…)`."""
    types = types_of(unit, call)
    return "" if "," in types else types


def types_of(unit: Unit, call: Called) -> str:
    """The type arguments of a call, as written."""
    function = child(call.node, "function")
    match = _GIVEN.search(unit.text(child(function, "name") or function))
    return match[1].strip() if match else ""


def _made(unit: Unit) -> Iterator[CliCommand]:
    """Commands that are made: all options belong to the only one of a file, else those that are put
    to one in the function that makes it."""
    heads = [it for it in unit.objects if it.name in ("Command", _ROOT)]
    options: dict[tuple[str, str], Option] = {}
    for call in unit.objects:
        name = _variable(unit, call)
        scope = call.caller if call.caller.rpartition(".")[2] != name else ""
        if (option := _option_made(unit, call)) is not None:
            options[scope, name or f"@{call.node.start_byte}"] = option
    for head in heads:
        is_root = head.name == _ROOT
        name = "" if is_root else head.value(0, "name")
        text = head.value(0 if is_root else 1, "description")
        own = list(options.values())
        if len(heads) > 1:
            calls = (it for it in unit.called if it.caller == head.caller)
            kept = _variable(unit, head) or "?"
            given = (unit.text(it.given.get(0)) for it in calls if _ON_LIST.sub("", it.on) == kept)
            places = (options.get((head.caller, it)) or options.get(("", it)) for it in given)
            own = [it for it in places if it is not None]
        if is_root or name:
            words = () if is_root else (name,)
            yield CliCommand(words, head.line, one_line(text), head.caller, tuple(own))


def _variable(unit: Unit, call: Called) -> str:
    """The variable that is made by a call."""
    return unit.part(above(call.node, "variable_declarator"), "name")


def _option_made(unit: Unit, call: Called) -> Option | None:
    """`new Option<int>("--count", "-c") { Description = "How many" }`; before version 2 the text
    behind the name was the description."""
    if call.name not in ("Option", "Argument"):
        return None
    name, *more = call.texts(0, "name") or _QUOTED.findall(call.written_at(0, "aliases")) or [""]
    if not name:
        return None
    texts = [text for at in range(1, len(call.given.at)) if (text := call.value(at))]
    others = [it for it in (*more, *texts) if it.startswith("-")]
    help_ = next((it for it in texts if not it.startswith("-")), "") or call.value("description")
    described = _DESCRIPTION.search(unit.text(call.node)[:_TEXT_MAX])
    help_ = help_ or (described[1] if described else "")
    names = (name.upper(),) if call.name == "Argument" else (*others, name)
    return Option(names, call.line, one_line(help_))


def entries(unit: Unit) -> Iterator[Entry]:
    """The program that statements at top level make of a file, and its methods `Main`."""
    statements = unit.nodes["top"]
    made = {
        call.caller: kind
        for call in unit.called
        if call.name in _CREATE and (kind := _BUILDERS.get(call.on.rpartition(".")[2]))
    }
    if statements:
        yield Entry("Program", made.get("", "main"), line_of(statements[0]))
    for symbol in unit.symbols:
        if symbol.name == "Main" and "static" in symbol.signature.split():
            name = symbol.container.rpartition(".")[2] or "Main"
            kinds = [kind for caller, kind in made.items() if caller.startswith(symbol.container)]
            yield Entry(name, kinds[0] if kinds else "main", symbol.line, symbol.qualified)
