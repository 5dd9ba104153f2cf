"""What a program of Swift is configured by, stores and does by itself, where it begins, and what
tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.items import Field, Unit
from stationmaster.reading.code.languages.source import entity, line_of, literal, one_line
from stationmaster.reading.code.languages.swift.symbols import types
from stationmaster.reading.code.model import Entry, Job, JobKind, Mark, Setting, Test
from stationmaster.reading.code.stored import Column, Entity

_FIELDS = code.names("swift.entities.fields")
_KEY = re.compile(r"(?:key|custom):\s*(?:\.(\w+)|\"([^\"\n]{1,100})\")")
_SCHEMA = re.compile(r"\bschema\b[^=\n]{0,40}=\s*\"([^\"\n]{1,100})\"")
_JOBS = code.table("swift.jobs.bases", dict[str, JobKind])
_QUEUES = ("Queues", "QueuesRedisDriver", "QueuesFluentDriver")
_MAIN = frozenset({"main", "UIApplicationMain", "NSApplicationMain"})
_MESSAGE = re.compile(r"message:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_STATEMENTS = code.names("swift.grammar.statements")


def entries(unit: Unit) -> list[Entry]:
    """The types marked as main, else the first statement at top level of a file without errors."""
    found = []
    for each in unit.noted:
        if _MAIN & each.notes.keys():
            line = line_of(each.node.child_by_field_name("name") or each.node)
            found.append(Entry(each.name, "main", line, each.name))
    root = unit.source.root
    first = next((n for n in root.named_children if n.type in _STATEMENTS), None)
    if not found and first is not None and not root.has_error:
        found = [Entry("main", "main", line_of(first))]
    return found


def tests(unit: Unit) -> Iterator[Test]:
    """Functions that Swift Testing runs, and methods of XCTest's cases."""
    for each, note in unit.by_name("Test") if unit.proof.any_of(("Testing",)) else ():
        if each.kind in ("function", "method"):
            texts = (literal(unit.source, child) for child in note.node.named_children)
            yield Test(next(filter(None, texts), each.qualified), line_of(each.node))
    cases = {each.name for each in types(unit) if each.bases}
    for symbol in unit.facts.symbols if unit.proof.any_of(("XCTest",)) else ():
        is_case = symbol.container.rpartition(".")[2] in cases and symbol.kind == "method"
        if is_case and symbol.name.startswith("test") and f"{symbol.name}()" in symbol.signature:
            yield Test(symbol.qualified, symbol.line)


def deprecated(unit: Unit) -> Iterator[Mark]:
    """A mark for each `@available` attribute that says `deprecated`, with its message."""
    for node in unit.nodes["attribute"]:
        text = unit.source.text(node)
        if text.startswith("@available") and "deprecated" in text:
            match = _MESSAGE.search(text)
            yield Mark("deprecated", line_of(node), one_line(match[1]) if match else "")


def settings(unit: Unit) -> Iterator[Setting]:
    """`ProcessInfo.processInfo.environment["X"]`, and Vapor's `Environment.get("X")`."""
    source, is_vapor = unit.source, unit.proof.any_of(("Vapor",))
    for node in unit.nodes["call"]:
        callee = node.children[0] if node.children else None
        if callee is None or callee.type != "navigation_expression":
            continue
        text = source.text(callee)
        is_own = text.endswith("ProcessInfo.processInfo.environment")
        if is_own or (text == "Environment.get" and is_vapor):
            waiting = node.children[1:]
            while waiting:
                each = waiting.pop()
                if name := literal(source, each):
                    yield Setting(name, "env", line_of(node))
                    break
                waiting += each.named_children


def entities(unit: Unit) -> Iterator[Entity]:
    """Fluent's models, of a file that imports it."""
    for each in types(unit) if unit.proof.any_of(("Fluent", "FluentKit")) else ():
        fields = unit.fields(each.node) if "Model" in each.bases else []
        texts = (unit.source.text(field.node)[:300] for field in fields)
        table = next((match[1] for text in texts if (match := _SCHEMA.search(text))), "")
        columns = [
            _column(unit, field, name)
            for field in fields
            for name in field.notes
            if name in _FIELDS
        ]
        if table or columns:
            yield entity(each.node, table or each.name, columns, each.name, "fluent")


def _column(unit: Unit, field: Field, name: str) -> Column:
    key = _KEY.search(unit.source.text(field.notes[name].node))
    own = (key[1] or key[2]) if key else field.name
    parent = field.type.rstrip("?") if name.endswith("Parent") else ""
    return Column(own, field.type, name == "ID", False, parent, field.line)


def jobs(unit: Unit) -> Iterator[Job]:
    """Those of Vapor's Queues, of a file that imports it."""
    for each in types(unit) if unit.proof.any_of(_QUEUES) else ():
        for base in each.bases:
            if base in _JOBS:
                yield Job(each.name, _JOBS[base], line_of(each.node), "", each.name, "queues")
