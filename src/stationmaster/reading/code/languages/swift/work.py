"""What a program of Swift is configured by, stores and does by itself, where it begins, what
tests it, and its commands with ArgumentParser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.inflections import parted
from stationmaster.reading.code.languages.source import child, entity, line_of, one_line, within
from stationmaster.reading.code.languages.swift.symbols import holder_of, name_of, types
from stationmaster.reading.code.languages.unit import Field, Unit
from stationmaster.reading.code.model import (
    CliCommand,
    Entry,
    Option,
    Setting,
    Test,
)
from stationmaster.reading.code.stored import Column, Entity

_COMMANDS = frozenset({"ParsableCommand", "AsyncParsableCommand"})
_OPTIONS = frozenset({"Option", "Flag", "Argument"})
_SHORT = re.compile(r"\.short(?:AndLong)?\b")
_LONG = re.compile(r"\.(?:long|shortAndLong)\b")
_CUSTOM = re.compile(r"\.custom(Long|Short)\(\s*\"([^\"\n]{1,100})\"")
_HELP = re.compile(r"help:\s*(?:ArgumentHelp\(\s*)?\"((?:[^\"\\\n]|\\.)*)\"")
_NAME = re.compile(r"\bcommandName:\s*\"([^\"\n]{1,100})\"")
_ABSTRACT = re.compile(r"\babstract:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_BELOW = re.compile(r"\bsubcommands:\s*\[([^\]]{0,4000})\]")
_WORDS_MAX = 8
_LITERALS = code.names("swift.grammar.literals")

_FIELDS = code.names("swift.entities.fields")
_KEY = re.compile(r"(?:key|custom):\s*(?:\.(\w+)|\"([^\"\n]{1,100})\")")
_SCHEMA = re.compile(r"\bschema\b[^=\n]{0,40}=\s*\"([^\"\n]{1,100})\"")
_MAIN = frozenset({"main", "UIApplicationMain", "NSApplicationMain"})
_STATEMENTS = code.names("swift.grammar.statements")


def entries(unit: Unit) -> list[Entry]:
    """The types marked as main, else the first statement at top level of a file without errors."""
    rows = []
    for noted in unit.noted:
        if _MAIN & noted.notes.keys():
            line = line_of(child(noted.node, "name") or noted.node)
            rows.append(Entry(noted.name, "main", line, noted.name))
    root = unit.root
    first = next((n for n in root.named_children if n.type in _STATEMENTS), None)
    if not rows and first is not None and not root.has_error:
        rows = [Entry("main", "main", line_of(first))]
    return rows


def tests(unit: Unit) -> Iterator[Test]:
    """Functions that Swift Testing runs, and methods of XCTest's cases."""
    for noted, note in unit.by_name("Test") if unit.proof.any_of(("Testing",)) else ():
        if noted.kind in ("function", "method"):
            texts = (unit.literal(child) for child in note.node.named_children)
            yield Test(next(filter(None, texts), noted.qualified), line_of(noted.node))
    cases = {noted.name for noted in types(unit) if noted.bases}
    for symbol in unit.symbols if unit.proof.any_of(("XCTest",)) else ():
        is_case = symbol.container.rpartition(".")[2] in cases and symbol.kind == "method"
        if is_case and symbol.name.startswith("test") and f"{symbol.name}()" in symbol.signature:
            yield Test(symbol.qualified, symbol.line)


def settings(unit: Unit) -> Iterator[Setting]:
    """`ProcessInfo.processInfo.environment["X"]`, and Vapor's `Environment.get("X")`."""
    source, is_vapor = unit, unit.proof.any_of(("Vapor",))
    for node in unit.nodes["call"]:
        callee = node.children[0] if node.children else None
        if callee is None or callee.type != "navigation_expression":
            continue
        text = source.text(callee)
        is_own = text.endswith("ProcessInfo.processInfo.environment")
        if is_own or (text == "Environment.get" and is_vapor):
            inside = (it for part in reversed(node.children[1:]) for it in within(part))
            if name := next(filter(None, map(source.literal, inside)), None):
                yield Setting(name, "env", line_of(node))


