"""Remarks about work to do, and what is deprecated."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import line_of, marks_of, one_line
from stationmaster.reading.code.model import Mark

_DECORATORS = frozenset(
    {
        "warnings.deprecated",
        "typing_extensions.deprecated",
        "deprecated.deprecated",
    }
)


def read(module: Module) -> tuple[Mark, ...]:
    """The remarks of comments and the deprecations that code declares, by line and word."""
    data = module.source.data
    marks = [
        mark
        for node in module.comments
        for mark in marks_of(data[node.start_byte : node.end_byte], line_of(node))
    ]
    marks += _deprecated(module)
    return tuple(sorted(marks, key=lambda each: (each.line, each.word)))


def _deprecated(module: Module) -> Iterator[Mark]:
    for definition in module.definitions:
        for decorator in definition.decorators:
            function = decorator.child_by_field_name("function") or decorator
            if module.origin(function) in _DECORATORS:
                text = module.value(module.arguments(decorator).get(0, "reason")) or definition.name
                yield Mark("deprecated", line_of(definition.node), one_line(text))
    for called, origin in module.calls_of("warnings"):
        given = module.arguments(called.node)
        kind = module.text(given.get(1, "category"))
        message = module.value(given.get(0, "message"))
        if origin == "warnings.warn" and kind.endswith("DeprecationWarning") and message:
            yield Mark("deprecated", line_of(called.node), one_line(message))
