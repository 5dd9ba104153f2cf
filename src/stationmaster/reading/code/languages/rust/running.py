"""What a program of Rust is configured by, stores and does by itself, and what tests it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from tree_sitter import Node

from stationmaster.reading.code.languages.fallback import fallback
from stationmaster.reading.code.languages.rust.attributes import Attribute, File, members
from stationmaster.reading.code.languages.rust.settings import VARIABLES
from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import (
    Source,
    above,
    calls_on,
    child,
    entity,
    first_child,
    given_to,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.model import Entry, Fact, Job, Setting, Test
from stationmaster.reading.code.schemas import diesel
from stationmaster.reading.code.stored import Column, Entity

_COMPILED = re.compile(r"(?:CARGO_\w+|VERGEN_\w+|OUT_DIR|TARGET|HOST|PROFILE)")
_FEATURE = re.compile(r"\bfeature\s*=\s*\"([\w./-]{1,100})\"")
_TEXT = re.compile(r"\"((?:[^\"\\\n]|\\.){0,1000}+)\"")
_ROWS = frozenset({"Queryable", "Identifiable", "Selectable", "QueryableByName"})
_TESTS = frozenset({"test", "rstest", "test_case", "quickcheck"})
_LOOP = "loop_expression"
_TICKED = re.compile(r"\s*(?:,[^=]{1,100})?=>(?!\s*\{\s*\})")
_NEXT = re.compile(r"\n[ \t]*+[^\s;][^\n;]{0,119}=>|\Z")
"""The next arm of `select!`, or the end."""
_CALLED = re.compile(r"(?<![.:\w])(?:self\.|(?:[a-z_]\w*::)*)(?!drop\b)[a-z_]\w*(?=\()")
_METHOD = re.compile(r"(?<![.\w])([a-z_]\w{0,60}\.(?!await\b|lock\b|clone\b)[a-z_]\w{0,60})(?=\()")
_SPAN = re.compile(
    r"(?:\w+::){0,4}Duration::from_(micros|millis|secs|mins|hours)\(([\w:*]{1,100})\)"
)
_PRODUCT = re.compile(r"\d{1,12}(?:\*\d{1,12}){0,5}")
_UNITS = {"micros": "µs", "millis": "ms", "secs": "s", "mins": "min", "hours": "h"}
_LARGER = {
    "ms": (("s", 1_000), ("min", 60), ("h", 60)),
    "s": (("min", 60), ("h", 60)),
    "min": (("h", 60),),
}
_INTERVALS = frozenset({"tokio::time::interval", "tokio::time::interval_at"})

_LOGGING = frozenset({"env_logger", "pretty_env_logger", "tracing_subscriber"})
_LOGGED = re.compile(
    r"(?:pretty_)?env_logger::(?:(?:try_)?init|Env::(?:new|default)|Builder::from_default_env)"
    r"|tracing_subscriber::(?:filter::)?EnvFilter::(?:try_)?from_default_env"
)
"""Functions that read the variable for levels of logging, if no other one is named then."""
_LEVEL = re.compile(r"\.default_filter_or\(\s*+\"([^\"\n]{1,200})\"\s*+(?:,\s*+)?\)")


def read(file: File) -> Iterator[Fact]:
    """The settings, jobs, tables and tests of a file."""
    source = file
    is_logging = not _LOGGING.isdisjoint(file.crates)
    for node in file.nodes["call"]:
        yield from _called(file, node)
        if is_logging:
            yield from _levels(file, node)
    for node in file.nodes["macro"]:
        yield from _tables(source, node)
    features: dict[str, int] = {}
    for item in file.items:
        made = file.attributes(item)
        yield from _entity(source, item, made, file.crates)
        yield from _test(source, item, made)
        for node in item.attributes:
            if b"cfg" in source.data[node.start_byte : node.start_byte + 12]:
                for feature in _FEATURE.findall(source.text(node)):
                    features.setdefault(feature, line_of(node))
    for node in file.nodes["macro"]:
        yield from _compiled(source, node)
    yield from (Setting(attribute, "feature", line) for attribute, line in features.items())


def mains(file: File) -> list[Entry]:
    """The first function `main` at top level, which takes nothing but from an attribute; []
    without one."""
    return [
        Entry("main", "main", line_of(item.node), "main")
        for item in file.items
        if item.node.type == "function_item"
        and not item.modules
        and item.holder is None
        and file.part(item.node, "name") == "main"
        and (item.attributes or not inside(item.node, "parameters"))
    ][:1]


def _called(file: File, node: Node) -> Iterator[Fact]:
    arguments = given_to(node)
    path = file.path(node) if arguments else ""
    scope, line = file.scopes.at(node.start_byte), line_of(node)
    text = file.value(arguments[0]) if path else None
    if arguments and "clokwerk" in file.crates and file.method(node) == "every":
        every = one_line(file.text(arguments[0]), 80)
        at = line_of(child(node, "arguments") or node)
        yield Job(scope or "every", "schedule", at, f"every {every}", scope, "clokwerk")
    elif path in VARIABLES and text and not _COMPILED.fullmatch(text):
        yield Setting(text, "env", line, fallback(file, node))
    elif path == "cron::Schedule::from_str":
        trigger = text or one_line(file.text(arguments[0]), 80)
        yield Job(scope or trigger, "schedule", line, trigger, scope, "cron")
    elif path in _INTERVALS and (runs := _at_ticks(file, node, scope)):
        name, handler = runs
        trigger = f"every {_span(file, arguments[-1])}"
        yield Job(name, "schedule", line, trigger, handler, "tokio")


def _span(file: File, node: Node) -> str:
    """A span of time as people write it, also that of constants of the file; of another one the
    code."""
    written = "".join(file.text(node).split()).replace(",)", ")")
    values = _constants(file)
    match = _SPAN.fullmatch(values.get(written, written))
    if match is None:
        return one_line(file.text(node), 80)
    number = values.get(match[2].rpartition("::")[2], match[2]).replace("_", "")
    unit = _UNITS[match[1]]
    if not _PRODUCT.fullmatch(number):
        return f"{match[2]} {unit}"
    count = prod(map(int, number.split("*")))
    for larger, size in _LARGER.get(unit, ()):
        if not count or count % size:
            break
        count, unit = count // size, larger
    return f"{count} {unit}"


def _constants(file: File) -> dict[str, str]:
    """The values of constants of a file, without spaces."""
    return {
        file.part(it.node, "name"): "".join(file.part(it.node, "value").split())
        for it in file.items
        if it.node.type in ("const_item", "static_item")
    }


def _levels(file: File, node: Node) -> Iterator[Setting]:
    """The variable for levels of logging, with what a program falls back on."""
    if _LOGGED.fullmatch(file.path(node)):
        *_, chain = (node, *(call for _, call in calls_on(node)))
        made = file.text(chain)
        if ".filter(" not in made and ".filter_or(" not in made:
            level = _LEVEL.search(made)
            doc = "Which messages are logged."
            yield Setting("RUST_LOG", "env", line_of(node), level[1] if level else None, doc=doc)


def _at_ticks(file: File, node: Node, scope: str) -> tuple[str, str] | None:
    """The name and the function of what a loop runs at each tick of an interval: the function
    around the loop where it does no more, else the first that is called then; of a method of
    something else the function around it. None where a loop does not end its block, which waits
    for something else, or calls none."""
    let = node.parent
    block = let.parent if let is not None and let.type == "let_declaration" else None
    inner = [it for it in inside(block) if "comment" not in it.type][-1:]
    loop = next((first_child(it, _LOOP) or it for it in inner), None)
    name = file.part(let, "pattern").removeprefix("mut ")
    if block is None or loop is None or loop.type != _LOOP or not name.isidentifier():
        return None
    _, tick, after = file.text(loop).partition(f"{name}.tick()")
    arm = _TICKED.match(after)
    if arm is None and block.parent is not None and block.parent.type == "function_item":
        return (scope, scope) if tick else None
    done = _NEXT.split(after[arm.end() :], maxsplit=1)[0] if arm else after
    called = _CALLED.search(done) if tick else None
    if called:
        runs = called[0].replace("self", scope.rpartition(".")[0])
        return runs, runs
    method = _METHOD.search(done) if tick and not arm else None
    return (method[1], scope) if method else None


def _compiled(source: Source, node: Node) -> Iterator[Setting]:
    """The environment variables that the compiler reads."""
    name = source.part(node, "macro").rpartition("::")[2]
    if name in ("env", "option_env"):
        match = _TEXT.search(source.text(node))
        if match and not _COMPILED.fullmatch(match[1]):
            yield Setting(match[1], "env", line_of(node), doc="Read when the program is compiled.")


def _test(source: Source, item: Item, made: tuple[Attribute, ...]) -> Iterator[Test]:
    if item.node.type != "function_item":
        return
    if not _TESTS.isdisjoint(attribute.name.rpartition("::")[2] for attribute in made):
        name = source.part(item.node, "name")
        yield Test(".".join((*item.modules, name)), line_of(item.node))


def _tables(source: Source, node: Node) -> Iterator[Entity]:
    """The tables of diesel's `table!`; one inside a function is only for its queries."""
    name = source.part(node, "macro")
    if name in ("diesel::table", "table") and above(node, "function_item") is None:
        yield from diesel.tables(source.text(node), line_of(node))