def entities(unit: Unit) -> Iterator[Entity]:
    """Fluent's models, of a file that imports it."""
    for type_ in types(unit) if unit.proof.any_of(("Fluent", "FluentKit")) else ():
        fields = unit.fields(type_.node) if "Model" in type_.bases else []
        texts = (unit.text(field.node)[:300] for field in fields)
        table = next((match[1] for text in texts if (match := _SCHEMA.search(text))), "")
        columns = [
            _column(unit, field, name)
            for field in fields
            for name in field.notes
            if name in _FIELDS
        ]
        if table or columns:
            yield entity(type_.node, table or type_.name, columns, type_.name, "fluent")


def _column(unit: Unit, field: Field, name: str) -> Column:
    key = _KEY.search(unit.text(field.notes[name].node))
    own = (key[1] or key[2]) if key else field.name
    parent = field.type.rstrip("?") if name.endswith("Parent") else ""
    return Column(own, field.type, name == "ID", False, parent, field.line)


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of a file that imports ArgumentParser."""
    made: dict[str, Node] = {}
    for type_ in types(unit) if unit.proof.any_of(("ArgumentParser",)) else ():
        if not type_.is_extension and _COMMANDS & {base.rpartition(".")[2] for base in type_.bases}:
            made.setdefault(type_.name, type_.node)
    configured = dict(reversed([*_configurations(unit)])) if made else {}
    children = {name: _children(configured.get(name, "")) for name in made}
    below = {child for listed in children.values() for child in listed}
    mains = {noted.node.start_byte for noted, _ in unit.by_name("main")}
    seen: set[str] = set()
    for first in made:
        waiting: list[tuple[str, tuple[str, ...]]] = [(first, ())] if first not in below else []
        while waiting:
            name, words = waiting.pop()
            if name in seen or len(words) > _WORDS_MAX:
                continue
            seen.add(name)
            node, text = made[name], configured.get(name, "")
            called, abstract = _NAME.search(text), _ABSTRACT.search(text)
            is_root = name == first and node.start_byte in mains
            own = () if is_root else (*words, called[1] if called else parted(name, "-"))
            yield CliCommand(
                own,
                line_of(node),
                one_line(abstract[1]) if abstract else "",
                f"{name}.run",
                tuple(_options(unit, node)),
                name if name == first and not is_root else "",
                tuple(child for child in children[name] if child not in made),
            )
            waiting += [(child, own) for child in reversed(children[name]) if child in made]


def _configurations(unit: Unit) -> Iterator[tuple[str, str]]:
    """The configurations of types, in them or in their extensions."""
    for node in unit.nodes["declared"]:
        text = unit.text(node)[:8_000]
        holder = holder_of(node)
        if holder is not None and "CommandConfiguration(" in text:
            yield name_of(unit, holder), text


def _children(text: str) -> list[str]:
    """Types of the subcommands, as they are called last."""
    match = _BELOW.search(text)
    names = (it.strip().removesuffix(".self") for it in (match[1].split(",") if match else ()))
    return [it.rpartition(".")[2] for it in names if it]


def _options(unit: Unit, holder: Node) -> Iterator[Option]:
    qualified = unit.scopes.at(holder.start_byte)
    docs = {symbol.qualified: symbol.doc for symbol in unit.symbols}
    for field in unit.fields(holder):
        for kind in field.notes.keys() & _OPTIONS:
            yield _option(unit, field, kind, docs.get(f"{qualified}.{field.name}", ""))


def _option(unit: Unit, field: Field, kind: str, doc: str) -> Option:
    words = unit.text(field.notes[kind].node)
    name, value = parted(field.name, "-"), child(field.node, "value")
    custom = _CUSTOM.findall(words)
    names = [field.name[:1]] if _SHORT.search(words) else []
    names += [f"--{name}"] if _LONG.search(words) or not ("name:" in words or custom) else []
    names += [f"-{text}" if which == "Short" else f"--{text}" for which, text in custom]
    help_ = _HELP.search(words)
    default = unit.text(value).strip('"')
    is_plain = value is not None and value.type in _LITERALS and "[" not in default
    line = line_of(value) if value is not None else field.line
    text = one_line(help_[1] if help_ else doc)
    signed = (name.upper(),) if kind == "Argument" else dashed(*names)
    return Option(signed, line, text, default if is_plain else None)
