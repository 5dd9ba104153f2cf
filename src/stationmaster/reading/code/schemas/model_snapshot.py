"""Model snapshots of Entity Framework: a program by their ending, a list of tables by their form.

They are written by Entity Framework itself, one call a line, so lines are all there is to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from stationmaster.reading.code.stored import FRAMEWORK, Column, Entity

LINES_MAX = 100_000
_ENTITY = re.compile(r'\s*modelBuilder\.Entity\("([\w.+<>,]{1,300})"')
_OWNED = re.compile(r'\s*(b\d{0,3})\.Owns(One|Many)\("([\w.+]{1,300})"(?:, "([\w.]{1,300})")?')
_PROPERTY = re.compile(r'\s*(b\d{0,3})\.Property<([^>]{1,200}>?)>\("(\w{1,200})"\)')
_CALL = re.compile(r"\s*(b\d{0,3})?\.(\w{1,60})\(([^\n]{0,400})")
_TEXT = re.compile(r'"([^"]{1,300})"')
_LAST = re.compile(r"[.+]")


@dataclass
class _Table:
    """A table. `owner` is the table that has its columns too, with `prefix` before their names.
    `property` is that of the owner's class, `json` the JSON column that contains all of them.
    """

    symbol: str
    line: int
    end: int
    name: str = ""
    owner: _Table | None = None
    prefix: str = ""
    property: str = ""
    json: str = ""
    columns: dict[str, Column] = field(default_factory=dict)


def read(text: str) -> tuple[Entity, ...]:
    """The tables in the order of the file, with the columns of owned and derived classes."""
    reading = _Reading()
    for number, line in enumerate(text.split("\n")[:LINES_MAX], 1):
        reading.line(number, line)
    tables = list(reading.tables)
    for table in reversed(tables):
        if table.owner is not None and table.json:
            column = Column(table.json, line=table.line)
            table.owner.columns.setdefault(column.name, column)
            table.name = ""
        elif table.owner is not None and table.name in ("", table.owner.name):
            for name, column in list(table.columns.items()):
                if not (table.prefix and column.is_key):
                    own = (
                        column
                        if column.name != name
                        else msgspec.structs.replace(column, name=f"{table.prefix}{name}")
                    )
                    table.owner.columns.setdefault(own.name, own)
            table.name = ""
    return tuple(
        Entity(
            it.name, "table", it.line, it.end, _ordered(it.columns.values()), it.symbol, FRAMEWORK
        )
        for it in tables
        if it.name
    )


def _ordered(columns: Iterable[Column]) -> tuple[Column, ...]:
    return tuple(sorted(columns, key=lambda column: not column.is_key))


class _Reading:
    def __init__(self) -> None:
        self._by_class: dict[str, _Table] = {}
        self._open: dict[str, _Table] = {}
        self._owned: list[_Table] = []
        self._column = ("", "")
        self._index: tuple[str, ...] = ()
        self._target = ""

    @property
    def tables(self) -> list[_Table]:
        return [*self._by_class.values(), *self._owned]

    def line(self, number: int, line: str) -> None:
        """Read the next line."""
        if match := _ENTITY.match(line):
            symbol = _LAST.split(match[1])[-1]
            table = self._by_class.setdefault(match[1], _Table(symbol, number, number))
            self._open = {"b": table}
        elif match := _OWNED.match(line):
            owner = self._open.get(match[1])
            symbol = _LAST.split(match[3])[-1]
            own = match[4] or symbol
            prefix = f"{own}_" if match[2] == "One" else ""
            table = _Table(symbol, number, number, "", owner, prefix, own)
            variable = f"b{int(match[1][1:] or 0) + 1}"
            self._open[variable] = table
            self._owned.append(table)
        elif match := _PROPERTY.match(line):
            self._column, self._index = (match[1], match[3]), ()
            if table_ := self._open.get(match[1]):
                table_.columns[match[3]] = Column(match[3], match[2], line=number)
                table_.end = number
        elif match := _CALL.match(line):
            self._call(match[1] or "", match[2], _TEXT.findall(match[3]), number)

    def _call(self, variable: str, name: str, texts: list[str], number: int) -> None:
        if variable:
            self._column, self._index = (variable, ""), ()
        table = self._open.get(variable or self._column[0])
        if table is None:
            return
        if name == "ToTable" and texts and variable:
            table.name, table.end = texts[0], number
        elif name == "ToJson" and variable:
            table.json = texts[0] if texts else table.property
        elif name == "HasBaseType" and texts:
            owner = self._by_class.get(texts[0])
            table.owner = owner if owner is not table else None
        elif name == "HasKey":
            _mark(table, texts, is_key=True)
        elif name == "HasIndex":
            self._index = tuple(texts)
        elif name == "IsUnique" and len(self._index) == 1:
            _mark(table, self._index, is_unique=True)
        elif name == "HasOne" and texts:
            self._target = _LAST.split(texts[0])[-1]
        elif name == "HasForeignKey":
            _mark(table, [it for it in texts if it in table.columns], references=self._target)
        elif name == "HasColumnType" and texts and not variable:
            _mark(table, [self._column[1]], type=texts[0])
        elif name == "HasColumnName" and texts and not variable:
            _mark(table, [self._column[1]], name=texts[0])


def _mark(table: _Table, names: Iterable[str], **changes: str | bool) -> None:
    columns: Mapping[str, Column] = table.columns
    for name in names:
        if name in columns:
            table.columns[name] = msgspec.structs.replace(columns[name], **changes)
