"""Where programs of Swift begin, and what tests them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.languages.source import Source, line_of, literal, one_line
from stationmaster.reading.code.languages.swift.symbols import (
    Item,
    attribute_name,
    attributes,
    bases,
    name_of,
)
from stationmaster.reading.code.model import Entry, Import, Mark, Test

_MAIN = frozenset({"main", "UIApplicationMain", "NSApplicationMain"})
_MESSAGE = re.compile(r"message:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_STATEMENTS = frozenset(
    {
        "call_expression",
        "for_statement",
        "if_statement",
        "while_statement",
        "do_statement",
        "guard_statement",
        "switch_statement",
        "try_expression",
        "await_expression",
    }
)
"""What only the main file of a program may hold at top level."""


def entries(source: Source, items: tuple[Item, ...]) -> tuple[Entry, ...]:
    """The types marked as main, else the first statement at top level of a file without errors."""
    found = [
        Entry(
            name_of(source, item.node),
            "main",
            line_of(item.node.child_by_field_name("name") or item.node),
            name_of(source, item.node),
        )
        for item in items
        if any(attribute_name(source, attribute) in _MAIN for attribute in attributes(item.node))
    ]
    if not found:
        first = next((n for n in source.root.named_children if n.type in _STATEMENTS), None)
        if first is not None and not source.root.has_error:
            return (Entry("main", "main", line_of(first)),)
    return tuple(found)


def tests(source: Source, items: tuple[Item, ...], imports: tuple[Import, ...]) -> tuple[Test, ...]:
    """Methods of XCTest's cases, and functions that Swift Testing runs."""
    modules = {import_.name for import_ in imports}
    found = []
    for item in items:
        if item.node.type != "function_declaration":
            continue
        name = name_of(source, item.node)
        holder = name_of(source, item.holder) if item.holder else ""
        qualified = f"{holder}.{name}" if holder else name
        if "Testing" in modules:
            for each in attributes(item.node):
                if attribute_name(source, each) == "Test":
                    told = (literal(source, child) for child in each.named_children)
                    title = next((text for text in told if text), qualified)
                    found.append(Test(title, line_of(item.node)))
        is_case = item.holder is not None and bool(bases(source, item.holder))
        has_parameters = any(child.type == "parameter" for child in item.node.named_children)
        if "XCTest" in modules and is_case and name.startswith("test") and not has_parameters:
            found.append(Test(qualified, line_of(item.node)))
    return tuple(found)


def deprecated(source: Source, items: tuple[Item, ...]) -> Iterator[Mark]:
    """A mark for each `@available` attribute that says `deprecated`, with its message."""
    for item in items:
        for attribute in attributes(item.node):
            text = source.text(attribute)
            if attribute_name(source, attribute) == "available" and "deprecated" in text:
                match = _MESSAGE.search(text)
                yield Mark("deprecated", line_of(attribute), one_line(match[1]) if match else "")
