"""Liquibase: change logs in XML, translated into SQL.

Each word of that SQL is on the line of its origin, so that places in it are places in the change
log. Rollbacks of changes are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from stationmaster.repos.contents import Element

ROOT = "databaseChangeLog"
CHANGES_MAX = 20_000
_PROPERTY = re.compile(r"\$\{([\w.\-]{1,100})\}")

Attributes = Mapping[str, str]


class Include(NamedTuple):
    """Another change log, or all of a `folder`, whose changes are inserted at this place."""

    path: str
    is_relative: bool
    is_folder: bool


class Log(NamedTuple):
    """A change log: what it includes first, and the SQL of its own changes, if it `has_changes`;
    `properties` hold for its own changes and for included ones."""

    includes: tuple[Include, ...]
    sql: str
    has_changes: bool
    properties: Mapping[str, str]


class _Item(NamedTuple):
    """An element of a change log."""

    name: str
    line: int
    attributes: Attributes
    text: str
    items: tuple[_Item, ...]


def of_xml(root: Element | None) -> Log | None:
    """None for a document that is no change log."""
    if root is None or root.tag != ROOT:
        return None
    return _log([_of_element(element) for element in root.all("*")])


def _of_element(element: Element) -> _Item:
    items = tuple(map(_of_element, element.all("*")))
    return _Item(element.tag, element.line, dict(element.attrib), element.text or "", items)


def _log(items: list[_Item]) -> Log:
    properties: dict[str, str] = {}
    includes = []
    for item in items:
        if item.name == "property" and "name" in item.attributes:
            name, value = item.attributes["name"], item.attributes.get("value", "")
            # A property that differs between databases is shown by its name.
            properties[name] = value if properties.get(name, value) == value else name
        elif item.name in ("include", "includeAll"):
            is_folder = item.name == "includeAll"
            path = item.attributes.get("path" if is_folder else "file", "")
            is_relative = item.attributes.get("relativeToChangelogFile", "").lower() == "true"
            includes.append(Include(path, is_relative, is_folder))
    lines: dict[int, list[str]] = defaultdict(list)
    changes = (change for item in items if item.name == "changeSet" for change in item.items)
    for count, change in enumerate(changes):
        if count < CHANGES_MAX and change.name in _CHANGES:
            for line, words in _CHANGES[change.name](change):
                lines[line].append(words)
    last = max(lines, default=0)
    text = "\n".join(" ".join(lines.get(line, ())) for line in range(1, last + 1))
    has_changes = any(item.name == "changeSet" for item in items)
    return Log(tuple(includes), text, has_changes, properties)


def filled(text: str, properties: Attributes) -> str:
    """SQL with the values of properties; an unknown one is replaced by its name."""
    return _PROPERTY.sub(lambda name: properties.get(name[1], name[1]), text)


# Changes, as words of SQL with their lines

_Words = Iterator[tuple[int, str]]


def _name(text: str) -> str:
    return '"' + text.replace('"', "") + '"'


def _names(text: str) -> str:
    return ", ".join(_name(name.strip()) for name in text.split(",") if name.strip())


def _columns(change: _Item) -> list[_Item]:
    return [item for item in change.items if item.name == "column" and item.attributes.get("name")]


def _column(column: _Item) -> str:
    rules = next((item.attributes for item in column.items if item.name == "constraints"), {})
    words = [_name(column.attributes["name"]), column.attributes.get("type", "")]
    if rules.get("primaryKey", "").lower() == "true":
        words.append("PRIMARY KEY")
    if rules.get("unique", "").lower() == "true":
        words.append("UNIQUE")
    target = rules.get("referencedTableName")
    if target:
        theirs = rules.get("referencedColumnNames", "")
        words.append(f"REFERENCES {_name(target)}" + (f" ({_names(theirs)})" if theirs else ""))
    elif rules.get("references"):
        words.append(f"REFERENCES {rules['references']}")
    return " ".join(words)


def _table(change: _Item) -> str:
    return _name(change.attributes.get("tableName") or change.attributes.get("baseTableName", ""))


def _create_table(change: _Item) -> _Words:
    yield change.line, f"CREATE TABLE {_table(change)} ("
    last, columns = change.line, _columns(change)
    for place, column in enumerate(columns):
        last = max([column.line, *(item.line for item in column.items)])
        yield column.line, _column(column) + ("," if place + 1 < len(columns) else "")
    yield last, ");"


def _add_column(change: _Item) -> _Words:
    for column in _columns(change):
        yield column.line, f"ALTER TABLE {_table(change)} ADD COLUMN {_column(column)};"


def _drop_column(change: _Item) -> _Words:
    own = change.attributes.get("columnName")
    for name in [own] if own else [column.attributes["name"] for column in _columns(change)]:
        yield change.line, f"ALTER TABLE {_table(change)} DROP COLUMN {_name(name)};"


def _foreign_key(change: _Item) -> _Words:
    attributes = change.attributes
    theirs = _names(attributes.get("referencedColumnNames", ""))
    yield (
        change.line,
        f"ALTER TABLE {_table(change)} ADD CONSTRAINT "
        f"{_name(attributes.get('constraintName', ''))} "
        f"FOREIGN KEY ({_names(attributes.get('baseColumnNames', ''))}) "
        f"REFERENCES {_name(attributes.get('referencedTableName', ''))}"
        + (f" ({theirs});" if theirs else ";"),
    )


def _create_index(change: _Item) -> _Words:
    if change.attributes.get("unique", "").lower() == "true":
        names = ", ".join(_name(column.attributes["name"]) for column in _columns(change))
        yield change.line, f"CREATE UNIQUE INDEX x ON {_table(change)} ({names});"


def _sql(change: _Item) -> _Words:
    for place, line in enumerate(change.text.split("\n")):
        yield change.line + place, line
    yield change.line + change.text.count("\n"), ";"


def _altered(words: str) -> Callable[[_Item], _Words]:
    """A function that fills `{table}` and the attributes of a change into one statement."""

    def statement(change: _Item) -> _Words:
        attributes = defaultdict(str, change.attributes)
        quoted = {key: _names(value) for key, value in attributes.items()}
        quoted |= {"table": _table(change), "type": attributes["newDataType"]}
        yield change.line, words.format_map(defaultdict(lambda: '""', quoted)) + ";"

    return statement


_CHANGES: Mapping[str, Callable[[_Item], _Words]] = {
    "createTable": _create_table,
    "addColumn": _add_column,
    "dropColumn": _drop_column,
    "dropTable": _altered("DROP TABLE {table}"),
    "renameTable": _altered("ALTER TABLE {oldTableName} RENAME TO {newTableName}"),
    "renameColumn": _altered(
        "ALTER TABLE {table} RENAME COLUMN {oldColumnName} TO {newColumnName}"
    ),
    "modifyDataType": _altered("ALTER TABLE {table} ALTER COLUMN {columnName} TYPE {type}"),
    "addNotNullConstraint": _altered("ALTER TABLE {table} ALTER COLUMN {columnName} SET NOT NULL"),
    "dropNotNullConstraint": _altered(
        "ALTER TABLE {table} ALTER COLUMN {columnName} DROP NOT NULL"
    ),
    "dropDefaultValue": _altered("ALTER TABLE {table} ALTER COLUMN {columnName} DROP DEFAULT"),
    "addForeignKeyConstraint": _foreign_key,
    "dropForeignKeyConstraint": _altered("ALTER TABLE {table} DROP CONSTRAINT {constraintName}"),
    "addPrimaryKey": _altered("ALTER TABLE {table} ADD PRIMARY KEY ({columnNames})"),
    "addUniqueConstraint": _altered("ALTER TABLE {table} ADD UNIQUE ({columnNames})"),
    "createIndex": _create_index,
    "sql": _sql,
}
