"""What a program of Rust is configured by, stores and does by itself, and what tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.rust.attributes import (
    Attribute,
    attributes,
    crates,
    origins,
)
from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import Scopes, Source, end_of, line_of, one_line
from stationmaster.reading.code.model import (
    Column,
    Entity,
    Entry,
    FileFacts,
    Job,
    Mark,
    Setting,
    Test,
    TestKind,
)

_VARIABLES = frozenset({"std::env::var", "std::env::var_os", "dotenvy::var", "dotenv::var"})
_COMPILED = re.compile(r"(?:CARGO_\w+|OUT_DIR|TARGET|HOST|PROFILE)")
_FEATURE = re.compile(r"\bfeature\s*=\s*\"([\w./-]{1,100})\"")
_TEXT = re.compile(r"\"((?:[^\"\\\n]|\\.){0,1000}+)\"")
_TABLE = re.compile(r"(?:([\w.]{1,100}\.)?(\w{1,100}))\s*\(([\w\s,]{1,200})\)\s*\{")
_COLUMN = re.compile(
    r"^[ \t]*(?:#\[sql_name\s*=\s*\"(\w+)\"\]\s*+)?(\w{1,100})\s*->\s*([^,\n]{1,200}),?",
    re.MULTILINE,
)
_ROWS = frozenset({"Queryable", "Identifiable", "Selectable", "QueryableByName"})
_INTERVALS = frozenset({"tokio::time::interval", "tokio::time::interval_at"})


def add(
    source: Source,
    facts: FileFacts,
    items: tuple[Item, ...],
    calls: list[Node],
    macros: list[Node],
    scopes: Scopes,
) -> None:
    """Add to what is known of a file."""
    known, paths = crates(facts.imports), origins(facts.imports)
    settings, jobs = list(facts.settings), list[Job]()
    for node in calls:
        _called(source, node, paths, known, scopes, settings, jobs)
    entities = [table for node in macros for table in _tables(source, node)]
    tests, entries = list[Test](), list[Entry]()
    features: dict[str, int] = {}
    for item in items:
        made = attributes(source, item.attributes)
        entities += _entity(source, item, made, known)
        tests += _test(source, item, made)
        facts.marks += tuple(
            Mark(
                "deprecated",
                line_of(item.node),
                one_line(each.given.get("note") or each.given.get("") or ""),
            )
            for each in made
            if each.name == "deprecated"
        )
        if item.node.type == "function_item" and not item.modules and item.holder is None:
            name = source.text(item.node.child_by_field_name("name"))
            if name == "main" and not entries:
                entries.append(Entry("main", "main", line_of(item.node), "main"))
        for node in item.attributes:
            if b"cfg" in source.data[node.start_byte : node.start_byte + 12]:
                for feature in _FEATURE.findall(source.text(node)):
                    features.setdefault(feature, line_of(node))
    for node in macros:
        settings += _compiled(source, node)
        if source.text(node.child_by_field_name("macro")).endswith("fuzz_target"):
            tests.append(Test("fuzz_target", line_of(node), "fuzz"))
    facts.settings = (
        *settings,
        *(Setting(each, "feature", line) for each, line in features.items()),
    )
    facts.jobs, facts.entities = tuple(jobs), tuple(entities)
    facts.tests, facts.entries = tuple(tests), (*entries, *facts.entries)


def _called(
    source: Source,
    node: Node,
    paths: dict[str, str],
    known: frozenset[str],
    scopes: Scopes,
    settings: list[Setting],
    jobs: list[Job],
) -> None:
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or given is None:
        return
    if callee.type == "field_expression":
        name = source.text(callee.child_by_field_name("field"))
        if name == "every" and "clokwerk" in known and given.named_children:
            scope = scopes.at(node.start_byte)
            told = one_line(source.text(given.named_children[0]), 80)
            jobs.append(
                Job(scope or name, "schedule", line_of(given), f"every {told}", scope, "clokwerk")
            )
        return
    if callee.type not in ("identifier", "scoped_identifier"):
        return
    told = "".join(source.text(callee).split())
    first, sign, rest = told.partition("::")
    path = f"{paths.get(first, first)}{sign}{rest}"
    text = _TEXT.fullmatch(source.text(given.named_children[0])) if given.named_children else None
    if path in _VARIABLES and text and not _COMPILED.fullmatch(text[1]):
        settings.append(Setting(text[1], "env", line_of(node)))
    elif path.startswith("tokio_cron_scheduler::") and text and "::new" in path:
        scope = scopes.at(node.start_byte)
        jobs.append(
            Job(scope or text[1], "schedule", line_of(node), text[1], scope, "tokio-cron-scheduler")
        )
    elif path in _INTERVALS and given.named_children:
        scope = scopes.at(node.start_byte)
        every = one_line(source.text(given.named_children[-1]), 80)
        jobs.append(Job(scope or path, "schedule", line_of(node), f"every {every}", scope, "tokio"))


def _compiled(source: Source, node: Node) -> Iterator[Setting]:
    """What the compiler takes from the environment."""
    name = source.text(node.child_by_field_name("macro")).rpartition("::")[2]
    if name in ("env", "option_env"):
        match = _TEXT.search(source.text(node))
        if match and not _COMPILED.fullmatch(match[1]):
            yield Setting(match[1], "env", line_of(node), None, name == "env")


def _test(source: Source, item: Item, made: tuple[Attribute, ...]) -> Iterator[Test]:
    if item.node.type != "function_item":
        return
    for each in made:
        last = each.name.rpartition("::")[2]
        kind: TestKind | None = (
            "test" if last in ("test", "rstest", "test_case", "quickcheck") else None
        )
        if each.name == "bench":
            kind = "benchmark"
        if kind is not None:
            name = source.text(item.node.child_by_field_name("name"))
            yield Test(".".join((*item.modules, name)), line_of(item.node), kind)
            return


def _tables(source: Source, node: Node) -> Iterator[Entity]:
    """What diesel's `table!` describes."""
    name = source.text(node.child_by_field_name("macro"))
    if name not in ("diesel::table", "table"):
        return
    text, line = source.text(node), line_of(node)
    head = _TABLE.search(text)
    if head is None:
        return
    keys = set(re.split(r"[\s,]+", head[3]))
    columns = tuple(
        Column(
            match[1] or match[2],
            one_line(match[3], 80),
            match[2] in keys,
            False,
            "",
            line + text.count("\n", 0, match.start(2)),
        )
        for match in _COLUMN.finditer(text, head.end())
    )
    yield Entity(
        head[2],
        "table",
        line + text.count("\n", 0, head.start(2)),
        end_of(node),
        columns,
        "",
        "diesel",
    )


