"""Work of Java and Kotlin beside what starts it: threads that go on, and work at intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.jvm.web import referred
from stationmaster.reading.code.languages.source import above, child, inside, is_in
from stationmaster.reading.code.languages.unit import Called, Unit, last_of
from stationmaster.reading.code.model import Job

CALLS = code.names("jvm.threads.scheduling")
_CYCLIC = re.compile("|".join(code.ordered("jvm.threads.cyclic")))
_RUNNING = ("Thread", "Runnable")
_LITERALS = frozenset({"lambda_expression", "lambda_literal", "annotated_lambda"})
_REFERENCES = frozenset({"method_reference", "callable_reference"})
_MADE, _METHOD = "object_creation_expression", "method_declaration"
_INNER = frozenset({"lambda_expression", "class_body"})
_LEAVING = frozenset({"return_statement", "break_statement"})
_BREAKABLE = frozenset(
    {
        "while_statement", "do_statement", "for_statement", "enhanced_for_statement",
        "switch_expression", "switch_statement",
    }
)  # fmt: skip
_ENDING = (
    r"!?\(?(?:\w{1,60}(?:\(\))?\.){0,3}\w{0,60}(?i:stop|running|quit|exit|shut|clos|term|cancel|interrupt"
    r"|kill)\w{0,60}(?:\(\))?(?:\.get\(\))?\)?"
)
"""A word that says whether the program, or the service that a loop belongs to, ends."""
_ENDLESS = re.compile(rf"\(?(?:true|{_ENDING}(?:\s*+(?:&&|\|\|)\s*+{_ENDING}){{0,6}})\)?")
_INTERVAL = re.compile(r"[\w.]+(?: ?\* ?[\w.]+)*")
_OF_TIME = re.compile(r"\b\d|\{\$|(?i:interval|period|delay|millis|seconds|minutes|hours)")
"""What certainly is an interval, behind the work of an object that repeats it."""
_CONSTANT = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z][A-Z\d_]{1,80}\b(?!\.)")


def jobs(unit: Unit) -> Iterator[Job]:
    """The threads that a file starts and that loop for good, and the work that it repeats."""
    loops = [loop for loop in unit.captures("running")["loop"] if _lasts(unit, loop)]
    for made in unit.objects:
        name = last_of(made.name)
        given = unit.arguments(child(made.node, "arguments")).at
        if name == "Thread" and loops:
            yield from _thread(unit, made, given, loops)
        elif _CYCLIC.search(name):
            yield from _cyclic(unit, made, given)
    for called in unit.called:
        if called.name in CALLS and len(called.given.at) == 4:
            yield from _scheduled(unit, called)
    for symbol, _ in unit.classes(*_RUNNING) if loops else ():
        run = f"{symbol.qualified}.run"
        if any(_holder(unit, loop) == run for loop in loops):
            yield Job(symbol.name, "worker", symbol.line, "", run)


def _thread(
    unit: Unit, made: Called, given: Sequence[Node], loops: Sequence[Node]
) -> Iterator[Job]:
    """A thread that runs a loop which is written there, or a method that it names."""
    for runnable in given:
        handler = _named(unit, runnable, made.caller)
        if any(_runs(loop, runnable) or handler == _holder(unit, loop) != "" for loop in loops):
            name = _kept(unit, made.node) or handler or made.caller
            yield Job(name, "worker", made.line, made.caller, handler)
            return


def _cyclic(unit: Unit, made: Called, given: Sequence[Node]) -> Iterator[Job]:
    """What an object repeats that is made of work and of the interval behind it."""
    for runnable, interval in pairwise(given):
        every = _interval(unit, interval)
        if _is_written(runnable) and _OF_TIME.search(every):
            yield _repeated(unit, made, runnable, every)


def _scheduled(unit: Unit, called: Called) -> Iterator[Job]:
    """What an executor repeats: work, its first delay, its interval and the unit of these."""
    runnable, _, interval, counted = called.given.at
    every, words = _interval(unit, interval), last_of(unit.text(counted))
    if _is_written(runnable) and every and words.isupper():
        yield _repeated(unit, called, runnable, f"{every} {words.lower()}")


def _repeated(unit: Unit, made: Called, runnable: Node, every: str) -> Job:
    handler = _named(unit, runnable, made.caller) or made.caller
    name = _kept(unit, made.node) or handler
    return Job(name, "schedule", made.line, f"every {every}", handler)


def _is_written(node: Node) -> bool:
    """Is it certain here what is run?"""
    is_anonymous = node.type == _MADE and _body(node) is not None
    return is_anonymous or node.type in _LITERALS or node.type in _REFERENCES


def _body(node: Node) -> Node | None:
    return next((it for it in node.named_children if it.type == "class_body"), None)


def _interval(unit: Unit, node: Node) -> str:
    """A number, a name or a product of these, constants as `{$Times.BEAT}`."""
    text = unit.line(node, 80)
    return _CONSTANT.sub(r"{$\g<0>}", text) if _INTERVAL.fullmatch(text) else ""


def _named(unit: Unit, node: Node, caller: str) -> str:
    """The method that a reference to one names; '' for anything else."""
    return referred(unit.line(node, 80), caller) if node.type in _REFERENCES else ""


def _kept(unit: Unit, node: Node) -> str:
    """The last name of the variable or field that a value is kept in; '' for none."""
    fields = {"assignment_expression": "left", "variable_declarator": "name"}
    field = fields.get(node.parent.type) if node.parent is not None else None
    return unit.part(node.parent, field).rpartition(".")[2] if field else ""


def _runs(loop: Node, runnable: Node) -> bool:
    """Is a loop in a function that is written there, and in none within that?"""
    around = above(loop, "lambda_expression", _METHOD)
    if around is None or not is_in(loop, runnable):
        return False
    return around == runnable or (around.parent is not None and around.parent == _body(runnable))


def _holder(unit: Unit, loop: Node) -> str:
    """The method whose own statement a loop is; '' where it is in a function without a name."""
    around = above(loop, *_INNER)
    if around is None or around.type != "class_body" or around.parent is None:
        return ""
    return "" if around.parent.type == _MADE else unit.scopes.at(loop.start_byte)


def _lasts(unit: Unit, loop: Node) -> bool:
    """Does nothing but the end of its program or service end a loop?"""
    if child(loop, "init") or child(loop, "update"):
        return False
    asked = child(loop, "condition")
    is_endless = asked is None or _ENDLESS.fullmatch(unit.line(asked, 200)) is not None
    return is_endless and not _is_left(unit, loop)


def _is_left(unit: Unit, loop: Node) -> bool:
    """Is there something that leaves a loop while the program goes on?"""
    waiting = [(it, False) for it in inside(child(loop, "body"))]
    while waiting:
        node, is_inner = waiting.pop()
        if node.type in _LEAVING:
            if node.type == "return_statement" or node.named_children or not is_inner:
                return True
        elif node.type not in _INNER and not _ends(unit, node):
            is_below = is_inner or node.type in _BREAKABLE
            waiting += [(it, is_below) for it in node.named_children]
    return False


def _ends(unit: Unit, node: Node) -> bool:
    """Is this what is done when the program or service ends?"""
    if node.type == "catch_clause":
        return "InterruptedException" in unit.line(node, 120).partition("{")[0]
    asked = child(node, "condition") if node.type == "if_statement" else None
    return asked is not None and _ENDLESS.fullmatch(unit.line(asked, 200)) is not None
