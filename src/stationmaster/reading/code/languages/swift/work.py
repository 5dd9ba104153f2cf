"""What a program of Swift is configured by, stores and does by itself, where it begins, what
tests it, and its commands with ArgumentParser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import parted
from stationmaster.reading.code.languages.source import child, entity, line_of, one_line
from stationmaster.reading.code.languages.swift.symbols import holder_of, name_of, types
from stationmaster.reading.code.languages.unit import Field, Unit
from stationmaster.reading.code.model import (
    CliCommand,
    Entry,
    Job,
    JobKind,
    Option,
    Setting,
    Test,
)
from stationmaster.reading.code.stored import Column, Entity

_COMMANDS = frozenset({"ParsableCommand", "AsyncParsableCommand"})
_OPTIONS = frozenset({"Option", "Flag", "Argument"})
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
_JOBS = code.table("swift.jobs.bases", dict[str, JobKind])
_QUEUES = ("Queues", "QueuesRedisDriver", "QueuesFluentDriver")
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
            waiting = node.children[1:]
            while waiting:
                inner = waiting.pop()
                if name := source.literal(inner):
                    yield Setting(name, "env", line_of(node))
                    break
                waiting += inner.named_children


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


def jobs(unit: Unit) -> Iterator[Job]:
    """The jobs of Vapor's Queues in a file that imports it."""
    for type_ in types(unit) if unit.proof.any_of(_QUEUES) else ():
        for base in type_.bases:
            if base in _JOBS:
                yield Job(type_.name, _JOBS[base], line_of(type_.node), "", type_.name, "queues")


def commands(unit: Unit) -> list[CliCommand]:
    """The commands of a file that imports ArgumentParser."""
    made: dict[str, Node] = {}
    for type_ in types(unit) if unit.proof.any_of(("ArgumentParser",)) else ():
        if not type_.is_extension and _COMMANDS & {base.rpartition(".")[2] for base in type_.bases}:
            made.setdefault(type_.name, type_.node)
    reader = _Reader(unit, made)
    below = {child for name in made for child in reader.children(name)}
    for name in made:
        if name not in below:
            reader.add(name, ())
    return reader.found


class _Reader:
    def __init__(self, unit: Unit, made: dict[str, Node]) -> None:
        self._unit = unit
        self._types = made
        self._told = dict(reversed([*self._configurations()])) if made else {}
        self._docs = {symbol.qualified: symbol.doc for symbol in unit.symbols}
        self._mains = {noted.node.start_byte for noted, _ in unit.by_name("main")}
        self.found: list[CliCommand] = []

    def _configurations(self) -> Iterator[tuple[str, str]]:
        """The configurations of types, in them or in their extensions."""
        for node in self._unit.nodes["declared"]:
            text = self._unit.text(node)[:8_000]
            holder = holder_of(node)
            if holder is not None and "CommandConfiguration(" in text:
                yield name_of(self._unit, holder), text

    def children(self, name: str) -> list[str]:
        """Types of the subcommands, as they are called last."""
        match = _BELOW.search(self._told.get(name, ""))
        words = match[1].split(",") if match else []
        names = [word.strip().removesuffix(".self") for word in words]
        return [it.rpartition(".")[2] for it in names if it]

    def add(self, name: str, above: tuple[str, ...]) -> None:
        """Add the command of a type below some words, and its subcommands of this file."""
        waiting = [(name, above, True)]
        seen: set[str] = set()
        while waiting:
            type_, words, is_first = waiting.pop()
            if type_ in seen or len(words) > _WORDS_MAX:
                continue
            seen.add(type_)
            node, comment = self._types[type_], self._told.get(type_, "")
            called = _NAME.search(comment)
            is_root = is_first and node.start_byte in self._mains
            own = () if is_root else (*words, called[1] if called else parted(type_, "-"))
            abstract = _ABSTRACT.search(comment)
            children = self.children(type_)
            self.found.append(
                CliCommand(
                    own,
                    line_of(node),
                    one_line(abstract[1]) if abstract else "",
                    f"{type_}.run",
                    tuple(self._options(node)),
                    "" if is_root or not is_first else type_,
                    tuple(child for child in children if child not in self._types),
                )
            )
            waiting += [(child, own, False) for child in reversed(children) if child in self._types]

    def _options(self, holder: Node) -> Iterator[Option]:
        qualified = self._unit.scopes.at(holder.start_byte)
        for field in self._unit.fields(holder):
            for kind in field.notes.keys() & _OPTIONS:
                doc = self._docs.get(f"{qualified}.{field.name}", "")
                yield self._option(field, kind, doc)

    def _option(self, field: Field, kind: str, doc: str) -> Option:
        words = self._unit.text(field.notes[kind].node)
        name, value = field.name, child(field.node, "value")
        names = [f"-{name[:1]}"] if re.search(r"\.short(?:AndLong)?\b", words) else []
        custom = _CUSTOM.findall(words)
        if re.search(r"\.(?:long|shortAndLong)\b", words) or not ("name:" in words or custom):
            names.append(f"--{parted(name, '-')}")
        names += [f"-{text}" if which == "Short" else f"--{text}" for which, text in custom]
        help_ = _HELP.search(words)
        default = self._unit.text(value).strip('"')
        is_plain = value is not None and value.type in _LITERALS and "[" not in default
        if kind == "Argument":
            names = [parted(name, "-").upper()]
        line = line_of(value) if value is not None else field.line
        text = one_line(help_[1] if help_ else doc)
        return Option(tuple(names), line, text, default if is_plain else None)
