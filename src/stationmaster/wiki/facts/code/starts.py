"""Where flows begin: programs, what users of a library call, commands, jobs and routes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.reading.code.explaining import Span, arms, indent
from stationmaster.reading.code.model import CliCommand, FileFacts
from stationmaster.wiki.facts.code.comments import (
    block_of,
    lines_of,
    script_of,
    shown_lines,
    symbol_of,
)
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.names import around, handler_of
from stationmaster.wiki.facts.code.programs import (
    is_declared,
    is_program,
    is_tried,
    program_of,
    started,
)
from stationmaster.wiki.facts.code.work import jobs
from stationmaster.wiki.facts.interfaces.file_routes import file_routes
from stationmaster.wiki.facts.interfaces.routes import routes, whole_paths
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.texts.examples import uses
from stationmaster.wiki.facts.tooling.programs.declared import Program, every_program
from stationmaster.wiki.facts.tooling.programs.dispatching import runs
from stationmaster.wiki.facts.tooling.programs.launched import launched_files
from stationmaster.wiki.facts.tooling.programs.own_commands import own_commands
from stationmaster.wiki.facts.tooling.programs.placing import placed
from stationmaster.wiki.text.inline import Place

PROGRAM, CALL = "program", "call"
ENTRIES = {"main": PROGRAM, "app": "application"}
PROGRAMS = (PROGRAM, "script")
_BEGINNING = ("main", "script")
_JOBS = {"schedule": "scheduled job", "queue": "job", "event": "event handler"}
"""What entries and jobs of a kind are called, where that is not the kind's own name."""
_WORD = re.compile(r"\w+")
_COMPUTED = re.compile(r"\{(?:\$|[^{}:]{0,80}(?:\w\.[A-Za-z]|[\"'(]))")
"""A part of a path that an expression makes, and whose text nobody knows."""
_Command = tuple[str, str, int, Span]


class Start(NamedTuple):
    """A beginning of a flow: a route, command or job, declared at `path` and `line`, that begins at
    `spot`. `kind` is '' for a route; `within` see `Station`."""

    name: str
    spot: Spot
    path: str
    line: int
    kind: str = ""
    within: tuple[int, int] = (0, 0)


def starts(facts: Facts) -> Iterator[Start]:
    """The beginnings of flows: programs, what users of a library call, commands, jobs, routes."""
    begun = started(facts)
    yield from _functions(facts)
    for use in uses(facts):
        yield Start(use.name, use.spot, use.path, use.line, CALL, use.within)
    is_source = {path: facts.records[path].file_class == "source" for path in facts.code}
    sources = {path: code for path, code in facts.code.items() if is_source[path]}
    for path, code in sources.items():
        is_begun = any(function.path == path for function in begun)
        for entry in code.entries:
            name = entry.symbol if entry.kind != "main" else ""
            if name.strip("_").lower() in ("", "main", "run", "cli", "init", "start"):
                name = program_of(facts, path)
            within = (0, 0) if entry.symbol else script_of(facts, path, entry.line)
            kind = ENTRIES.get(entry.kind, entry.kind)
            if kind in PROGRAMS and (is_begun or is_tried(facts, path)):
                continue
            if kind in PROGRAMS and is_declared(facts, path) and entry.symbol:
                kind = PROGRAM
            elif kind in PROGRAMS and is_declared(facts, path):
                continue
            yield Start(name, Spot(path, entry.symbol), path, entry.line, kind, within)
    yield from _scripts(facts)
    for path, code in sources.items():
        for name, handler, line, within in _commands(facts, path, code):
            spot = handler_of(facts, path, handler, line) or Spot(path, handler)
            yield Start(name, spot, path, line, "command", within)
        yield from _jobs(facts).get(path, ())
    whole = whole_paths(facts)
    for path, route in routes(facts):
        key = (path, route.line, route.method, route.handler)
        address = whole.get(key, route.path)
        name = f"{route.method} {address}"
        if not address or _COMPUTED.search(name):  # No router holds it, or none that is known.
            continue
        named = handler_of(facts, path, route.handler, route.line) if route.handler else None
        if named is not None and not _is_around(facts, named, path, route.line):
            yield Start(name, named, path, route.line)
        else:
            holder = Spot(path, around(facts, path, route.line))
            within = block_of(facts, path, route.line)
            yield Start(name, holder, path, route.line, within=within)
    for item in file_routes(facts):
        if item.handler:
            method = item.methods[0] if len(item.methods) == 1 else "ANY"
            yield Start(
                f"{method} {item.route}", Spot(item.path, item.handler), item.path, item.line
            )


