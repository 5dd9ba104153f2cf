"""Rails' `db/schema.rb`: a program by its ending, a list of tables by its form.

It is written by Rails itself, one call a line, so lines are all there is to read.
"""

from __future__ import annotations

import re

import msgspec

from stationmaster.reading.code.stored import RAILS, Column, Entity

LINES_MAX = 50_000
_TABLE = re.compile(r'^\s*create_table\s+["\':]([\w.]+)["\']?(.*)$')
_COLUMN = re.compile(r'^\s*t\.(\w+)\s+["\':](\w+)["\']?(.*)$')
_INDEX = re.compile(r'^\s*t\.index\s+\[\s*["\'](\w+)["\']\s*\](.*)$')
_END = re.compile(r"^\s*end\s*$")
_FOREIGN = re.compile(r'^\s*add_foreign_key\s+["\':](\w+)["\']?\s*,\s*["\':](\w+)["\']?(.*)$')
_OPTION = re.compile(r'\b(column|primary_key):\s*(?:"(\w+)"|:(\w+))')
_LIMIT = re.compile(r"\blimit:\s*(\d+)")
_KEYS = re.compile(r"\bprimary_key:\s*\[([^\[\]]*)\]")


def read(text: str) -> tuple[Entity, ...]:
    """The tables in the order of the file."""
    tables: dict[str, Entity] = {}
    columns: dict[str, Column] = {}
    opened: tuple[str, int] | None = None
    for number, line in enumerate(text.split("\n")[:LINES_MAX], 1):
        if opened is None:
            if match := _TABLE.match(line):
                opened, columns = (match[1], number), _keys(match[2], number)
            elif match := _FOREIGN.match(line):
                _refer(
                    tables,
                    match[1],
                    match[2],
                    _option(match[3], "column"),
                    _option(match[3], "primary_key") or "id",
                )
        elif _END.match(line):
            name, start = opened
            tables[name] = Entity(
                name, "table", start, number, tuple(columns.values()), framework=RAILS
            )
            opened = None
        elif match := _INDEX.match(line):
            if "unique: true" in match[2] and "where:" not in match[2] and match[1] in columns:
                columns[match[1]] = msgspec.structs.replace(columns[match[1]], is_unique=True)
        elif (match := _COLUMN.match(line)) and match[1] not in ("index", "check_constraint"):
            limit = _LIMIT.search(match[3])
            type_ = f"{match[1]}({limit[1]})" if limit else match[1]
            is_key = match[2] in columns
            columns[match[2]] = Column(match[2], type_, is_key, line=number)
    return tuple(tables.values())


def _keys(options: str, line: int) -> dict[str, Column]:
    """The key that Rails makes by default, or the declared ones."""
    if several := _KEYS.search(options):
        names = re.findall(r"\w+", several[1])
        return {name: Column(name, is_key=True, line=line) for name in names}
    if "id: false" in options:
        return {}
    name = _option(options, "primary_key") or "id"
    type_ = re.search(r"\bid:\s*:(\w+)", options)
    return {name: Column(name, type_[1] if type_ else "bigint", is_key=True, line=line)}


def _option(options: str, name: str) -> str:
    matches = (match for match in _OPTION.finditer(options) if match[1] == name)
    return next((match[2] or match[3] for match in matches), "")


def _refer(tables: dict[str, Entity], table: str, target: str, column: str, key: str) -> None:
    """A foreign key; without a name its column is the target's name for one of them."""
    entity = tables.get(table)
    if entity is None:
        return
    names = {column} if column else {f"{one}_id" for one in _singular(target)}
    tables[table] = msgspec.structs.replace(
        entity,
        columns=tuple(
            msgspec.structs.replace(field, references=f"{target}.{key}")
            if field.name in names
            else field
            for field in entity.columns
        ),
    )


def _singular(word: str) -> set[str]:
    """The possible singular forms of a table's name in Rails."""
    words = {word, word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        words.add(f"{word[:-3]}y")
    return words
