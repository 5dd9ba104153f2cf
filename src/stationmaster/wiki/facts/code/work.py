"""Ways into the code: where programs begin, commands that people type, background work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.code.model import (
    EntryKind,
    FileFacts,
    JobKind,
    Option,
    Symbol,
)
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.code.programs import (
    build_scripts,
    is_beside,
    is_program,
    is_tried,
    is_unnamed,
    is_unused,
    of_cargo,
    only_program,
    program_of,
    started,
)
from stationmaster.wiki.facts.code.steps.messages import taking
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.interfaces import schedules
from stationmaster.wiki.facts.interfaces.abstract_jobs import Placed, jobs_of
from stationmaster.wiki.facts.interfaces.handed import socket_events
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.parting import PART_MAX, Sheet, parts, sheets
from stationmaster.wiki.facts.texts.helps import explained, helps
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.facts.tooling.programs.launched import launched, launched_files
from stationmaster.wiki.facts.tooling.programs.own_commands import Own, own_commands
from stationmaster.wiki.facts.tooling.programs.placing import (
    help_of,
    is_attached,
    is_within,
    options_of,
    placed,
)

ITEMS_MAX = 5_000

_UNNAMED = "Program"
"""What C# calls the statements at the top of a file, whichever program they are."""


class Begin(msgspec.Struct, frozen=True):
    """Where a program begins, with its comment."""

    name: str
    kind: EntryKind
    path: str
    line: int
    end: int
    doc: str


class Typed(msgspec.Struct, frozen=True):
    """A command of `program`; `words` are () for the program itself. `framework` is set where a
    program of the framework, such as `manage.py`, finds the command. `below` is the program's name
    where the code attaches the command to it. `about` are the paragraphs of its help after the
    first, with their lines. `is_beside`: of a script that is none of the programs."""

    words: tuple[str, ...]
    help: str
    path: str
    line: int
    handler: str
    handler_path: str
    handler_line: int
    options: tuple[Option, ...]
    framework: str = ""
    program: str = ""
    below: str = ""
    about: str = ""
    is_beside: bool = False
    aliases: tuple[str, ...] = ()


class Work(msgspec.Struct, frozen=True):
    """`runs` is the qualified name of the handler in its file, '' where it is not resolved."""

    name: str
    kind: JobKind
    trigger: str
    path: str
    line: int
    handler: str
    handler_path: str
    handler_line: int
    framework: str
    runs: str = ""


@query
def begins(facts: Facts) -> tuple[Begin, ...]:
    """Where programs begin, by kind, then path; last those without a name of their own."""
    begun = [*_of_functions(facts)]
    replaced = {it.path for it in begun}
    for file in interfaces(facts):
        code = facts.code[file.path] if file.entries else FileFacts()
        is_main = file.path not in replaced and not is_tried(facts, file.path)
        is_main = is_main and file.path not in build_scripts(facts)
        for entry in (it for it in file.entries if is_main or it.kind != "main"):
            symbol = next((s for s in code.symbols if s.qualified == entry.symbol), None)
            end = symbol.end if symbol and symbol.line == entry.line else entry.line
            is_program = entry.kind in ("main", "script") or entry.name == _UNNAMED
            name = program_of(facts, file.path) if is_program else entry.name
            doc = (symbol.doc if symbol else "") or code.doc
            begun.append(Begin(name, entry.kind, file.path, entry.line, end, doc))
    begun += _of_web(facts)
    known = {it.path for it in begun}
    for path, name in launched_files(facts).items():
        if path not in known:
            begun.append(Begin(name, "script", path, 1, 1, facts.code[path].doc))
    order = ("main", "server", "app", "script")
    begun.sort(
        key=lambda entry: (
            is_unnamed(facts, entry.path, entry.name),
            order.index(entry.kind), entry.path, entry.line, entry.name,
        )
    )  # fmt: skip
    return tuple(begun[:ITEMS_MAX])


def _of_functions(facts: Facts) -> Iterator[Begin]:
    """The functions that manifests declare as programs, in files that are also started as
    scripts."""
    mains = {it.path for it in interfaces(facts) if any(own.kind == "main" for own in it.entries)}
    for (path, function), names in started(facts).items():
        symbol = symbol_of(facts, path, function)
        if symbol is not None and path in mains:
            doc = symbol.doc or facts.code[path].doc
            yield from (Begin(it, "main", path, symbol.line, symbol.end, doc) for it in names)


def _of_web(facts: Facts) -> Iterator[Begin]:
    """The files of PHP that a web server runs: in the folder that it serves or, without one, at
    the root; they include other files and call methods at their top level, or declare nothing.
    Such files of `bin` are scripts."""
    into, served = all_links(facts).into, (*layout().files.assets, "bin")
    for path, code in facts.code.items():
        folder, _, file = path.rpartition("/")
        is_php = path.endswith(".php") and facts.records[path].file_class == "source"
        if not is_php or into.get(path) or code.entries or (folder and folder not in served):
            continue
        does = any(it.of and not it.caller for it in code.calls) or (folder and not code.symbols)
        if does and any(it.kind == "include" for it in code.imports):
            yield Begin(file, "script" if folder == "bin" else "app", path, 1, code.lines, code.doc)


