"""Rails' `db/schema.rb`: a program by its ending, a list of tables by its form.

It is written by Rails itself, one call a line, so lines are all there is to read.
"""

from __future__ import annotations

import re

import msgspec

from stationmaster.reading.code.model import Column, Entity

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
    """Tables by the order of the file."""
    tables: dict[str, Entity] = {}
    columns: dict[str, Column] = {}
    opened: tuple[str, int] | None = None
    for number, line in enumerate(text.split("\n")[:LINES_MAX], 1):
        if opened is None:
            if found := _TABLE.match(line):
                opened, columns = (found[1], number), _keys(found[2], number)
            elif found := _FOREIGN.match(line):
                _refer(
                    tables,
                    found[1],
                    found[2],
                    _option(found[3], "column"),
                    _option(found[3], "primary_key") or "id",
                )
        elif _END.match(line):
            name, start = opened
            tables[name] = Entity(
                name, "table", start, number, tuple(columns.values()), framework="Rails"
            )
            opened = None
        elif found := _INDEX.match(line):
            if "unique: true" in found[2] and "where:" not in found[2] and found[1] in columns:
                columns[found[1]] = msgspec.structs.replace(columns[found[1]], is_unique=True)
        elif (found := _COLUMN.match(line)) and found[1] not in ("index", "check_constraint"):
            limit = _LIMIT.search(found[3])
            type_ = f"{found[1]}({limit[1]})" if limit else found[1]
            is_key = found[2] in columns
            columns[found[2]] = Column(found[2], type_, is_key, line=number)
    return tuple(tables.values())


def _keys(options: str, line: int) -> dict[str, Column]:
    """The key that Rails makes by itself, or those that are named."""
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
    return next((each[2] or each[3] for each in matches), "")


def _refer(tables: dict[str, Entity], table: str, target: str, column: str, key: str) -> None:
    """A foreign key; without a name its column is the target's name for one of them."""
    known = tables.get(table)
    if known is None:
        return
    names = {column} if column else {f"{one}_id" for one in _singular(target)}
    tables[table] = msgspec.structs.replace(
        known,
        columns=tuple(
            msgspec.structs.replace(each, references=f"{target}.{key}")
            if each.name in names
            else each
            for each in known.columns
        ),
    )


def _singular(word: str) -> set[str]:
    """What Rails may call one of the rows of a table."""
    found = {word, word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        found.add(f"{word[:-3]}y")
    return found
