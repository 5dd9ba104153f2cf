"""Settings and entities of Java and Kotlin: Spring, JPA and those that are like them, Exposed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.items import Called, Field, Unit
from stationmaster.reading.code.languages.jvm.properties import mapped, properties
from stationmaster.reading.code.languages.source import entity, entity_of, literal
from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_ENTITIES = code.table("jvm.entities.annotations", dict[str, tuple[str, ...]])
_INJECTED = code.table("jvm.settings.annotations", dict[str, tuple[str, ...]])
_KINDS: Mapping[str, EntityKind] = {"Document": "document", "MappedSuperclass": "base"}
_PLACEHOLDER = re.compile(r"\$\{([\w.\-\[\]]+)(?::([^{}]*))?\}")
_TO_ONE = ("ManyToOne", "OneToOne")
_TO_MANY = code.ordered("jvm.entities.to_many")
_EXPOSED = ("org.jetbrains.exposed",)
_TABLES = code.ordered("jvm.entities.exposed_bases")
_TYPES = code.names("jvm.entities.exposed_types")
CALLS = frozenset({"getenv", "getProperty", "getRequiredProperty", *_TYPES})


def settings(unit: Unit) -> Iterator[Setting]:
    """The properties and environment variables that are injected or read, by line and name."""
    found = [*_injected(unit), *(each for call in unit.called for each in _asked(unit, call))]
    yield from sorted(found, key=lambda each: (each.line, each.name))


def _injected(unit: Unit) -> Iterator[Setting]:
    for each, note, name in unit.marked(_INJECTED):
        if name == "ConfigMapping":
            yield from mapped(unit, each, note)
        elif name == "Value":
            for match in _PLACEHOLDER.finditer(note.text("value", 0).replace("\\", "")):
                default = match[2]
                yield Setting(match[1], "key", note.line, default, default is None)
        elif name == "ConfigProperty":
            default = note.text("defaultValue") or None
            if text := note.text("name"):
                yield Setting(text, "key", note.line, default)
        else:
            yield from properties(unit, each, note)


def _asked(unit: Unit, call: Called) -> Iterator[Setting]:
    name = unit.text(call, 0)
    kind: SettingKind | None = None
    if call.name == "getenv" and call.of in ("System", ""):
        kind = "env"
    elif call.name in ("getProperty", "getRequiredProperty") and _is_asked(unit, call.of):
        kind = "key"
    if name and kind:
        default = literal(unit.source, unit.arguments(call).get(1))
        yield Setting(name, kind, call.line, default, call.name == "getRequiredProperty")


def _is_asked(unit: Unit, of: str) -> bool:
    """Whether properties are asked of the system or of Spring's environment."""
    if of.rpartition(".")[2] in ("env", "environment"):
        return unit.proof.of("Environment", ("org.springframework.core.env",))
    return of == "System"


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables and documents: classes with an annotation of a mapper, then objects of Exposed."""
    for each, note, name in unit.marked(_ENTITIES):
        if each.kind not in ("class", "interface"):
            continue
        table = each.notes.get("Table") if name == "Entity" else note
        stored = table.text("name", "value", "collection", 0) if table else ""
        if not stored and name == "Entity":
            stored = note.text("tableName", "name")
        framework = "Room" if unit.proof.of(note.written, ("androidx.room",)) else "JPA"
        framework = framework if name in ("Entity", "MappedSuperclass") else "Spring Data"
        columns = filter(None, map(_column, unit.fields(each.node)))
        kind = _KINDS.get(name, "table")
        yield entity(each.node, stored or each.name, columns, each.qualified, framework, kind)
    if unit.proof.any_of(_EXPOSED):
        yield from _exposed(unit)


def _column(field: Field) -> Column | None:
    notes = field.notes
    if any(name in notes for name in _TO_MANY) or field.name == "serialVersionUID":
        return None
    named = notes.get("Column") or notes.get("JoinColumn") or notes.get("ColumnInfo")
    name = named.text("name", "value", 0) if named else ""
    single = next((each for each in _TO_ONE if each in notes), None)
    if single and notes[single].text("mappedBy"):
        return None  # The other table has the column.
    if single and not name:
        name = f"{field.name}_id"
    is_unique = bool(named and named.written_at("unique") == "true")
    target = field.type.rstrip("?") if single else ""
    is_key = bool({"Id", "EmbeddedId", "PrimaryKey"} & set(notes))
    return Column(name or field.name, field.type, is_key, is_unique, target, field.line)


def _exposed(unit: Unit) -> Iterator[Entity]:
    """`object Users : Table("users") { val name = varchar("name", 50) }`"""
    columns: dict[str, list[Column]] = {}
    for call in unit.called:
        name = unit.text(call, 0)
        if call.name in _TYPES and not call.of and name:
            holder = call.caller.rpartition(".")[0] or call.caller
            target = ""
            if call.name in ("reference", "optReference"):
                target = unit.source.text(unit.arguments(call).get(1)).partition(".")[0]
            columns.setdefault(holder, []).append(
                Column(name, call.name, references=target, line=call.line)
            )
    for symbol, _ in unit.classes(*_TABLES):
        stored = _stored(unit, symbol.line) or symbol.name
        yield entity_of(symbol, stored, columns.get(symbol.qualified, ()), "Exposed")


def _stored(unit: Unit, line: int) -> str:
    """The name that `Table("users")` gives in the head of a declaration."""
    text = unit.source.data.split(b"\n")[line - 1].decode(errors="replace")
    match = re.search(r"Table\(\s*\"([^\"$]{1,100})\"", text)
    return match[1] if match else ""
