"""What a program of Go does by itself, and what tests it.

A ticker may also end a wait, draw progress or keep a connection open. It is a schedule where a loop
waits for it that nothing but the end of the program leaves, which runs for good, and which does
something at each tick; as is a wait in such a loop.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go import entities
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.source import (
    above,
    child,
    inside,
    line_of,
    one_line,
    outward,
    within,
)
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Fact, Job, Test

_CRON = re.compile(r"(?:.{1,200}/)?(?:go-)?cron(?:/v\d{1,3})?")
_ADDED_MIN = 2
_TITLE = re.compile(r"[A-Za-z][\w -]{1,80}")
"""What a job may be called before its schedule."""
_TEXT_MAX = 40_000
TICKERS_MAX = 100
"""Of a file."""
_NAMED_MAX = 2
"""Functions at a tick that its work is called after."""
_PAUSES = ("After", "Sleep")
_MAKERS = ("NewTicker", "Tick", *_PAUSES)
_LITERAL = "func_literal"
_FUNCTIONS = frozenset({_LITERAL, "function_declaration", "method_declaration"})
_CASES = frozenset({"communication_case", "default_case", "expression_case", "type_case"})
_BREAKABLE = frozenset(
    {"for_statement", "select_statement", "expression_switch_statement", "type_switch_statement"}
)
_LEAVING = frozenset({"return_statement", "break_statement", "goto_statement"})
_ENDING = re.compile(
    r"\.(?:Done|Err)\(\)|(?i:stop|quit|exit|shutdown|clos(?:e|ing)|term|kill|done|cancel)\w*"
)
"""What says that the program, or the service that a loop belongs to, ends."""
_REQUESTS = re.compile("|".join(code.names("go.jobs.requests")))
_QUIET = re.compile("|".join(code.names("go.jobs.quiet")))
_LASTING = re.compile("|".join(code.names("go.jobs.lasting")), re.IGNORECASE)


def read(file: File) -> Iterator[Fact]:
    """The jobs, tables and tests of a file."""
    matches = file.matches("running")
    yield from schedules(file, matches)
    for call in file.called if any(map(_CRON.fullmatch, file.packages.values())) else ():
        yield from _added(file, call)
    yield from entities.read(file, matches)
    if "testing" in file.packages.values():
        yield from _tests(file, matches)


def _added(file: File, call: Called) -> Iterator[Job]:
    """What a call adds to a table of cron."""
    given, scope, line = call.given.at, call.caller, line_of(call.node)
    is_called = len(given) > _ADDED_MIN and _TITLE.fullmatch(file.literal(given[0]) or "")
    given = given[1:] if is_called else given
    if not call.on or call.name not in ("Add", "AddFunc", "AddJob") or len(given) < _ADDED_MIN:
        return
    if call.name == "Add" and not re.search(
        rf"\b{re.escape(call.on)}\s*:?=\s*cron\.New", _around(file, call)
    ):
        return
    first = file.literal(given[0]) or _asked(file, call, file.text(given[0]))
    first = first or (f"the value of {one_line(file.text(given[0]), 80)}" if is_called else "")
    if first:
        handler = one_line(file.text(given[1]), 80)
        handler = handler if handler.replace(".", "").isidentifier() else scope
        done = _working(file, given[1]) if given[1].type == _LITERAL else ()
        named = {it.name for it in done}
        name = named.pop() if len(named) == 1 else handler or first
        yield Job(name, "schedule", line, first, handler, "cron")
    elif given[0].type == "identifier" and scope:
        yield Job(scope, "schedule", line, "", scope, "cron", is_abstract=True)


def _asked(file: File, call: Called, name: str) -> str:
    """The setting that a variable of the function around a call is read from; '' for others."""
    form = rf"\b{re.escape(name)}\s*:?=\s*[\w.]{{1,80}}\(\s*\"([\w.-]{{1,99}})\"\s*\)"
    asked = re.findall(form, _around(file, call)) if name.isidentifier() else []
    return f"the value of {asked[-1]}" if asked else ""


def _around(file: File, call: Called) -> str:
    """The text of the function around a call up to it."""
    function = above(call.node, "function_declaration", "method_declaration")
    start = function.start_byte if function is not None else 0
    return file.data[start : call.node.start_byte].decode(errors="replace")


def _tests(file: File, matches: list[dict[str, list[Node]]]) -> Iterator[Test]:
    for match in matches:
        if "function" in match:
            name = file.text(match["function"][0])
            text = file.text(match["parameters"][0]).rstrip(") ")
            is_named = name.startswith(("Test", "Fuzz")) and not name[4:5].islower()
            if is_named and text.endswith(("*testing.T", "*testing.F")):
                yield Test(name, line_of(match["whole"][0]))


def schedules(file: File, matches: Sequence[dict[str, list[Node]]]) -> Iterator[Job]:
    """The work of a file that tickers start; `matches` are those of its query."""
    made = [
        call
        for call in file.called
        if call.name in _MAKERS and call.listed and file.packages.get(call.on) == "time"
    ]
    if not made:
        return
    waits = [match["waited"][0] for match in matches if "waited" in match]
    started = {
        file.text(match["started"][0]).rpartition(".")[2] for match in matches if "started" in match
    }
    started |= {name for call in file.called if call.name == "Go" for name in _run_by(file, call)}
    for call in made[:TICKERS_MAX]:
        given = call.given.at
        loops = ((wait, _loop(file, wait)) for wait in _waits_for(file, call, waits))
        for wait, loop in loops:
            scope = file.scopes.at(wait.start_byte)
            lasting = _lasts(file, loop, scope, started) if given and loop else False
            is_work = loop is not None and _works(file, wait, loop)
            if loop and lasting is not False and is_work and not _flushes(file, wait, loop):
                every = one_line(file.text(given[0]), 80)
                line = line_of(call.node if scope == call.caller else loop)
                name = _done_at(file, wait, loop, scope) or scope or call.name
                holes = _parameters(file, loop) if scope == call.caller else {}
                name, every = holes.get(name, name), holes.get(every, every)
                work = Job(name, "schedule", line, f"every {every}", scope, "time")
                yield work if lasting else replace(work, is_abstract=True)
                break


def _run_by(file: File, call: Called) -> Iterator[str]:
    """The functions that a group of goroutines is given, as in `group.Go(run)`, or that a literal
    in their place calls."""
    for given in inside(call.listed):
        if given.type != _LITERAL:
            yield file.text(given).rpartition(".")[2]
    if call.listed is not None:
        yield from (each.name for each in _calls_in(file, call.listed) if each.name != "Go")


def _waits_for(file: File, call: Called, waits: Sequence[Node]) -> Iterator[Node]:
    """The places that wait for what a call makes: there, by its variable, or by a field."""
    if call.name in _PAUSES:
        yield from (call.node,) if _is_pause(file, call.node, waits) else ()
        return
    holder = _variable(file, call.node)
    name = f"{holder}.C" if call.name == "NewTicker" else holder
    names = {name, *_handed_on(file, call, name)}
    field = name.partition(".")[2] if "." in holder else ""
    for wait in waits:
        text = file.text(wait)
        is_here = wait.start_byte <= call.node.start_byte < wait.end_byte
        is_same = text in names and file.scopes.at(wait.start_byte) == call.caller
        if is_here or (is_same and holder) or (field and text.endswith(f".{field}")):
            yield wait


def _handed_on(file: File, call: Called, name: str) -> list[str]:
    """The variables that are given the channel of a ticker: `ticks = ticker.C`."""
    function = above(call.node, *_FUNCTIONS)
    form = rf"\b(\w{{1,60}})[ \t]*:?=[ \t]*{re.escape(name)}\b"
    return re.findall(form, file.text(function)[:_TEXT_MAX]) if name else []


def _is_pause(file: File, node: Node, waits: Sequence[Node]) -> bool:
    """Does a loop wait for nothing else, but for its end? One that waits for what it started only
    pauses before it starts that again."""
    around = above(node, "block", "communication_case")
    holder = around.parent if around is not None else None
    if around is None or holder is None or around.type == "block":
        others = [
            it
            for it in waits
            if holder is not None and holder.start_byte < it.start_byte < holder.end_byte
            if above(it, *_FUNCTIONS) == above(node, *_FUNCTIONS)
        ]
        is_alone = all(_ENDING.search(file.text(it)) for it in others)
        return holder is not None and holder.type == "for_statement" and is_alone
    block = above(holder, "statement_list", past=True)
    if block is None or block.parent is None or block.parent.type != "for_statement":
        return False  # It waits under a condition, as after a failure.
    others = [it for it in holder.named_children if it.type in _CASES and it != around]
    asked = [child(it, "communication") for it in others]
    return all(it is not None and _ENDING.search(file.text(it)) for it in asked)


def _variable(file: File, node: Node) -> str:
    """What a value is kept in, `s.ticker` for a field; '' where it is not kept."""
    parent = node.parent
    if parent is None or parent.type != "expression_list" or parent.parent is None:
        return ""
    kept = child(parent.parent, "left") or child(parent.parent, "name")
    return file.text(kept).partition(",")[0].strip()


def _loop(file: File, wait: Node) -> Node | None:
    """The loop without an end that waits for something; None where there is none."""
    for around, _ in outward(wait, *_FUNCTIONS):
        if around.type == "for_statement":
            head = next((each for each in around.named_children if each.type != "block"), None)
            is_waited = head is not None and head.start_byte <= wait.start_byte < head.end_byte
            is_endless = head is None or (head.type == "range_clause" and is_waited)
            return around if is_endless and not _is_left(file, around) else None
    return None


def _is_left(file: File, loop: Node) -> bool:
    """Is there something that leaves a loop while the program goes on?"""
    waiting = [(loop, False, False)]
    while waiting:
        node, is_inner, is_end = waiting.pop()
        for each in node.named_children if node.type != _LITERAL else ():
            if each.type in _LEAVING:
                is_label = bool(each.named_children)
                if not is_end and (each.type != "break_statement" or is_label or not is_inner):
                    return True
                continue
            asked = child(each, "communication")
            asked = asked or child(each, "condition")
            is_ending = asked is not None and bool(_ENDING.search(file.text(asked)))
            waiting.append((each, is_inner or each.type in _BREAKABLE, is_end or is_ending))
    return False


def _lasts(file: File, loop: Node, scope: str, started: set[str]) -> bool | None:
    """Does a loop run for good: beside what started it, and not for one request? None where another
    file may start its function so."""
    is_beside = False
    for around, _ in outward(loop, "source_file"):
        if around.type == _LITERAL:
            is_beside = is_beside or _is_started(file, around)
            if not is_beside:
                return False
        if around.type in _FUNCTIONS:
            body = child(around, "body")
            end = body.start_byte if body else around.end_byte
            head = file.data[around.start_byte : end].decode(errors="replace")
            if _REQUESTS.search(head):
                return False
    name = scope.rpartition(".")[2]
    return is_beside or name in started or bool(_LASTING.search(name)) or (None if name else False)


def _is_started(file: File, literal: Node) -> bool:
    """Is a function without a name run by `go`, or by what runs it so?"""
    parent = literal.parent
    if parent is None or parent.parent is None:
        return False
    holder = parent.parent
    if parent.type == "call_expression":
        return holder.type == "go_statement"
    return file.part(holder, "function").endswith(".Go")


def _works(file: File, wait: Node, loop: Node) -> bool:
    """Is something done at a tick, other than to say that there was one?"""
    span = _span(wait, loop)
    return bool(_working(file, span)) or any(it.type == "send_statement" for it in within(span))


def _flushes(file: File, wait: Node, loop: Node) -> bool:
    """Is all that is done at a tick also done where the loop is handed something, with enough of
    it?"""
    case = _span(wait, loop)
    done = {(it.on, it.name) for it in _working(file, case)}
    for other in inside(case.parent) if done and case.type in _CASES else ():
        asked = child(other, "communication") if other != case else None
        is_handed = asked is not None and not _ENDING.search(file.text(asked))
        if is_handed and done <= {(it.on, it.name) for it in _working(file, other)}:
            return True
    return False


def _done_at(file: File, wait: Node, loop: Node, scope: str) -> str:
    """The one function of the file's own that is called at a tick, or two by their names; '' for
    others."""
    calls = [*dict.fromkeys((it.on, it.name) for it in _working(file, _span(wait, loop)))]
    if not 0 < len(calls) <= _NAMED_MAX or any(file.packages.get(of) for of, _ in calls):
        return ""
    if len(calls) > 1:
        return ", ".join(dict.fromkeys(name for _, name in calls))
    holder, (of, name) = scope.rpartition(".")[0], calls[0]
    if not of:
        return name
    heads = (f"func ({of} {sign}{holder}) {name}(" for sign in ("*", ""))
    return f"{holder}.{name}" if any(it.encode() in file.data for it in heads) else ""


def _parameters(file: File, node: Node) -> dict[str, str]:
    """The parameters of the function around a node, by name, as holes: `{$0:interval}`."""
    function = above(node, "function_declaration", "method_declaration")
    names = [
        file.text(name)
        for it in inside(function, "parameters")
        for name in it.children_by_field_name("name")
    ]
    return {name: f"{{${at}:{name}}}" for at, name in enumerate(names)}


def _span(wait: Node, loop: Node) -> Node:
    """What runs at a tick: the branch that waits for it, else all of the loop."""
    case: Node | None = wait
    while case is not None and case != loop and case.type not in _CASES:
        case = case.parent
    is_own = case is not None and case != loop and case.named_child_count > 1
    return case if is_own and case is not None else child(loop, "body") or loop


def _working(file: File, span: Node) -> list[Called]:
    """The calls that do more than to say that something happens."""

    def whole(call: Called) -> str:
        package = file.packages.get(call.on, "")
        return f"{package}.{call.name}" if package else call.name

    return [call for call in _calls_in(file, span) if not _QUIET.fullmatch(whole(call))]


def _calls_in(file: File, node: Node) -> Sequence[Called]:
    """The calls within a node; they are by place."""
    first = bisect_left(file.called, node.start_byte, key=_start)
    return file.called[first : bisect_left(file.called, node.end_byte, first, key=_start)]


def _start(call: Called) -> int:
    return call.node.start_byte
