"""Settings and entities of .NET: IConfiguration, the environment, Entity Framework."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.fallback import expressed, fallback
from stationmaster.reading.code.languages.source import child, entity, line_of, outward
from stationmaster.reading.code.languages.unit import Called, Field, Unit
from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.stored import FRAMEWORK, Column, Entity

_TYPED = re.compile(rb"\bIConfiguration(?:Root|Manager)?\??\s+(\w+)")
_HELD = re.compile(
    rb"\b(?:var|IConfigurationSection)\s+(\w{1,80})\s*=\s*[\w.]{0,80}[cC]onfiguration"
    rb"\s*\.Get(?:Required)?Section\(\"([\w.:-]{1,100})\"\);"
)
"""A variable that holds a section."""
_SET = re.compile(r"\bDbSet<\s*([\w.]+)\s*>\??\s+(\w+)")
_SECTIONS = code.names("csharp.settings.sections")
_REQUIRED = code.names("csharp.settings.required")
_KEYS = _SECTIONS | _REQUIRED | {"GetValue", "GetConnectionString"}
_SCHEMA = ("System.ComponentModel.DataAnnotations",)
_LAMBDA = re.compile(r"^\(?\w+\)?\s*=>\s*\w+\.(\w+)!?$")
_ENTITY = re.compile(r"\bEntity<\s*([\w.]{1,200})\s*>\(\s*\)")
_OF_ENTITY = re.compile(r"\bEntity<\s*([\w.]{1,200})\s*>$")
_BUILDER = re.compile(r"\bEntityTypeBuilder<\s*([\w.]{1,200})\s*>")
_MEMBER = re.compile(r"\b\w+\.(\w+)")
_CHAIN_MAX = 2_000
_ASKED = _KEYS | {"GetEnvironmentVariable"}
CALLS = frozenset({*_ASKED, "ToTable", "Property", "HasKey"})


def settings(unit: Unit) -> Iterator[Setting]:
    """What is asked of a configuration, also by `configuration["Key"]`, and of the environment."""
    indexed = unit.nodes["index"]
    if not indexed and not any(call.name in _ASKED for call in unit.called):
        return
    held: dict[str, set[str]] = defaultdict(set)
    for match in _HELD.finditer(unit.data):
        held[match[1].decode()].add(f"{match[2].decode()}:")
    sections = {name: {*some}.pop() for name, some in held.items() if len(some) == 1}
    typed = {match[1].decode(): "" for match in _TYPED.finditer(unit.data)} | sections
    found = [each for call in unit.called for each in _asked(unit, call, typed)]
    for node in indexed:
        name = unit.value(unit.arguments(child(node, "subscript")).get(0))
        section = _section(unit.part(node, "expression"), typed)
        if name and section is not None:
            found.append(Setting(section + name, "key", line_of(node)))
    yield from sorted(found, key=lambda each: (each.line, each.name))


def _section(of: str, typed: Mapping[str, str]) -> str | None:
    """What stands before the keys of a configuration, '' for a whole one; None for what is none.
    `typed` are the names that hold one."""
    last = of.rpartition(".")[2].strip("?!")
    is_whole = last.lower() in ("configuration", "_configuration")
    return typed.get(last, "" if is_whole else None)


def _asked(unit: Unit, call: Called, typed: Mapping[str, str]) -> Iterator[Setting]:
    name = call.value(0)
    section = _section(call.on, typed)
    if not name:
        return
    if call.name == "GetEnvironmentVariable" and call.on.endswith("Environment"):
        yield Setting(name, "env", call.line, fallback(unit, call.node))
    elif call.name in _KEYS and (section is not None or call.name == "BindConfiguration"):
        if call.name == "GetConnectionString":
            name = f"ConnectionStrings:{name}"
        default = expressed(unit, call.given.get(1))
        is_required = call.name in _REQUIRED or call.name == "GetRequiredSection"
        yield Setting(f"{section or ''}{name}", "key", call.line, default, is_required)


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables of Entity Framework: `DbSet` members, configurations, classes with `[Table]`."""
    symbols = unit.symbols
    contexts = {
        symbol.qualified
        for symbol in symbols
        if any(base.partition("<")[0].endswith("DbContext") for base in symbol.bases)
    }
    for each in symbols:
        found = _SET.search(each.signature) if each.container in contexts else None
        if found is not None:
            yield Entity(found[2], "table", each.line, each.end, (), found[1], FRAMEWORK)
    yield from _configured(unit)
    if contexts or b"EntityTypeBuilder<" in unit.data:
        yield from _fluent(unit)
    yield from _annotated(unit)


