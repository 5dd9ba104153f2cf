"""Jobs, tests and entries of .NET."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotated import Base
from stationmaster.reading.code.languages.csharp.commands import generic
from stationmaster.reading.code.languages.source import child, line_of, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Entry, EntryKind, Job, Test

_WORKERS = code.table("csharp.jobs.bases", dict[str, Base])
_TESTS = code.names("csharp.tests.attributes")
_BUILDERS = code.table("csharp.entries.builders", dict[str, EntryKind])
_CREATE = code.names("csharp.entries.create")
CALLS = frozenset({*_CREATE, "AddOrUpdate"})


def jobs(unit: Unit) -> Iterator[Job]:
    """Workers and consumers, by the base types of classes, and recurring jobs of Hangfire."""
    yield from annotated.jobs_by_base(unit, _WORKERS)
    for call in unit.called:
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
    """The methods with an attribute of xUnit, NUnit or MSTest, and those of BenchmarkDotNet."""
    for each in unit.noted:
        if each.kind == "method":
            note = next((each.notes[name] for name in each.notes if name in _TESTS), None)
            if note is not None:
                yield Test(each.name, note.line)
            elif "Benchmark" in each.notes:
                yield Test(each.name, each.notes["Benchmark"].line, "benchmark")


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
