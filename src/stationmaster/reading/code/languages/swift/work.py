"""What a program of Swift is configured by, stores and does by itself, where it begins, and what
tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import (
    Source,
    entity,
    first_child,
    line_of,
    literal,
    one_line,
)
from stationmaster.reading.code.languages.swift.symbols import Attribute, Item
from stationmaster.reading.code.model import Entry, Job, JobKind, Mark, Setting, Test
from stationmaster.reading.code.stored import Column, Entity

_FIELDS = code.names("swift.entities.fields")
_KEY = re.compile(r"(?:key|custom):\s*(?:\.(\w+)|\"([^\"\n]{1,100})\")")
_SCHEMA = re.compile(r"\bschema\b[^=\n]{0,40}=\s*\"([^\"\n]{1,100})\"")
_JOBS = code.table("swift.jobs.bases", dict[str, JobKind])
_MAIN = frozenset({"main", "UIApplicationMain", "NSApplicationMain"})
_MESSAGE = re.compile(r"message:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_STATEMENTS = code.names("swift.grammar.statements")


def entries(source: Source, items: tuple[Item, ...]) -> list[Entry]:
    """The types marked as main, else the first statement at top level of a file without errors."""
    found = []
    for item in items:
        if any(attribute.name in _MAIN for attribute in item.attributes):
            line = line_of(item.node.child_by_field_name("name") or item.node)
            found.append(Entry(item.name, "main", line, item.name))
    first = next((n for n in source.root.named_children if n.type in _STATEMENTS), None)
    if not found and first is not None and not source.root.has_error:
        found = [Entry("main", "main", line_of(first))]
    return found


def tests(source: Source, items: tuple[Item, ...], modules: set[str]) -> Iterator[Test]:
    """Methods of XCTest's cases, and functions that Swift Testing runs."""
    for item in items:
        if item.type != "function_declaration":
            continue
        qualified = f"{item.holder.name}.{item.name}".lstrip(".") if item.holder else item.name
        for each in item.attributes if "Testing" in modules else ():
            if each.name == "Test":
                texts = (literal(source, child) for child in each.node.named_children)
                yield Test(next(filter(None, texts), qualified), line_of(item.node))
        is_case = item.holder is not None and bool(item.holder.bases)
        has_parameters = any(child.type == "parameter" for child in item.node.named_children)
        is_test = is_case and item.name.startswith("test") and not has_parameters
        if is_test and "XCTest" in modules:
            yield Test(qualified, line_of(item.node))


def deprecated(items: tuple[Item, ...]) -> Iterator[Mark]:
    """A mark for each `@available` attribute that says `deprecated`, with its message."""
    for item in items:
        for each in item.attributes:
            if each.name == "available" and "deprecated" in each.text:
                match = _MESSAGE.search(each.text)
                text = one_line(match[1]) if match else ""
                yield Mark("deprecated", line_of(each.node), text)


def settings(source: Source, calls: list[Node], modules: set[str]) -> Iterator[Setting]:
    """`ProcessInfo.processInfo.environment["X"]`, and Vapor's `Environment.get("X")`."""
    for node in calls:
        callee = node.children[0] if node.children else None
        if callee is None or callee.type != "navigation_expression":
            continue
        text = source.text(callee)
        is_own = text.endswith("ProcessInfo.processInfo.environment")
        if is_own or (text == "Environment.get" and "Vapor" in modules):
            waiting = node.children[1:]
            while waiting:
                each = waiting.pop()
                if name := literal(source, each):
                    yield Setting(name, "env", line_of(node))
                    break
                waiting += each.named_children


def entities(source: Source, items: tuple[Item, ...]) -> Iterator[Entity]:
    """Fluent's models, of a file that imports it."""
    for item in items:
        if item.type != "class_declaration" or "Model" not in item.bases:
            continue
        own = [
            each for each in items if each.holder is item and each.type == "property_declaration"
        ]
        schemas = (_SCHEMA.search(source.text(each.node)[:300]) for each in own)
        table = next((match[1] for match in schemas if match), "")
        columns = [
            _column(source, each.node, attribute)
            for each in own
            for attribute in each.attributes
            if attribute.name in _FIELDS
        ]
        if table or columns:
            yield entity(item.node, table or item.name, columns, item.name, "fluent")


def _column(source: Source, node: Node, attribute: Attribute) -> Column:
    key = _KEY.search(attribute.text)
    name = (key[1] or key[2]) if key else source.part(node, "name")
    type_ = first_child(node, "type_annotation")
    plain = one_line(source.text(type_).removeprefix(":"), 80)
    parent = plain.rstrip("?") if attribute.name.endswith("Parent") else ""
    return Column(name, plain, attribute.name == "ID", False, parent, line_of(type_ or node))


def jobs(items: tuple[Item, ...]) -> Iterator[Job]:
    """Those of Vapor's Queues, of a file that imports it."""
    for item in items:
        for base in item.bases if item.type == "class_declaration" else ():
            if base in _JOBS:
                yield Job(item.name, _JOBS[base], line_of(item.node), "", item.name, "queues")
