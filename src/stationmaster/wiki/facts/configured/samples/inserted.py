"""Keys with their defaults that a schema puts into a table of settings:
`INSERT INTO settings (key, value) VALUES ('till.rows', '10')`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.model import Facts, query

_SIGNS = r"[\"`\[\]]?"
_INSERT = re.compile(
    rf"(?i)\binsert\s+into\s+(?:\w+\.)?{_SIGNS}\w*(?:settings?|configs?|configurations?|options|preferences)"
    rf"{_SIGNS}\s*\(\s*{_SIGNS}(?:key|name){_SIGNS}\s*,\s*{_SIGNS}value{_SIGNS}\s*\)\s*values\b"
)
_ROW = re.compile(
    r"\s*+(?:,\s*+)?(?:--[^\n]*+\n\s*+)*+"
    r"\(\s*+'([A-Za-z][\w.-]{0,99})'\s*+,\s*+(?:'((?:[^']|'')*+)'|([\w.+-]{1,40}))\s*+(?:::\w{1,20}\s*+)?\)"
)
_CHANGING = re.compile(r"(?i)migrat|fixture|seed|demo|sample|upgrade")
"""A file of what is later, or of what is only tried."""
_VALUE_MAX = 80


@query
def declared(facts: Facts) -> tuple[Read, ...]:
    """The keys, with the files and lines that insert them. What an object holds is named behind a
    dot where other keys are written with one."""
    found: list[Read] = []
    for path in facts.tree.paths:
        if path.endswith(".sql") and not _CHANGING.search(path) and not is_test(path):
            text = facts.tree.text(path)
            rows = [*_rows(text)]
            is_dotted = any("." in key for key, _, _ in rows)
            for key, value, line in rows:
                for name, default in _values(key, value, is_dotted=is_dotted):
                    found.append((path, Setting(name, "key", line, default)))
    return tuple(found)


def _rows(text: str) -> Iterator[tuple[str, str, int]]:
    for begin in _INSERT.finditer(text):
        at = begin.end()
        while row := _ROW.match(text, at):
            value = row[3] if row[2] is None else row[2].replace("''", "'")
            yield row[1], value, text.count("\n", 0, row.start(1)) + 1
            at = row.end()


def _values(name: str, written: str, *, is_dotted: bool) -> Iterator[tuple[str, str | None]]:
    """A key with its default; None for one that is no single value."""
    try:
        value = json.loads(written)
    except ValueError:
        value = written
    yield from _inner(name, value, is_dotted=is_dotted)


def _inner(name: str, value: object, *, is_dotted: bool) -> Iterator[tuple[str, str | None]]:
    if isinstance(value, Mapping) and value and is_dotted:
        for key, inner in value.items():
            yield from _inner(f"{name}.{key}", inner, is_dotted=True)
        return
    is_plain = not isinstance(value, Mapping | list) or (
        isinstance(value, list) and not any(isinstance(it, Mapping | list) for it in value)
    )
    shown = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    yield name, shown if is_plain and value is not None and len(shown) <= _VALUE_MAX else None