def _configured(unit: Unit) -> Iterator[Entity]:
    """Classes that say how one entity is stored."""
    for symbol, base in unit.classes("IEntityTypeConfiguration"):
        own = [each for each in unit.called if each.caller.startswith(f"{symbol.qualified}.")]
        kind = base.partition("<")[2].rstrip("> ").rpartition(".")[2]
        name = next((each.value(0) for each in own if each.name == "ToTable"), "")
        keys = {column for each in own if each.name == "HasKey" for column in _keys(unit, each)}
        columns = tuple(
            Column(column, is_key=column in keys, line=each.line)
            for each in own
            if each.name == "Property" and (column := _chosen(unit, each))
        )
        yield Entity(name or kind, "table", symbol.line, symbol.end, columns, kind, FRAMEWORK)


def _fluent(unit: Unit) -> Iterator[Entity]:
    """What a context says of entities: `builder.Entity<Item>().HasKey(…)`, and the like in methods
    that are given the builder of one."""
    apart = tuple(f"{it.qualified}." for it, _ in unit.classes("IEntityTypeConfiguration"))
    for call in unit.called:
        if call.name not in ("ToTable", "HasKey", "Property") or call.caller.startswith(apart):
            continue
        model, node = _built(unit, call)
        keys = _keys(unit, call) if call.name == "HasKey" else []
        name = call.value(0) if call.name == "ToTable" else ""
        chosen = _chosen(unit, call) if call.name == "Property" else ""
        columns = [Column(it, is_key=True, line=call.line) for it in keys]
        columns += [Column(chosen, line=call.line)] if chosen else []
        if model and (name or columns):
            yield entity(node, name or model, columns, model, FRAMEWORK)


def _built(unit: Unit, call: Called) -> tuple[str, Node]:
    """The class whose builder a call is made on, and what holds all that is said of it."""
    function = child(call.node, "function")
    chain = _ENTITY.search(unit.part(function, "expression")[:_CHAIN_MAX])
    if chain:
        return chain[1].rpartition(".")[2], call.node
    for around, _ in outward(call.node):
        if around.type == "invocation_expression":
            made = _OF_ENTITY.search(unit.part(around, "function")[-_CHAIN_MAX:])
        elif around.type in ("method_declaration", "local_function_statement"):
            made = _BUILDER.search(unit.part(around, "parameters")[:_CHAIN_MAX])
        else:
            made = None
        if made:
            return made[1].rpartition(".")[2], around
    return "", call.node


def _keys(unit: Unit, call: Called) -> list[str]:
    """The members of a key: one, several as `x => new { x.A, x.B }`, or texts."""
    text = unit.text(call.given.get(0))
    if one := _chosen(unit, call):
        return [one]
    return _MEMBER.findall(text.partition("{")[2])


def _chosen(unit: Unit, call: Called) -> str:
    """The member that `x => x.Name` chooses, or the text of its name."""
    match = _LAMBDA.match(unit.text(call.given.get(0)))
    return match[1] if match else call.value(0)


def _annotated(unit: Unit) -> Iterator[Entity]:
    if not unit.proof.any_of(_SCHEMA):
        return
    for each in unit.noted:
        note = each.notes.get("Table")
        if note is not None and each.kind == "class":
            columns = map(_column, unit.fields(each.node))
            name = note.value(0) or each.name
            yield entity(each.node, name, columns, each.qualified, FRAMEWORK)


def _column(field: Field) -> Column:
    named = field.notes["Column"].value(0) if "Column" in field.notes else ""
    return Column(named or field.name, field.type, "Key" in field.notes, line=field.line)
