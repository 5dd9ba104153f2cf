"""What a program of Go stores and does by itself, and what tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.symbols import receiver_of
from stationmaster.reading.code.languages.go.tickers import schedules
from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.code.languages.source import (
    arguments,
    entity,
    line_of,
    literal,
    one_line,
)
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Entry, Fact, Job, Test, TestKind
from stationmaster.reading.code.stored import Column, Entity

_CRONS = code.words("go.jobs.crons")
_LAMBDA = "github.com/aws/aws-lambda-go/lambda"
_TESTS = code.table("go.tests.functions", tuple[tuple[str, str, TestKind], ...])
_ORMS = ("gorm", "xorm", "bun")
_MODELS = frozenset({"gorm.io/gorm.Model", "github.com/jinzhu/gorm.Model"})
_TABLE = re.compile(r"return\s+\"([\w.]{1,100})\"")
_FIELD = re.compile(r"\bfield\.(\w+)\(\s*\"(\w{1,100})\"")


def read(file: File) -> Iterator[Fact]:
    """The jobs, handlers, tables and tests of a file."""
    matches = file.source.matches("running")
    yield from schedules(file, matches)
    cron = next((_CRONS[each] for each in file.packages.values() if each in _CRONS), "")
    for call in file.called:
        yield from _called(file, call, cron)
    yield from _entities(file, matches)
    if "testing" in file.packages.values():
        yield from _tests(file, matches)


def _called(file: File, call: Called, cron: str) -> Iterator[Fact]:
    package, name, scope = file.packages.get(call.of, ""), call.name, call.caller
    if not call.of or not (package or cron):
        return
    line, given = line_of(call.node), arguments(file.source, call.given).at
    first = literal(file.source, given[0]) if given else None
    if cron == "cron" and name in ("AddFunc", "AddJob") and first:
        handler = one_line(file.source.text(given[-1]), 80)
        handler = handler if handler.replace(".", "").isidentifier() else scope
        yield Job(handler or first, "schedule", line, first, handler, "cron")
    elif cron == "gocron" and name == "Cron" and first:
        yield Job(scope or first, "schedule", line, first, scope, "gocron")
    elif package == _LAMBDA and name.startswith("Start") and given:
        handler = one_line(file.source.text(given[0]), 80)
        yield Entry(handler, "handler", line, handler)


def _tests(file: File, matches: list[dict[str, list[Node]]]) -> Iterator[Test]:
    for match in matches:
        if "function" in match:
            name = file.source.text(match["function"][0])
            text = file.source.text(match["parameters"][0]).rstrip(") ")
            for start, type_, kind in _TESTS:
                rest = name.removeprefix(start)
                if rest != name and not rest[:1].islower() and text.endswith(type_):
                    yield Test(name, line_of(match["whole"][0]), kind)


def _entities(file: File, matches: list[dict[str, list[Node]]]) -> Iterator[Entity]:
    methods: dict[tuple[str, str], Node] = {}
    for match in matches:
        if "method" in match:
            node = match["whole"][0]
            methods[receiver_of(file.source, node), file.source.text(match["method"][0])] = node
    for match in matches:
        if "type" in match:
            yield from _entity(file, match, methods)


def _entity(
    file: File, match: dict[str, list[Node]], methods: Mapping[tuple[str, str], Node]
) -> Iterator[Entity]:
    """`methods` are those of the file by their types and names."""
    name, whole = file.source.text(match["type"][0]), match["whole"][0]
    columns: list[Column] = []
    framework = table = ""
    for (holder, asked), node in methods.items():
        if holder == name and asked in ("TableName", "Table"):
            returned = _TABLE.search(file.source.text(node))
            table = returned[1] if returned else table
    for field in match["fields"][0].named_children:
        if field.type != "field_declaration":
            continue
        written = file.source.part(field, "type")
        package, _, last = written.lstrip("*").partition(".")
        named = [file.source.text(each) for each in field.children_by_field_name("name")]
        origin = f"{file.packages.get(package, '')}.{last}" if not named else ""
        if origin == "entgo.io/ent.Schema":
            yield entity(whole, table or name, _ent_fields(file, methods, name), name, "ent")
            return
        tags = file.tags(field)
        orm = next((each for each in _ORMS if each in tags), "")
        framework = "gorm" if origin in _MODELS else framework or orm
        if orm == "bun" and "table:" in tags["bun"]:
            table = tags["bun"].partition("table:")[2].partition(",")[0]
        elif named and tags.get(orm) != "-":
            columns += [_column(each, written, tags.get(orm, ""), field) for each in named]
    if framework:
        yield entity(whole, table or name, columns, name, framework)


def _column(name: str, type_: str, tag: str, field: Node) -> Column:
    match = re.search(r"(?i)column:([^;\s]+)|'([^']+)'", tag)
    stored = (match[1] or match[2]) if match else snake(name)
    is_key = re.search(r"primary_?key|\bpk\b", tag.lower()) is not None
    is_unique = "unique" in tag.lower()
    return Column(stored, one_line(type_, 80), is_key, is_unique, "", line_of(field))


def _ent_fields(file: File, methods: Mapping[tuple[str, str], Node], name: str) -> Iterator[Column]:
    node = methods.get((name, "Fields"))
    if node is None:
        return
    text = file.source.text(node)
    for match in _FIELD.finditer(text):
        line = line_of(node) + text.count("\n", 0, match.start())
        rest = text[match.end() : match.end() + 200].partition("field.")[0]
        yield Column(match[2], match[1], False, ".Unique()" in rest, "", line)
