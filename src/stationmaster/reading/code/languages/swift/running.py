"""What a program of Swift is configured by, stores, and does by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, end_of, line_of, literal, one_line
from stationmaster.reading.code.languages.swift.symbols import (
    Item,
    attribute_name,
    attributes,
    bases,
    name_of,
)
from stationmaster.reading.code.model import Column, Entity, Job, JobKind, Setting

_FIELDS = frozenset(
    {
        "ID",
        "Field",
        "OptionalField",
        "Enum",
        "OptionalEnum",
        "Boolean",
        "Parent",
        "OptionalParent",
        "Timestamp",
        "Group",
    }
)
_KEY = re.compile(r"(?:key|custom):\s*(?:\.(\w+)|\"([^\"\n]{1,100})\")")
_SCHEMA = re.compile(r"\bschema\b[^=\n]{0,40}=\s*\"([^\"\n]{1,100})\"")
_JOBS: dict[str, JobKind] = {
    "AsyncJob": "queue",
    "Job": "queue",
    "AsyncScheduledJob": "schedule",
    "ScheduledJob": "schedule",
}


def settings(source: Source, calls: list[Node], modules: set[str]) -> tuple[Setting, ...]:
    """`ProcessInfo.processInfo.environment["X"]`, and Vapor's `Environment.get("X")`."""
    found = []
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
                name = literal(source, each)
                if name:
                    found.append(Setting(name, "env", line_of(node)))
                    break
                waiting += each.named_children
    return tuple(found)


def entities(source: Source, items: tuple[Item, ...]) -> Iterator[Entity]:
    """Fluent's models, of a file that imports it."""
    for item in items:
        if item.node.type != "class_declaration" or "Model" not in bases(source, item.node):
            continue
        columns, table = [], ""
        for each in items:
            if each.holder != item.node or each.node.type != "property_declaration":
                continue
            match = _SCHEMA.search(source.text(each.node)[:300])
            table = table or (match[1] if match else "")
            for attribute in attributes(each.node):
                kind = attribute_name(source, attribute)
                if kind in _FIELDS:
                    columns.append(_column(source, each.node, source.text(attribute), kind))
        name = name_of(source, item.node)
        if table or columns:
            yield Entity(
                table or name,
                "table",
                line_of(item.node),
                end_of(item.node),
                tuple(columns),
                name,
                "fluent",
            )


def _column(source: Source, node: Node, told: str, kind: str) -> Column:
    name = source.text(node.child_by_field_name("name"))
    key = _KEY.search(told)
    type_ = next((n for n in node.named_children if n.type == "type_annotation"), None)
    plain = one_line(source.text(type_).removeprefix(":"), 80)
    parent = plain.rstrip("?") if kind.endswith("Parent") else ""
    return Column(
        (key[1] or key[2]) if key else name,
        plain,
        kind == "ID",
        False,
        parent,
        line_of(type_ or node),
    )


def jobs(source: Source, items: tuple[Item, ...]) -> Iterator[Job]:
    """Those of Vapor's Queues, of a file that imports it."""
    for item in items:
        if item.node.type == "class_declaration":
            for base in bases(source, item.node):
                if base in _JOBS:
                    name = name_of(source, item.node)
                    yield Job(name, _JOBS[base], line_of(item.node), "", name, "queues")