def _functions(facts: Facts) -> Iterator[Start]:
    """Programs that manifests lead to a function."""
    for (path, function), called in started(facts).items():
        symbol = symbol_of(facts, path, function)
        if symbol is not None and facts.records[path].file_class == "source":
            yield Start(called[0], Spot(path, function), path, symbol.line, PROGRAM)


def _scripts(facts: Facts) -> Iterator[Start]:
    """Programs whose files do at their top level what they do."""
    begun = {function.path for function in started(facts)}
    by_launchers = (
        Program(name, path, "", Place(path)) for path, name in launched_files(facts).items()
    )
    every = (*every_program(facts), *by_launchers)
    scripts = [it for it in every if it.path in facts.code and it.path not in begun]
    for program in scripts:
        entries = [it for it in facts.code[program.path].entries if it.kind in _BEGINNING]
        if not any(it.symbol for it in entries):
            line = entries[0].line if entries else 1
            spot = Spot(_loaded(facts, program.path), "")
            within = script_of(facts, spot.path, line if spot.path == program.path else 1)
            yield Start(program.name, spot, program.path, line, PROGRAM, within)


def _loaded(facts: Facts, path: str) -> str:
    """The file with the code of a script that does no more than load another one."""
    links = [it for it in all_links(facts).out.get(path, ()) if it.kind != "type"]
    does = [it for it in facts.code[path].calls if it.name not in ("require", "import")]
    is_more = does or len(links) != 1 or links[0].end not in facts.code
    return path if is_more else links[0].end


@query
def _jobs(facts: Facts) -> Mapping[str, list[Start]]:
    """The jobs of the repository by file, with what runs for them."""
    begun = defaultdict[str, list[Start]](list)
    for job in (it for it in jobs(facts) if it.handler and it.path in facts.code):
        spot = Spot(job.handler_path, job.runs) if job.runs else Spot(job.path, job.handler)
        kind, within = _JOBS.get(job.kind, job.kind), (0, 0)
        if job.kind == "schedule" and (end := _inner_end(facts, spot, job.path, job.line)):
            kind, within = f"{kind} in", (job.line, end)
        begun[job.path].append(Start(job.name, spot, job.path, job.line, kind, within))
    return begun


def _commands(facts: Facts, path: str, code: FileFacts) -> Iterator[_Command]:
    """The commands of a file: name, handler, line, and the lines of its handler that are about it,
    (0, 0) for all."""
    for command in code.commands:
        end = runs(facts, path, command) if not command.is_part else None
        within = _arm(facts, path, command, end) if end is not None else (0, 0)
        if within is not None and (end is not None or command.handler):
            handler = end.name if end is not None and end.path == path else command.handler
            words = placed(facts, path, command).words
            name = " ".join(words) or command.program or handler
            is_method = name == handler and "." in handler
            if is_method or is_program(facts, path, command):
                name = program_of(facts, path)
            yield name, handler, command.line, within
    for own in own_commands(facts):
        if own.path == path and own.name:
            yield own.name, own.handler, own.line, (0, 0)


def _arm(facts: Facts, path: str, command: CliCommand, end: Spot) -> Span | None:
    """The lines of the arm for a command that is a variant of an enum, in the function that is run
    for all of them; None where no arm is its own."""
    holder, function = (symbol_of(facts, *it) for it in ((path, command.holder), end))
    if command.handler or holder is None or holder.kind != "enum" or function is None:
        return (0, 0)
    variant = _WORD.search(lines_of(facts, path)[command.line - 1])
    every = arms(lines_of(facts, end.path), function.line, function.end)
    spans = [(last - first, first, last) for names, first, last in every
             if variant and variant[0] in names]  # fmt: skip
    return max(spans)[1:] if spans else None


def _is_around(facts: Facts, spot: Spot, path: str, line: int) -> bool:
    """Does a function hold the line at which a route is declared, and not just its handler?"""
    symbol = symbol_of(facts, spot.path, spot.name)
    text = lines_of(facts, path)[line - 1].lstrip()
    is_inside = symbol is not None and spot.path == path and symbol.line < line <= symbol.end
    return is_inside and not text.startswith(("@", "#[", "["))


def _inner_end(facts: Facts, spot: Spot, path: str, line: int) -> int:
    """The last line of the block around a line, if that block is nested in the function's own
    block; else 0."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or not _is_around(facts, spot, path, line):
        return 0
    indents = [_indent(text) for text in shown_lines(facts, path)[symbol.line : symbol.end]]
    own, inner = next(filter(None, indents), 0), indents[line - symbol.line - 1]
    after = indents[line - symbol.line :]
    left = next(
        (number for number, depth in enumerate(after) if depth and depth < inner), len(after)
    )
    return line + left if inner > own else 0


def _indent(text: str) -> int:
    return indent(text) if text.strip() else 0
