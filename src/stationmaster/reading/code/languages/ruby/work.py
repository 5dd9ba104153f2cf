"""Jobs, callbacks of records, tests, commands and entries of Ruby; commands that blocks make, as
those of Mercenary and commander: `p.command(:add) do |c|`, with the calls on `c` in the block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ruby import thor
from stationmaster.reading.code.languages.ruby.web import has_block
from stationmaster.reading.code.languages.source import child, is_in, line_of, one_line
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Entry, Job, Option, Symbol, Test

_MEANING = code.table("ruby.programs.meaning", str)
_OPTIONS = code.names("ruby.programs.options")
_MAKING = code.names("ruby.programs.making")
BLOCK_CALLS = _MAKING | _OPTIONS | {_MEANING}
_GIVEN = re.compile(r"\w\s?\(\s{0,9}(\w+)\s{0,9}\)\s*$")
_HANDED = re.compile(r"(?m)^[ \t]*(?:\w+\.)?(\w+)[( ][ \t]*(\w+)[ \t]*\)?$")

_CASES = code.names("ruby.tests.cases")
_GROUPS = code.names("ruby.tests.groups")
_MAIN = re.compile(rb"\b__FILE__\s*==\s*\$(?:0|PROGRAM_NAME)|\$(?:0|PROGRAM_NAME)\s*==\s*__FILE__")
_CALLBACKS = code.names("ruby.jobs.callbacks")
_RUNNING = code.names("ruby.jobs.running")
_QUEUING = frozenset({"perform_later", "perform_async"})
_JOB = re.compile(r"[A-Z][\w:]*")
_CLOCK_NAME = re.compile(r", ?([\"'])[^\"']*\1")
"""The name of an entry of Clockwork behind its time."""
_TIMED = frozenset({"every", "cron", "interval"})
_MODIFIED = frozenset({"if_modifier", "unless_modifier"})
_TIMES_MAX = 400
"""Letters of what a schedule is given."""
CALLS = code.names("ruby.programs.calls") | _CASES | _GROUPS | BLOCK_CALLS | thor.CALLS
CALLS |= _CALLBACKS | _RUNNING | _QUEUING | _TIMED | {"included"}


def jobs(unit: Unit) -> Iterator[Job]:
    """The jobs of ActiveJob and Sidekiq with their queues, and the mailboxes of ActionMailbox."""
    included = {
        call.caller: unit.text(call.listed)
        for call in unit.called
        if call.name == "include" and "Sidekiq::" in unit.text(call.listed)
    }
    for symbol in unit.symbols:
        if symbol.kind != "class" or symbol.name in ("ApplicationJob", "ApplicationMailbox"):
            continue
        bases = {base.removeprefix("::") for base in symbol.bases}
        sidekiq = included.get(symbol.qualified, "")
        is_active = bases & {"ApplicationJob", "ActiveJob::Base"}
        if is_active or re.search(r"Sidekiq::(?:Job|Worker)\b", sidekiq):
            queue = _queue(unit, symbol, "queue_as" if is_active else "sidekiq_options")
            run, framework = f"{symbol.qualified}.perform", "ActiveJob" if is_active else "Sidekiq"
            is_abstract = all(it.qualified != run for it in unit.symbols)
            yield Job(symbol.name, "queue", symbol.line, queue, run, framework, is_abstract)
        elif bases & {"ApplicationMailbox", "ActionMailbox::Base"}:
            yield Job(symbol.name, "consumer", symbol.line, "", symbol.qualified, "ActionMailbox")


def _queue(unit: Unit, symbol: Symbol, name: str) -> str:
    for call in unit.called:
        if call.name == name and call.caller == symbol.qualified:
            return call.value("queue", 0)
    return ""


def schedules(unit: Unit) -> Iterator[Job]:
    """The jobs in blocks of whenever and Clockwork: `every 1.day { runner "Order.close_old" }`,
    `every(1.day, "close") { CloseJob.perform_later }`, and of rufus-scheduler."""
    if b"Rufus" in unit.data:
        yield from _timed(unit)
        return
    for call in unit.called:
        if call.name != "every" or not has_block(call) or not call.listed:
            continue
        first, last = line_of(call.node), call.node.end_point[0] + 1
        times = unit.text(call.listed)[:_TIMES_MAX].strip("()")
        times = one_line(_CLOCK_NAME.sub("", times), 80)
        for it in unit.called:
            job = _JOB.match(it.on) if it.name in _QUEUING else None
            if job and first < line_of(it.node) <= last:
                yield Job(job[0], "schedule", it.line, times, f"{job[0]}.perform", "Clockwork")
            text = it.value(0) if it.name in _RUNNING and first < line_of(it.node) <= last else ""
            if text and not it.on:
                handler = text.removesuffix("()") if it.name == "runner" else ""
                yield Job(one_line(text), "schedule", it.line, times, handler, "whenever")


def _timed(unit: Unit) -> Iterator[Job]:
    """What blocks of rufus-scheduler run: `scheduler.every "1m" do`, `cron "0 * * * *" do`."""
    for call in unit.called:
        body = child(call.node, "block", "body") if call.name in _TIMED and call.listed else None
        first = child(body) if body is not None else None
        if first is not None and first.type in _MODIFIED:
            first = child(first, "body")
        if first is None or (call.on and "scheduler" not in call.on.lower()):
            continue
        is_alone = len(call.given.all()) == 1
        times = (is_alone and call.value(0)) or one_line(unit.text(call.listed).strip("()"), 80)
        name = unit.part(first, "method") if first.type == "call" else unit.text(first)
        is_own = first.type == "identifier" or child(first, "receiver") is None
        holder = call.caller.rpartition(".")[0]
        handler = f"{holder}.{name}" if is_own and holder else ""
        if name in _QUEUING and _JOB.fullmatch(unit.part(first, "receiver")):
            handler = f"{unit.part(first, 'receiver')}.perform"
        runs = handler or one_line(unit.text(first), 80)
        yield Job(runs, "schedule", line_of(first), times, handler, "rufus-scheduler")


def callbacks(unit: Unit) -> Iterator[Job]:
    """The callbacks of making, checking, saving and deleting a record: `after_create :greet`, also
    in modules whose block `included` is for records."""
    records = {
        symbol.qualified
        for symbol in unit.symbols
        if symbol.kind == "class"
        and any(base.endswith(("Record", "::Base")) for base in symbol.bases)
    }
    records |= {it.caller for it in unit.called if it.name == "included" and has_block(it)}
    for call in unit.called:
        if call.name in _CALLBACKS and call.caller in records and not call.on:
            yield from _callback(unit, call)


def _callback(unit: Unit, call: Called) -> Iterator[Job]:
    trigger = f"{call.caller} {call.name}"
    on = call.texts("on")
    conditions = [
        f"{key}: {one_line(unit.text(node), 80)}"
        for key, node in call.given.named.items()
        if key in ("if", "unless")
    ]
    events = [f"on: {', '.join(on)}"] if on else []
    when = ", ".join((trigger, *events, *conditions))
    for node in call.given.at:
        for name in unit.texts(node) if node.type == "simple_symbol" else ():
            handler = f"{call.caller}.{name}"
            yield Job(handler, "event", line_of(node), when, handler, "Rails")
    if has_block(call) or any(node.type == "lambda" for node in call.given.at):
        yield Job(trigger, "event", call.line, when, "", "Rails")


def tests(unit: Unit) -> Iterator[Test]:
    """The tests of Minitest, Rails and RSpec by line."""
    cases = {
        symbol.qualified
        for symbol in unit.symbols
        if any(
            base.endswith(("TestCase", "Minitest::Test", "IntegrationTest"))
            for base in symbol.bases
        )
    }
    rows = [
        Test(symbol.name, symbol.line)
        for symbol in unit.symbols
        if symbol.name.startswith("test_") and symbol.container in cases
    ]
    has_groups = any(call.name in _GROUPS and has_block(call) for call in unit.called)
    for call in unit.called:
        is_case = (call.name in _CASES and has_groups) or (
            call.name == "test" and call.caller in cases
        )
        if is_case and not call.on and has_block(call):
            name = call.value(0)
            rows.append(Test(one_line(name) or call.name, call.line))
    yield from sorted(rows, key=lambda test: test.line)


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The described tasks of Rake, the commands of Thor and of blocks, and one for the options of
    optparse."""
    yield from _tasks(unit)
    yield from blocks_of(unit)
    yield from thor.commands(unit)
    if any(import_.name == "optparse" for import_ in unit.imports):
        calls = (call for call in unit.called if call.name == "on" and call.on)
        if options := tuple(_options(unit, calls)):
            yield CliCommand((), options[0].line, options=options)


