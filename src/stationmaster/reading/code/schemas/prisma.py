"""Prisma schemas: models, their columns and relations, enums.

A field whose type is a model is a relation, not a column; the columns that hold it are named by
`fields` on one of its sides. A schema may be several files, of which one names the data source.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.stored import Column, Entity
from stationmaster.reading.projects.paths import folder_of, parents

LINES_MAX = 50_000
_BLOCK = re.compile(r"^\s*(model|enum|view|type)\s+(\w+)\s*\{")
_FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(\[\])?(\?)?(.*)$")
_VALUE = re.compile(r"^\s*(\w+)")
_MAP = re.compile(r'@map\(\s*(?:name:\s*)?"([^"]+)"')
_TABLE = re.compile(r'@@map\(\s*(?:name:\s*)?"([^"]+)"')
_KEYS = re.compile(r"@@id\(\s*(?:fields:\s*)?\[([^\[\]]*)\]")
_FIELDS = re.compile(r"fields:\s*\[([^\[\]]*)\]")
_RELATION = re.compile(r'@relation\(\s*(?:name:\s*)?"([^"]+)"')
_IS_RELATION = re.compile(r"@relation\b")
_Block = tuple[str, str, int, int, list[tuple[int, str]]]
_REFERENCES = re.compile(r"references:\s*\[([^\[\]]*)\]")
_SOURCE = re.compile(r"(?m)^[ \t]*+datasource[ \t]++\w++\s*+\{")


def schemas(files: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The paths of the files that are one schema together: all at and below the only one of a
    folder that names a data source, else each alone."""
    roots = Counter(folder_of(path) for path, text in files.items() if _SOURCE.search(text))
    together: dict[str, list[str]] = defaultdict(list)
    for path in files:
        root = next((it for it in parents(folder_of(path)) if it in roots), None)
        together[path if root is None or roots[root] > 1 else f"{root}/"].append(path)
    yield from map(tuple, together.values())


def read(texts: Sequence[str]) -> tuple[tuple[Entity, ...], ...]:
    """The models and enums of each file of a schema, in their order. `symbol` is the name of the
    model, `name` that of its table."""
    files = [list(_blocks(text)) for text in texts]
    blocks = [block for file in files for block in file]
    tables = {name: _mapped(lines) or name for kind, name, _, _, lines in blocks if kind != "enum"}
    columns = {name: _names(lines) for kind, name, _, _, lines in blocks if kind != "enum"}
    between = _between(blocks, tables)
    return tuple(
        (
            *(
                Entity(name, "enum", start, end, _values(lines), name, "Prisma")
                if kind == "enum"
                else Entity(
                    tables[name],
                    "table",
                    start,
                    end,
                    _columns(lines, tables, columns),
                    name,
                    "Prisma",
                )
                for kind, name, start, end, lines in file
            ),
            *(table for _, model, _, _, _ in file for table in between.get(model, ())),
        )
        for file in files
    )


def _between(blocks: Sequence[_Block], tables: Mapping[str, str]) -> Mapping[str, list[Entity]]:
    """The tables that Prisma makes for two lists that name each other's models, by the model of the
    list that is declared first."""
    made: dict[str, list[Entity]] = defaultdict(list)
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
            made[ends[0][0]].append(Entity(name, "table", start, start, columns, name, "Prisma"))
    return made


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
        if type_ in tables or _IS_RELATION.search(rest):
            if (own := _FIELDS.search(rest)) and (theirs := _REFERENCES.search(rest)):
                names_there = names.get(type_, {})
                for column, target in zip(_list(own[1]), _list(theirs[1]), strict=False):
                    references[column] = (
                        f"{tables.get(type_, type_)}.{names_there.get(target, target)}"
                    )
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