@query
def commands(facts: Facts) -> tuple[Typed, ...]:
    """Commands by words, then path; those of a framework's own program last."""
    attached, apart = list[Typed](), list[Typed]()
    for file in interfaces(facts):
        for command in file.commands:
            spot = placed(facts, file.path, command)
            is_placed = bool(command.words) and spot.words != command.words
            is_part = command.is_part and not is_placed
            if is_part or is_within(facts, file.path, command):
                continue
            end = _end(facts, file.path, command.handler, command.line)
            handler = (end[0], end[1].line) if end else ("", 0)
            # What is below a command of another file is typed behind that file's program.
            words, program = spot.words, spot.program or program_of(facts, spot.path)
            if (not words and is_unused(facts, file.path)) or "{$" in "".join(words):
                continue
            if is_program(facts, file.path, command):
                words = ()
            options = options_of(facts, file.path, command)
            place = file.path, command.line, command.handler, *handler
            summary, _, about = help_of(facts, file.path, command).partition("\n\n")
            help_ = of_cargo(facts, file.path, summary)
            listed = attached if is_attached(facts, file.path, spot) else apart
            is_elsewhere = spot.path != file.path and not only_program(facts, spot.path)
            own = program if is_elsewhere else only_program(facts, spot.path)
            below = (spot.program or own) if words else ""
            is_script = is_beside(facts, spot.path, program)
            row = words, help_, *place, options, "", program, below, about, is_script
            listed.append(replace(Typed(*row), aliases=command.aliases))
    # Where no command is attached to a program, a library makes commands for others.
    attached = attached or apart
    attached += [_own(facts, it) for it in own_commands(facts) if it.name]
    attached = _helped(facts, _merged(attached))
    attached.sort(key=lambda row: (bool(row.framework), row.words, row.path, row.line))
    begun = {it.path for it in begins(facts) if it.kind == "main" and not is_aside(it.path)}
    is_all = not programs(facts) and begun <= {row.path for row in attached}
    if is_all and all(row.is_beside or row.framework for row in attached):
        attached = [replace(row, is_beside=False) for row in attached]  # There is nothing else.
    return (*attached[:ITEMS_MAX], *_launched(facts))


def _launched(facts: Facts) -> Iterator[Typed]:
    """The commands of launchers of the product: those of scripts that choose by an argument."""
    for it in (it for it in launched(facts) if it.program):
        begin = (it.path, 1) if it.path else ("", 0)
        place = it.place.path, it.place.line or 1, it.runs, *begin
        yield Typed((it.name,), it.meaning, *place, (), "", it.program, it.program)


def _merged(rows: list[Typed]) -> list[Typed]:
    """Commands, where a file makes the options of one apart from what runs it, as one."""
    merged: dict[tuple[object, ...], Typed] = {}
    for number, row in enumerate(rows):
        key = (row.program, row.words, row.path) if row.path.endswith(".go") else (number,)
        first = merged.get(key)
        if first is not None and (first.handler or row.handler):
            options = tuple(dict.fromkeys((*first.options, *row.options)))
            row = replace(first if first.handler else row, options=options)
        merged[key] = row
    return [*merged.values()]


def _helped(facts: Facts, rows: list[Typed]) -> list[Typed]:
    """The commands with what the help of their programs says: options and meanings that the code
    lacks, and all commands where it has none."""
    declared, own = {it.name for it in programs(facts)}, facts.commit.name
    worded = {row.program for row in rows if row.words}
    for path, it in helps(facts):
        program = program_of(facts, path)
        if it.program and it.program not in (*declared, program):
            if declared and it.program.lower() not in (own.lower(), program.lower()):
                continue  # It is about another program.
            rows = [
                replace(row, program=it.program) if row.path == path and not declared else row
                for row in rows
            ]
            program = program if declared else it.program
        program = it.program if it.program in declared else program
        is_script = is_beside(facts, path, program)
        row = "", "", 0, (), "", program
        new = [(it.words, it.about, it.line)] if it.options or it.words else []
        new += [((*it.words, name), help_, line) for name, line, help_ in it.commands]
        for words, help_, line in new:
            at = next(
                (
                    at
                    for at, each in enumerate(rows)
                    if each.program == program and each.words == words
                ),
                None,
            )
            if at is None and words and program in worded:
                continue  # The code has them all, or calls them otherwise.
            if at is None:
                below = program if words else ""
                rows.append(Typed(words, help_, path, line, *row, below, "", is_script))
            elif not rows[at].help:
                rows[at] = replace(rows[at], help=help_)
        alike = [
            at for at, each in enumerate(rows) if each.program == program and each.words == it.words
        ]
        whole = max(alike, key=lambda at: len(rows[at].options), default=-1)
        for at, each in enumerate(rows):
            if at == whole or each.path == path:
                options = explained(each.options, it.options, path, is_whole=at == whole)
                rows[at] = replace(each, options=options)
    return rows