def _entity(
    source: Source, item: Item, made: tuple[Attribute, ...], names: frozenset[str]
) -> Iterator[Entity]:
    if item.node.type != "struct_item":
        return
    derived = {word for attribute in made if attribute.name == "derive" for word in attribute.given}
    by_name = {attribute.name: attribute.given for attribute in made}
    symbol = source.part(item.node, "name")
    table, framework = "", ""
    if "diesel" in names and derived & _ROWS and by_name.get("diesel", {}).get("table_name"):
        table, framework = by_name["diesel"]["table_name"] or "", "diesel"
    elif "sea_orm" in names and "DeriveEntityModel" in derived:
        table, framework = by_name.get("sea_orm", {}).get("table_name") or symbol, "sea-orm"
    elif "sqlx" in names and "FromRow" in derived:
        table, framework = symbol, "sqlx"
    if framework:
        name, columns = table.rpartition("::")[2], _columns(source, item.node)
        yield entity(item.node, name, columns, symbol, framework)


def _columns(source: Source, node: Node) -> Iterator[Column]:
    for member in members(source, node):
        field, values = member.node, member.given
        if field.type == "field_declaration":
            yield Column(
                values.get("column_name") or values.get("rename") or source.part(field, "name"),
                one_line(source.part(field, "type"), 80),
                "primary_key" in values,
                "unique" in values,
                "",
                line_of(field),
            )
