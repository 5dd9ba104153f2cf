"""What a program of Go stores: structs that mappers keep in tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File, is_exported, receiver_of
from stationmaster.reading.code.languages.inflections import singular, snake
from stationmaster.reading.code.languages.source import entity, line_of, one_line
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_ORMS = ("gorm", "xorm", "bun")
_MODELS = frozenset({"gorm.io/gorm.Model", "github.com/jinzhu/gorm.Model"})
_OF_MODEL = (("id", "uint"), ("created_at", "time.Time"), ("updated_at", "time.Time"),
             ("deleted_at", "gorm.DeletedAt"))  # fmt: skip
"""The columns of what `gorm.Model` is put into."""
_TABLE = re.compile(r"return\s+\"([\w.]{1,100})\"")
_FIELD = re.compile(r"\bfield\.(\w+)\(\s*\"(\w{1,100})\"")
_RELATION = re.compile(r"(?i)\b(?:foreignKey|many2many|polymorphic|rel|association_foreignkey):")
_BETWEEN = re.compile(r"(?i)\bmany2many:\s{0,5}(\w{1,100})")
_BASE = re.compile(r"\w{0,60}(?:Base|Entity|Model|Timestamps)|(?:Base|Model)\w{0,60}")
"""How structs are called that hold what tables share."""
_LAST = re.compile(r"(?<!\w)\w++$")
_MANY = re.compile(r"\*?\[\]\*?(?!byte\b|string\b|u?int\d*\b|float\d|bool\b)")
_STORED = re.compile(r"(?i)\b(?:type|serializer):")
"""Of a field whose type alone does not tell that it has a column."""
_UNIQUE_TOGETHER = re.compile(
    r"(?i)\bunique(?:index)?(?:\(\s*|:\s*)(\w{1,100})|\bindex:\s*(\w{1,100}),[^;]{0,100}\bunique"
)
"""The name that columns share which are unique together."""
_KEYED = ("gorm", "xorm")
"""Mappers whose key is the column `id` where no other is named."""
_REFERRED = re.compile(r"(?i)\breferences\s+(\w{1,100})\s*\(\s*(\w{1,100})\s*\)")


def read(file: File, matches: list[dict[str, list[Node]]]) -> Iterator[Entity]:
    """The tables that structs of a file stand for."""
    methods: dict[tuple[str, str], Node] = {}
    for match in matches:
        if "method" in match:
            node = match["whole"][0]
            methods[receiver_of(file, node), file.text(match["method"][0])] = node
    for match in matches:
        if "type" in match:
            yield from _entity(file, match, methods)


def _entity(
    file: File, match: dict[str, list[Node]], methods: Mapping[tuple[str, str], Node]
) -> Iterator[Entity]:
    """`methods` are those of the file by their types and names."""
    name, whole = file.text(match["type"][0]), match["whole"][0]
    columns: list[Column] = []
    groups: dict[str, str] = {}
    framework = table = ""
    for (holder, asked), node in methods.items():
        if holder == name and asked in ("TableName", "Table"):
            returned = _TABLE.search(file.text(node))
            table = returned[1] if returned else table
    for field in match["fields"][0].named_children:
        if field.type != "field_declaration":
            continue
        written = file.part(field, "type")
        package, _, last = written.lstrip("*").partition(".")
        named = [file.text(each) for each in field.children_by_field_name("name")]
        origin = f"{file.packages.get(package, '')}.{last}" if not named else ""
        if origin == "entgo.io/ent.Schema":
            yield entity(whole, table or name, _ent_fields(file, methods, name), name, "ent")
            return
        tags = file.tags(field)
        orm = next((each for each in _ORMS if each in tags), "")
        is_kept = tags.get(orm, "-").partition(":")[0] != "-"
        framework = "gorm" if origin in _MODELS else framework or (orm if is_kept else "")
        if origin in _MODELS:
            line = line_of(field)
            columns += [Column(each, kind, each == "id", line=line) for each, kind in _OF_MODEL]
        elif not named:
            columns.append(Column("", last or package.lstrip("*"), line=line_of(field)))
        elif named and (between := _BETWEEN.search(tags.get("gorm", ""))):
            yield _joint(field, between[1], (name, written), f"{name}.{named[0]}")
        elif orm == "bun" and "table:" in tags["bun"]:
            table = tags["bun"].partition("table:")[2].partition(",")[0]
        elif named and _is_stored(written, tags.get(orm, "")):
            stored = filter(is_exported, named)
            made = [_column(each, written, tags.get(orm, ""), field) for each in stored]
            columns += made
            if group := _UNIQUE_TOGETHER.search(tags.get(orm, "")):
                groups |= {column.name: group[group.lastindex or 0] for column in made}
    if framework in _KEYED and not any(column.is_key for column in columns):
        columns = [column.marked(Column("", is_key=column.name == "id")) for column in columns]
    is_base = not framework and (
        any(not column.name for column in columns) or _BASE.fullmatch(name) is not None
    )
    if framework or is_base:
        columns = _apart(columns, groups)
        kind: EntityKind = "base" if is_base else "table"
        yield entity(whole, table or name, columns, name, framework or "gorm", kind)


def _joint(field: Node, table: str, types: tuple[str, str], symbol: str) -> Entity:
    """The table in which a field of a struct keeps what it has many of; of the struct itself they
    are called after the field."""
    ends = [each[0] for type_ in types if (each := _LAST.search(type_))]
    names = [f"{snake(each)}_id" for each in ends]
    if len(set(names)) < len(names):
        own, name = names[0], snake(symbol.rpartition(".")[2])
        names[1] = f"{own}_reference" if f"{name}_id" == own else f"{singular(name)}_id"
    columns = [
        Column(name, "", True, references=each, line=line_of(field))
        for name, each in zip(names, ends, strict=True)
    ]
    return entity(field, table, columns, symbol, "gorm", "joint")


def _apart(columns: list[Column], groups: Mapping[str, str]) -> list[Column]:
    """Columns without the mark of those that are unique only with others of their group."""
    counts = Counter(groups.values())
    joint = {name for name, group in groups.items() if counts[group] > 1}
    return [replace(it, is_unique=False) if it.name in joint else it for it in columns]


def _is_stored(type_: str, tag: str) -> bool:
    """Has a field a column of its own, and is no relation?"""
    if tag == "-" or tag.startswith("-:") or _RELATION.search(tag):
        return False
    return _MANY.match(type_) is None or _STORED.search(tag) is not None


def _column(name: str, type_: str, tag: str, field: Node) -> Column:
    match = re.search(r"(?i)column:([^;\s]+)|'([^']+)'", tag)
    stored = (match[1] or match[2]) if match else snake(name)
    is_key = re.search(r"primary_?key|\bpk\b", tag.lower()) is not None
    is_unique = "unique" in tag.lower()
    referred = _REFERRED.search(tag)
    target = f"{referred[1]}.{referred[2]}" if referred else ""
    return Column(stored, one_line(type_, 80), is_key, is_unique, target, line_of(field))


def _ent_fields(file: File, methods: Mapping[tuple[str, str], Node], name: str) -> Iterator[Column]:
    node = methods.get((name, "Fields"))
    if node is None:
        return
    text = file.text(node)
    for match in _FIELD.finditer(text):
        line = line_of(node) + text.count("\n", 0, match.start())
        rest = text[match.end() : match.end() + 200].partition("field.")[0]
        yield Column(match[2], match[1], False, ".Unique()" in rest, "", line)
