"""Prisma schemas: models, their columns and relations, enums.

A field whose type is a model is a relation, not a column; the columns that hold it are named by
`fields` on one of its sides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.stored import Column, Entity

LINES_MAX = 50_000
_BLOCK = re.compile(r"^\s*(model|enum|view|type)\s+(\w+)\s*\{")
_FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(\[\])?(\?)?(.*)$")
_VALUE = re.compile(r"^\s*(\w+)")
_MAP = re.compile(r'@map\(\s*(?:name:\s*)?"([^"]+)"')
_TABLE = re.compile(r'@@map\(\s*(?:name:\s*)?"([^"]+)"')
_KEYS = re.compile(r"@@id\(\s*(?:fields:\s*)?\[([^\[\]]*)\]")
_FIELDS = re.compile(r"fields:\s*\[([^\[\]]*)\]")
_RELATION = re.compile(r'@relation\(\s*(?:name:\s*)?"([^"]+)"')
_Block = tuple[str, str, int, int, list[tuple[int, str]]]
_REFERENCES = re.compile(r"references:\s*\[([^\[\]]*)\]")


def read(text: str) -> tuple[Entity, ...]:
    """The models and enums in the order of the file. `symbol` is the name of the model, `name` that
    of its table."""
    blocks = list(_blocks(text))
    tables = {name: _mapped(lines) or name for kind, name, _, _, lines in blocks if kind != "enum"}
    columns = {name: _names(lines) for kind, name, _, _, lines in blocks if kind != "enum"}
    declared = tuple(
        Entity(name, "enum", start, end, _values(lines), name, "Prisma")
        if kind == "enum"
        else Entity(
            tables[name], "table", start, end, _columns(lines, tables, columns), name, "Prisma"
        )
        for kind, name, start, end, lines in blocks
    )
    return (*declared, *_between(blocks, tables))


def _between(blocks: Sequence[_Block], tables: Mapping[str, str]) -> Iterator[Entity]:
    """The tables that Prisma makes for two lists that name each other's models."""
    lists: dict[tuple[str, str, str], list[tuple[str, int]]] = defaultdict(list)
    single = set()
    for _, model, _, _, lines in blocks:
        for number, line in lines:
            field = _FIELD.match(line)
            if field is None or field[2] not in tables:
                continue
            first, second = sorted((model, field[2]))
            named = _RELATION.search(field[5])
            key = (first, second, named[1] if named else "")
            if field[3]:
                lists[key].append((model, number))
            else:
                single.add(key)
    for (first, second, relation), ends in lists.items():
        if len(ends) == 2 and (first, second, relation) not in single:
            columns = tuple(
                Column(side, references=tables[model], line=at)
                for side, (model, at) in zip("AB", sorted(ends), strict=True)
            )
            name, start = f"_{relation or f'{first}To{second}'}", ends[0][1]
            yield Entity(name, "table", start, start, columns, name, "Prisma")


def _blocks(text: str) -> Iterator[_Block]:
    """The blocks: kind, name, first and last line, and the lines between them."""
    opened: tuple[str, str, int] | None = None
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n")[:LINES_MAX], 1):
        line = line.partition("//")[0] if '"' not in line else line
        if opened is None:
            if match := _BLOCK.match(line):
                opened, lines = (match[1], match[2], number), []
        elif line.strip() == "}":
            yield *opened, number, lines
            opened = None
        else:
            lines.append((number, line))


def _mapped(lines: list[tuple[int, str]]) -> str:
    return next((match[1] for _, line in lines if (match := _TABLE.search(line))), "")


def _values(lines: list[tuple[int, str]]) -> tuple[Column, ...]:
    matches = ((number, _VALUE.match(line)) for number, line in lines)
    return tuple(Column(value[1], line=number) for number, value in matches if value)


def _names(lines: list[tuple[int, str]]) -> dict[str, str]:
    """The names of columns in the database by those of fields, where they differ."""
    matches = ((_FIELD.match(line), _MAP.search(line)) for _, line in lines)
    return {field[1]: mapped[1] for field, mapped in matches if field and mapped}


def _columns(
    lines: list[tuple[int, str]], tables: dict[str, str], names: dict[str, dict[str, str]]
) -> tuple[Column, ...]:
    columns: dict[str, Column] = {}
    keys: set[str] = set()
    references: dict[str, str] = {}
    own_names = _names(lines)
    for number, line in lines:
        if match := _KEYS.search(line):
            keys.update(_list(match[1]))
            continue
        field = _FIELD.match(line)
        if field is None or line.lstrip().startswith(("@@", "/")):
            continue
        name, type_, is_list, optional, rest = field.groups(default="")
        if type_ in tables:
            if (own := _FIELDS.search(rest)) and (theirs := _REFERENCES.search(rest)):
                for column, target in zip(_list(own[1]), _list(theirs[1]), strict=False):
                    references[column] = f"{tables[type_]}.{names[type_].get(target, target)}"
            continue
        columns[name] = Column(
            own_names.get(name, name),
            f"{type_}{is_list}{optional}",
            bool(re.search(r"@id\b", rest)),
            bool(re.search(r"@unique\b", rest)),
            line=number,
        )
    return tuple(
        msgspec.structs.replace(
            column, is_key=column.is_key or name in keys, references=references.get(name, "")
        )
        for name, column in columns.items()
    )


def _list(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.partition("(")[0].strip())]