def _entity(
    source: Source, item: Item, made: tuple[Attribute, ...], known: frozenset[str]
) -> Iterator[Entity]:
    if item.node.type != "struct_item":
        return
    derived = {word for each in made if each.name == "derive" for word in each.given}
    by_name = {each.name: each.given for each in made}
    symbol = source.text(item.node.child_by_field_name("name"))
    table, framework = "", ""
    if "diesel" in known and derived & _ROWS and by_name.get("diesel", {}).get("table_name"):
        table, framework = by_name["diesel"]["table_name"] or "", "diesel"
    elif "sea_orm" in known and "DeriveEntityModel" in derived:
        table, framework = by_name.get("sea_orm", {}).get("table_name") or symbol, "sea-orm"
    elif "sqlx" in known and "FromRow" in derived:
        table, framework = symbol, "sqlx"
    if framework:
        yield Entity(
            table.rpartition("::")[2],
            "table",
            line_of(item.node),
            end_of(item.node),
            tuple(_columns(source, item.node)),
            symbol,
            framework,
        )


def _columns(source: Source, node: Node) -> Iterator[Column]:
    body = node.child_by_field_name("body")
    waiting: list[Node] = []
    for child in body.named_children if body is not None else ():
        if child.type == "attribute_item":
            waiting.append(child)
        elif child.type == "field_declaration":
            name = source.text(child.child_by_field_name("name"))
            given = {
                key: value
                for attribute in attributes(source, tuple(waiting))
                for key, value in attribute.given.items()
            }
            waiting = []
            yield Column(
                given.get("column_name") or given.get("rename") or name,
                one_line(source.text(child.child_by_field_name("type")), 80),
                "primary_key" in given,
                "unique" in given,
                "",
                line_of(child),
            )