def _tasks(unit: Unit) -> Iterator[CliCommand]:
    """Rake's tasks: with a description, `desc "…"` above `task :name`, or with a block of their own
    that no other task of the file needs first."""
    around: list[tuple[int, str]] = []
    tasks = [call for call in unit.called if call.name == "task" and not call.on]
    needed = {it for call in tasks for node in call.given.named.values() for it in unit.texts(node)}
    about = ""
    for call in sorted(unit.called, key=lambda it: it.node.start_byte):
        while around and around[-1][0] <= call.node.start_byte:
            around.pop()
        if call.on or call.caller:
            continue
        first = call.value(0) or next(iter(call.given.named), "").strip("\"'")
        if call.name == "namespace" and has_block(call):
            around.append((call.node.end_byte, first))
        elif call.name == "desc":
            about = first
        elif call.name == "task" and first:
            if about or (has_block(call) and first not in needed):
                name = ":".join([*(it for _, it in around), first])
                yield CliCommand((name,), call.line, one_line(about), program="rake")
            about = ""


def entries(unit: Unit) -> Iterator[Entry]:
    """A script or main program, the application of Rails, what Rack's `run` serves."""
    data = unit.data
    if data.startswith(b"#!"):
        yield Entry("script", "script", 1)
    elif match := _MAIN.search(data):
        yield Entry("main", "main", data.count(b"\n", 0, match.start()) + 1)
    for symbol, base in unit.classes("Application"):
        if base.removeprefix("::") == "Rails::Application":
            yield Entry(symbol.container or symbol.name, "app", symbol.line, symbol.qualified)
    if not unit.symbols:
        for call in unit.called:
            if call.name == "run" and not call.on and len(call.given.at) == 1:
                yield Entry(one_line(unit.text(call.given.at[0]), 80), "server", call.line)


