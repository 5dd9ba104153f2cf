"""Settings and entities of .NET: IConfiguration, the environment, Entity Framework."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.entity_framework import FRAMEWORK
from stationmaster.reading.code.languages.items import Field, Unit
from stationmaster.reading.code.languages.source import end_of, line_of, literal
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.stored import Column, Entity

_TYPED = re.compile(rb"\bIConfiguration(?:Root|Section|Manager)?\??\s+(\w+)")
_SET = re.compile(r"\bDbSet<\s*([\w.]+)\s*>\??\s+(\w+)")
_SECTIONS = code.names("csharp.settings.sections")
_KEYS = _SECTIONS | {"GetValue", "GetConnectionString"}
_SCHEMA = ("System.ComponentModel.DataAnnotations",)
_LAMBDA = re.compile(r"^\(?\w+\)?\s*=>\s*\w+\.(\w+)!?$")
_ASKED = _KEYS | {"GetEnvironmentVariable"}
CALLS = frozenset({*_ASKED, "ToTable", "Property", "HasKey"})


def settings(unit: Unit) -> Iterator[Setting]:
    """What is asked of a configuration, also by `configuration["Key"]`, and of the environment."""
    indexed = unit.nodes["index"]
    if not indexed and not any(call.name in _ASKED for call in unit.called):
        return
    typed = {match[1].decode() for match in _TYPED.finditer(unit.source.data)}
    found = [each for call in unit.called for each in _asked(unit, call, typed)]
    for node in indexed:
        of = unit.source.part(node, "expression")
        given = Called("", of, node, node.child_by_field_name("subscript"), "")
        if _is_configuration(of, typed) and (name := unit.text(given, 0)):
            found.append(Setting(name, "key", line_of(node)))
    yield from sorted(found, key=lambda each: (each.line, each.name))


def _is_configuration(of: str, typed: set[str]) -> bool:
    last = of.rpartition(".")[2].strip("?!")
    return last in typed or last.lower() in ("configuration", "_configuration")


def _asked(unit: Unit, call: Called, typed: set[str]) -> Iterator[Setting]:
    name = unit.text(call, 0)
    if not name:
        return
    if call.name == "GetEnvironmentVariable" and call.of.endswith("Environment"):
        yield Setting(name, "env", call.line)
    elif call.name in _KEYS and (
        _is_configuration(call.of, typed) or call.name == "BindConfiguration"
    ):
        if call.name == "GetConnectionString":
            name = f"ConnectionStrings:{name}"
        default = literal(unit.source, unit.arguments(call).get(1))
        yield Setting(name, "key", call.line, default, call.name == "GetRequiredSection")


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables of Entity Framework: `DbSet` members, configurations, classes with `[Table]`."""
    symbols = unit.facts.symbols
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
    yield from _annotated(unit)


def _configured(unit: Unit) -> Iterator[Entity]:
    """Classes that say how one entity is stored."""
    for symbol, base in unit.classes("IEntityTypeConfiguration"):
        own = [each for each in unit.called if each.caller.startswith(f"{symbol.qualified}.")]
        told = base.partition("<")[2].rstrip("> ").rpartition(".")[2]
        name = next((unit.text(each, 0) for each in own if each.name == "ToTable"), "")
        keys = {column for each in own if each.name == "HasKey" and (column := _chosen(unit, each))}
        columns = tuple(
            Column(column, is_key=column in keys, line=each.line)
            for each in own
            if each.name == "Property" and (column := _chosen(unit, each))
        )
        yield Entity(name or told, "table", symbol.line, symbol.end, columns, told, FRAMEWORK)


def _chosen(unit: Unit, call: Called) -> str:
    """The member that `x => x.Name` chooses, or the text of its name."""
    match = _LAMBDA.match(unit.source.text(unit.arguments(call).get(0)))
    return match[1] if match else unit.text(call, 0)


def _annotated(unit: Unit) -> Iterator[Entity]:
    if not unit.proof.any_of(_SCHEMA):
        return
    for each in unit.noted:
        note = each.notes.get("Table")
        if note is not None and each.kind == "class":
            columns = tuple(map(_column, unit.fields(each.node)))
            yield Entity(
                note.text(0) or each.name,
                "table",
                note.line,
                end_of(each.node),
                columns,
                each.qualified,
                FRAMEWORK,
            )


def _column(field: Field) -> Column:
    named = field.notes["Column"].text(0) if "Column" in field.notes else ""
    return Column(named or field.name, field.type, "Key" in field.notes, line=field.line)
