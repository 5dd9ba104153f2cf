"""Diesel's `table!`: tables as its command line writes them into `schema.rs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from stationmaster.reading.code.stored import Column, Entity

FRAMEWORK = "diesel"
BYTES_MAX = 2 * 2**20
_MACRO = re.compile(r"^[ \t]*(?:diesel::)?table!\s{0,20}\{", re.MULTILINE)
_HEAD = re.compile(
    r"(?:#\[sql_name\s*=\s*\"(\w{1,100})\"\]\s*+)?"
    r"(?:[\w.]{1,100}\.)?(\w{1,100})\s*\(([\w\s,]{1,200})\)\s*\{"
)
_COLUMN = re.compile(
    r"^[ \t]*(?:#\[sql_name\s*=\s*\"(\w+)\"\]\s*+)?(\w{1,100})\s*->\s*([^,\n]{1,200}),?",
    re.MULTILINE,
)
_JOIN = re.compile(
    r"joinable!\s{0,20}\(\s{0,20}(\w{1,100})\s{0,20}->\s{0,20}(\w{1,100})\s{0,20}"
    r"\((\w{1,100})\)\s{0,20}\)"
)


def read(text: str) -> tuple[Entity, ...]:
    """The tables of a whole `schema.rs`, in its order, with what they refer to."""
    text = text[:BYTES_MAX]
    starts = [match.start() for match in _MACRO.finditer(text)]
    targets = {(match[1], match[3]): match[2] for match in _JOIN.finditer(text)}
    entities, line, before = [], 1, 0
    for start, end in pairwise([*starts, len(text)]):
        line += text.count("\n", before, start)
        before = start
        entities += [_referring(table, targets) for table in tables(text[start:end], line)]
    return tuple(entities)


def tables(text: str, line: int) -> Iterator[Entity]:
    """The table of one `table!` whose text begins at a line; none where nothing is understood."""
    head = _HEAD.search(text)
    if head is None:
        return
    body = text[: max(text.find("}", head.end()), head.end())]
    keys = set(re.split(r"[\s,]+", head[3]))
    columns, at, before = [], line, 0
    for match in _COLUMN.finditer(body, head.end()):
        at += text.count("\n", before, match.start(2))
        before = match.start(2)
        type_ = " ".join(match[3].split())[:80]
        columns.append(Column(match[1] or match[2], type_, match[2] in keys, line=at))
    start, end = (line + text.count("\n", 0, place) for place in (head.start(2), len(body)))
    yield Entity(head[1] or head[2], "table", start, end, tuple(columns), "", FRAMEWORK)


def _referring(table: Entity, targets: dict[tuple[str, str], str]) -> Entity:
    columns = tuple(
        msgspec.structs.replace(column, references=targets.get((table.name, column.name), ""))
        for column in table.columns
    )
    return msgspec.structs.replace(table, columns=columns)