def blocks_of(unit: Unit) -> Iterator[CliCommand]:
    """The commands of a file with a description, and functions that add options to one."""
    inner: set[int] = set()
    for call in unit.called:
        block = child(call.node, "block") if call.name in _MAKING else None
        parameter = unit.part(block, "parameters").strip("|{ ")
        if block is None or not parameter.isidentifier():
            continue
        own = [it for it in unit.called if it.on == parameter and is_in(it.node, block)]
        meaning = next((it for it in own if it.name == _MEANING), None)
        name = call.value(0)
        if meaning is None or not name:
            continue
        inner.update(it.node.start_byte for it in own)
        passed = _HANDED.findall(unit.text(block))
        parts = (function for function, argument in passed if argument == parameter)
        is_program = bool(call.on) and call.on[0].isupper()
        yield CliCommand(
            () if is_program else (name,),
            call.line,
            one_line(meaning.value(0)),
            options=tuple(_options(unit, (it for it in own if it.name in _OPTIONS))),
            program=name if is_program else "",
            parts=tuple(dict.fromkeys(parts)),
        )
    for symbol in unit.symbols:
        match = _GIVEN.search(symbol.signature)
        calls = (
            it
            for it in unit.called
            if match and it.on == match[1] and it.caller == symbol.qualified
            if it.name in _OPTIONS and it.node.start_byte not in inner
        )
        if options := tuple(_options(unit, calls)):
            row = (), symbol.line, "", "", options, symbol.qualified
            yield CliCommand(*row, is_part=True)


def _options(unit: Unit, calls: Iterable[Called]) -> Iterator[Option]:
    """`c.option "port", "-P", "--port PORT", Integer, "Where it listens"`"""
    for call in calls:
        texts = [it for node in call.given.at for it in unit.texts(node)]
        at = [number for number, text in enumerate(texts) if text.startswith("-")]
        if at:
            names = (texts[number].split()[0].split("=")[0] for number in at)
            meaning = "".join(texts[at[-1] + 1 :][:1])
            yield Option(tuple(names), call.line, one_line(meaning))