@query
def command_bases(facts: Facts) -> tuple[Typed, ...]:
    """The base classes of commands, with the options that all of their commands have."""
    return tuple(_own(facts, it) for it in own_commands(facts) if not it.name)


def _own(facts: Facts, own: Own) -> Typed:
    place = own.help, own.path, own.line, own.handler, own.path, own.handler_line
    if not own.name:
        program = f"all commands of {own.handler.partition('.')[0]}"
        return Typed((), *place, own.options, own.framework, program)
    below = own.program or only_program(facts, own.path)
    program = "" if own.framework else below
    return Typed((own.name,), *place, own.options, own.framework, program, below)


@query
def command_sheets(facts: Facts) -> tuple[Sheet[Typed], ...]:
    """Commands with their options, by the first word."""
    listed = [it for it in commands(facts) if not (it.framework or it.is_beside)]
    made = parts(listed, _first_word, _first_word, "Commands")
    return sheets(made, set(), most=PART_MAX)


@query
def jobs(facts: Facts) -> tuple[Work, ...]:
    """Background work by kind, then name."""
    every = enumerate((*_jobs(facts), *_scheduled(facts)))
    unique = list({_work(job, place): job for place, job in every}.values())
    unique.sort(key=lambda work: (work.kind, work.name, work.path, work.line))
    return tuple(unique[:ITEMS_MAX])


def apart(jobs: Sequence[Work]) -> list[Work]:
    """The jobs without the workers of queues that are among them: such two are one job."""
    queues = {(job.framework, job.name) for job in jobs if job.kind == "queue"}
    return [it for it in jobs if it.kind != "worker" or (it.framework, it.name) not in queues]


def _work(job: Work, place: int) -> tuple[str, str, str, int]:
    """The key of a job: a listener of Laravel may be registered in one file and name its event in
    its own file, and counts once."""
    is_twice = job.kind == "event" and job.framework == "Laravel" and job.handler_path
    return (job.trigger, job.name, job.handler_path, 0) if is_twice else ("", "", "", place)


@query
def job_sheets(facts: Facts, kind: JobKind) -> tuple[Sheet[Work], ...]:
    of_kind = [job for job in jobs(facts) if job.kind == kind]
    made = parts(of_kind, lambda work: work.path.split("/")[0], lambda work: work.name, kind)
    return sheets(made, set(), most=10 * PART_MAX)


def _jobs(facts: Facts) -> Iterator[Work]:
    of_sockets = (Placed(path, job, path) for path, job in socket_events(facts))
    for path, job, where in (*chain.from_iterable(jobs_of(facts).values()), *of_sockets):
        end = _end(facts, where, job.handler, job.line)
        if job.framework == "Laravel" and job.kind == "schedule":
            end = _of_artisan(facts).get(job.name.partition(" ")[0], end)
            job = replace(job, handler=end[1].qualified) if end else job
        if job.kind == "event" and end and end[1].kind in TYPES:
            for spot in taking(facts, Spot(end[0], end[1].qualified), job.trigger)[:1]:
                end = spot.path, symbol_of(facts, *spot) or end[1]
        is_of_rq = (job.framework, job.kind) == ("RQ", "queue")
        if is_of_rq and job.name.rpartition(".")[2] not in _delayed(facts):
            job = replace(job, trigger="")  # What enqueues it chooses the queue.
        handled = (end[0], end[1].line) if end else ("", 0)
        row = job.name, job.kind, job.trigger, path, job.line, job.handler
        yield Work(*row, *handled, job.framework, end[1].qualified if end else "")


@query
def _delayed(facts: Facts) -> frozenset[str]:
    """The last words of what is queued as `send_mail.delay()`."""
    calls = (call for code in facts.code.values() for call in code.calls if call.name == "delay")
    return frozenset(call.of.rpartition(".")[2] for call in calls)


@query
def _of_artisan(facts: Facts) -> Mapping[str, tuple[str, Symbol]]:
    """The methods of Laravel's commands, by the names that schedules call them by."""
    return {
        command.words[0]: (file.path, symbol)
        for file in interfaces(facts)
        for command in (file.commands if file.path.endswith(".php") else ())
        if (symbol := symbol_of(facts, file.path, f"{command.handler}.handle")) and command.words
    }


def _scheduled(facts: Facts) -> Iterator[Work]:
    """The jobs that files of settings schedule."""
    for path, job in schedules.scheduled(facts):
        end = schedules.classes(facts).get(job.handler.removeprefix("::"))
        handled = (end[0], end[1].line) if end else ("", 0)
        row = job.name, job.kind, job.trigger, path, job.line, job.handler
        yield Work(*row, *handled, job.framework, end[1].qualified if end else "")


def _end(facts: Facts, path: str, handler: str, line: int) -> tuple[str, Symbol] | None:
    """The file and symbol of a handler; None where it is not resolved."""
    if not handler:
        return None
    end = declaration(facts, path, handler)
    spot = None if end else handler_of(facts, path, handler, line)
    symbol = symbol_of(facts, spot.path, spot.name) if spot else None
    return (spot.path, symbol) if spot and symbol else end


def _first_word(command: Typed) -> str:
    return command.words[0] if command.words else command.program
