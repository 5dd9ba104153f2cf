"""What a program of Go is configured by, stores and does by itself, and what tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.symbols import receiver_of
from stationmaster.reading.code.languages.source import Scopes, Source, line_of, literal, one_line
from stationmaster.reading.code.model import (
    Column,
    Entity,
    Entry,
    FileFacts,
    Import,
    Job,
    Setting,
    Test,
    TestKind,
)

_TAG = re.compile(r"\b(\w++):\"((?:[^\"\\]|\\.){0,2000}+)\"")
_ENVIRONMENTS = frozenset(
    {
        "github.com/caarlos0/env",
        "github.com/kelseyhightower/envconfig",
        "github.com/sethvargo/go-envconfig",
        "github.com/ilyakaznacheev/cleanenv",
        "github.com/joeshaw/envdecode",
        "github.com/vrischmann/envconfig",
    }
)
_VIPER = "github.com/spf13/viper"
_KEYS = re.compile(r"Get\w*|IsSet|SetDefault|BindPFlag|BindEnv")
_CRONS = {"github.com/robfig/cron": "cron", "github.com/go-co-op/gocron": "gocron"}
_LAMBDA = "github.com/aws/aws-lambda-go/lambda"
_ENT = "entgo.io/ent"
_TESTS: tuple[tuple[str, str, TestKind], ...] = (
    ("Test", "*testing.T", "test"),
    ("Benchmark", "*testing.B", "benchmark"),
    ("Fuzz", "*testing.F", "fuzz"),
)
_ORMS = ("gorm", "xorm", "bun")


def add(
    source: Source, facts: FileFacts, calls: list[Node], fields: list[Node], scopes: Scopes
) -> None:
    """Add to what is known of a file."""
    packages = bound(facts.imports)
    made = _Calls(source, packages, scopes)
    for node in calls:
        made.read(node)
    facts.settings += (*made.settings, *_tagged(source, facts.imports, fields))
    facts.jobs += tuple(made.jobs)
    facts.entries = (*_mains(facts), *facts.entries, *made.entries)
    facts.entities = tuple(_entities(source, packages))
    facts.tests = tuple(_tests(source, packages))


class _Calls:
    def __init__(self, source: Source, packages: dict[str, str], scopes: Scopes) -> None:
        self._source = source
        self._packages = packages
        self._scopes = scopes
        self.settings: list[Setting] = []
        self.jobs: list[Job] = []
        self.entries: list[Entry] = []
        self._cron = next((_CRONS[p] for p in packages.values() if p in _CRONS), "")

    def read(self, node: Node) -> None:
        """Keep the setting, the job or the entry that a call is, if it is one."""
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or given is None or callee.type != "selector_expression":
            return
        on = self._source.text(callee.child_by_field_name("operand"))
        name = self._source.text(callee.child_by_field_name("field"))
        arguments = [
            named_child for named_child in given.named_children if named_child.type != "comment"
        ]
        package = self._packages.get(on, "")
        scope = self._scopes.at(node.start_byte)
        first = literal(self._source, arguments[0]) if arguments else None
        if package in ("os", "syscall") and name in ("Getenv", "LookupEnv") and first:
            self.settings.append(Setting(first, "env", line_of(node)))
        elif package == _VIPER and _KEYS.fullmatch(name) and first:
            default = literal(self._source, arguments[1]) if name == "SetDefault" else None
            self.settings.append(Setting(first, "key", line_of(node), default))
        elif package == "time" and name in ("NewTicker", "Tick") and arguments:
            self.jobs.append(
                Job(
                    scope or name,
                    "schedule",
                    line_of(node),
                    f"every {one_line(self._source.text(arguments[0]), 80)}",
                    scope,
                    "time",
                )
            )
        elif self._cron == "cron" and name in ("AddFunc", "AddJob") and first:
            handler = one_line(self._source.text(arguments[-1]), 80)
            handler = handler if handler.replace(".", "").isidentifier() else scope
            self.jobs.append(
                Job(handler or first, "schedule", line_of(node), first, handler, "cron")
            )
        elif self._cron == "gocron" and name == "Cron" and first:
            self.jobs.append(Job(scope or first, "schedule", line_of(node), first, scope, "gocron"))
        elif package == _LAMBDA and name.startswith("Start") and arguments:
            handler = one_line(self._source.text(arguments[0]), 80)
            self.entries.append(Entry(handler, "handler", line_of(node), handler))


def _tagged(source: Source, imports: tuple[Import, ...], fields: list[Node]) -> Iterator[Setting]:
    """What struct tags read from the environment, where a package that does so is imported."""
    if not _ENVIRONMENTS & set(bound(imports).values()):
        return
    for node in fields:
        tags = dict(_TAG.findall(source.text(node.child_by_field_name("tag")).strip("`")))
        told = tags.get("env") or tags.get("envconfig") or ""
        name, _, rules = told.partition(",")
        if name and name != "-":
            default = tags.get("envDefault") or tags.get("env-default") or tags.get("default")
            required = "required" in rules or tags.get("required") == "true"
            yield Setting(name, "env", line_of(node), default, required)


def _mains(facts: FileFacts) -> Iterator[Entry]:
    if facts.package == "main":
        for symbol in facts.symbols:
            if symbol.qualified == "main" and symbol.kind == "function":
                yield Entry("main", "main", symbol.line, "main")


def _tests(source: Source, packages: dict[str, str]) -> Iterator[Test]:
    if "testing" not in packages.values():
        return
    for node in source.root.named_children:
        if node.type == "function_declaration":
            name = source.text(node.child_by_field_name("name"))
            text = source.text(node.child_by_field_name("parameters"))
            for start, type_, kind in _TESTS:
                rest = name.removeprefix(start)
                if rest != name and not rest[:1].islower() and text.rstrip(") ").endswith(type_):
                    yield Test(name, line_of(node), kind)


def _entities(source: Source, packages: dict[str, str]) -> Iterator[Entity]:
    tables = dict(_table_names(source))
    for node in source.root.named_children:
        if node.type != "type_declaration":
            continue
        for spec in node.named_children:
            type_ = spec.child_by_field_name("type")
            if spec.type == "type_spec" and type_ is not None and type_.type == "struct_type":
                name = source.text(spec.child_by_field_name("name"))
                entity = _entity(source, packages, spec, type_, name, tables.get(name))
                if entity is not None:
                    yield entity


def _entity(
    source: Source,
    packages: dict[str, str],
    spec: Node,
    type_: Node,
    name: str,
    table: str | None,
) -> Entity | None:
    columns: list[Column] = []
    framework = ""
    fields = [named_child for body in type_.named_children for named_child in body.named_children]
    for field in fields:
        if field.type != "field_declaration":
            continue
        written = source.text(field.child_by_field_name("type"))
        package, _, last = written.lstrip("*").partition(".")
        named = [source.text(each) for each in field.children_by_field_name("name")]
        if not named:
            path = packages.get(package, "")
            if path == _ENT and last == "Schema":
                return Entity(
                    table or name,
                    "table",
                    line_of(spec),
                    spec.end_point[0] + 1,
                    tuple(_ent_fields(source, name)),
                    name,
                    "ent",
                )
            if path in ("gorm.io/gorm", "github.com/jinzhu/gorm") and last == "Model":
                framework = "gorm"
        tags = dict(_TAG.findall(source.text(field.child_by_field_name("tag")).strip("`")))
        orm = next((each for each in _ORMS if each in tags), "")
        framework = framework or orm
        if orm == "bun" and "table:" in tags["bun"]:
            table = tags["bun"].partition("table:")[2].partition(",")[0]
        elif named and tags.get(orm) != "-":
            columns += [_column(each, written, tags.get(orm, ""), field) for each in named]
    if not framework:
        return None
    return Entity(
        table or name,
        "table",
        line_of(spec),
        spec.end_point[0] + 1,
        tuple(columns),
        name,
        framework,
    )


def _column(name: str, type_: str, tag: str, field: Node) -> Column:
    rules = tag.lower()
    match = re.search(r"(?i)column:([^;\s]+)|'([^']+)'", tag)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return Column(
        (match[1] or match[2]) if match else plain,
        one_line(type_, 80),
        bool(re.search(r"primary_?key|\bpk\b", rules)),
        "unique" in rules,
        "",
        line_of(field),
    )


def _table_names(source: Source) -> Iterator[tuple[str, str]]:
    """What methods `TableName` return, by their types."""
    for node in source.root.named_children:
        if node.type == "method_declaration" and source.text(node.child_by_field_name("name")) in (
            "TableName",
            "Table",
        ):
            match = re.search(r"return\s+\"([\w.]{1,100})\"", source.text(node))
            if match is not None:
                yield receiver_of(source, node), match[1]


def _ent_fields(source: Source, name: str) -> Iterator[Column]:
    for node in source.root.named_children:
        if (
            node.type == "method_declaration"
            and receiver_of(source, node) == name
            and source.text(node.child_by_field_name("name")) == "Fields"
        ):
            start = line_of(node)
            text = source.text(node)
            for match in re.finditer(r"\bfield\.(\w+)\(\s*\"(\w{1,100})\"", text):
                line = start + text.count("\n", 0, match.start())
                rest = text[match.end() : match.end() + 200].partition("field.")[0]
                yield Column(match[2], match[1], False, ".Unique()" in rest, "", line)
