"""Settings and entities of Java and Kotlin: Spring, JPA and those that are like them, Exposed;
and the classes that Spring, Micronaut and Quarkus fill from files of settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import head_of
from stationmaster.reading.code.languages.fallback import expressed, fallback
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.jvm.keys import doc_above, plain
from stationmaster.reading.code.languages.source import child, entity, entity_of, inside, line_of
from stationmaster.reading.code.languages.unit import Called, Field, Noted, Unit
from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_DEPTH_MAX = 4
"""Of properties within properties."""
_MAY_BE_ABSENT = re.compile(r"(?:Optional|List|Set|Map)\w*\b")
_GIVEN_BY_CONTAINER = frozenset({"Autowired", "Inject", "Resource", "PersistenceContext"})
_CLASSES = frozenset({"class_declaration", "record_declaration"})
_HELD = re.compile(
    r"(?:(List|Set|Collection|MutableList)<|((?:Mutable)?Map)<\s*\w+\s*,)?\s*([\w.]+)\s*>?\??"
)
_FLAG = re.compile(r"^is(?=[A-Z])")
"""What accessors of a flag are called without: `isOpen` is set by `setOpen`."""
_MADE = re.compile(r"([A-Z]\w{0,99})\(\)")
_NAMED = re.compile(r"(\w+)\.([A-Z][A-Z0-9_]*)")
_DURATION = re.compile(r"Duration\.of(Millis|Seconds|Minutes|Hours|Days)\((\d+)\)")
_UNITS = {"Millis": "ms", "Seconds": "s", "Minutes": "m", "Hours": "h", "Days": "d"}

_ENTITIES = code.table("jvm.entities.annotations", dict[str, tuple[str, ...]])
_INJECTED = code.table("jvm.settings.annotations", dict[str, tuple[str, ...]])
PROPERTIES_OF_PLATFORM = code.ordered("jvm.settings.own_properties")
_KINDS: Mapping[str, EntityKind] = {"Document": "document", "MappedSuperclass": "base"}
_PLACEHOLDER = re.compile(r"\$\{([\w.\-\[\]]+)(?::([^{}]*))?\}")
_TO_ONE = ("ManyToOne", "OneToOne")
_TO_MANY = code.ordered("jvm.entities.to_many")
_EXPOSED = ("org.jetbrains.exposed",)
_QUOTES = '`"'
"""Hibernate quotes names that stand between them."""
_JOINTS = ("JoinTable", "CollectionTable")
_NAME_OF = re.compile(r"\bname\s{0,20}=\s{0,20}\"(\w{1,100})\"")
_TABLES = code.ordered("jvm.entities.exposed_bases")
_KEYED = {"IntIdTable": "integer", "LongIdTable": "long", "UUIDTable": "uuid"}
"""The type of the column `id` that a base brings."""
_TYPES = code.names("jvm.entities.exposed_types")
_TYPED = code.table("jvm.settings.typed_properties", dict[str, str])
CALLS = frozenset({"getenv", "getProperty", "getRequiredProperty", *_TYPES})
CALLS |= {name.partition(".")[2] for name in _TYPED}


def settings(unit: Unit) -> Iterator[Setting]:
    """The properties and environment variables that are injected or read, by line and name."""
    rows = [
        *_injected(unit),
        *(setting for call in unit.called for setting in _read_by_call(unit, call)),
    ]
    yield from sorted(rows, key=lambda setting: (setting.line, setting.name))


def _injected(unit: Unit) -> Iterator[Setting]:
    for noted, note, name in unit.marked(_INJECTED):
        if name == "ConfigMapping":
            yield from mapped(unit, noted, note)
        elif name == "Value":
            for match in _PLACEHOLDER.finditer(note.value("value", 0).replace("\\", "")):
                default = match[2]
                yield Setting(match[1], "key", note.line, default, default is None)
        elif name == "ConfigProperty":
            default = note.value("defaultValue") or None
            if text := note.value("name"):
                yield Setting(text, "key", note.line, default)
        else:
            yield from properties(unit, noted, note)


def _read_by_call(unit: Unit, call: Called) -> Iterator[Setting]:
    yield from _of_system(unit, call)
    name = call.value(0)
    kind: SettingKind | None = None
    if call.name == "getenv" and call.on in ("System", ""):
        kind = "env"
    elif call.name in ("getProperty", "getRequiredProperty") and _is_environment(unit, call.on):
        kind = "key"
    if (
        name
        and kind
        and not (call.on == "System" and kind == "key" and name.startswith(PROPERTIES_OF_PLATFORM))
    ):
        default = unit.literal(call.given.get(1)) or fallback(unit, call.node)
        default = default or expressed(unit, call.given.get(1))
        yield Setting(name, kind, call.line, default, call.name == "getRequiredProperty")


def _of_system(unit: Unit, call: Called) -> Iterator[Setting]:
    """A property of the system that is read as a number or a truth value."""
    class_ = call.on.rpartition(".")[2]
    missing = _TYPED.get(f"{class_}.{call.name}")
    if missing is not None and (name := call.value(0)):
        second = call.given.get(1)
        default = missing or plain(unit, second) or expressed(unit, second)
        yield Setting(name, "key", call.line, default, type=class_.lower())


def _is_environment(unit: Unit, of: str) -> bool:
    """True for a receiver that is the system or Spring's environment."""
    if of.rpartition(".")[2] in ("env", "environment"):
        return unit.proof.of("Environment", ("org.springframework.core.env",))
    return of == "System"


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables and documents: classes with an annotation of a mapper, then objects of Exposed."""
    for noted, note, name in unit.marked(_ENTITIES):
        if noted.kind not in ("class", "interface"):
            continue
        table = noted.notes.get("Table") if name == "Entity" else note
        stored = table.value("name", "value", "collection", 0) if table else ""
        if not stored and name == "Entity":
            stored = note.value("tableName", "name")
        framework = "Room" if unit.proof.of(note.name, ("androidx.room",)) else "JPA"
        framework = framework if name in ("Entity", "MappedSuperclass") else "Spring Data"
        fields = list(unit.fields(noted.node))
        for field in fields:
            yield from _joint(noted.name, field)
        columns = filter(None, map(_column, fields))
        kind = _KINDS.get(name, "table")
        stored = stored.strip(_QUOTES) or noted.name
        yield entity(noted.node, stored, columns, noted.qualified, framework, kind)
    if unit.proof.any_of(_EXPOSED):
        yield from _exposed(unit)


def _column(field: Field) -> Column | None:
    notes = field.notes
    if any(name in notes for name in _TO_MANY) or field.name == "serialVersionUID":
        return None
    named = notes.get("Column") or notes.get("JoinColumn") or notes.get("ColumnInfo")
    name = named.value("name", "value", 0) if named else ""
    single = next((relation for relation in _TO_ONE if relation in notes), None)
    if single and notes[single].value("mappedBy"):
        return None  # The other table has the column.
    if single and not name:
        name = f"{field.name}_id"
    is_unique = bool(named and named.written_at("unique") == "true")
    target = field.type.rstrip("?") if single else ""
    is_key = bool({"Id", "EmbeddedId", "PrimaryKey"} & set(notes))
    name = name.strip(_QUOTES) or field.name
    return Column(name, field.type, is_key, is_unique, target, field.line)


def _joint(owner: str, field: Field) -> Iterator[Entity]:
    """The table of a field with many elements, where it and its columns are named."""
    table = next((note for name, note in field.notes.items() if name in _JOINTS), None)
    elements = _HELD.fullmatch(field.type)
    if table is None or elements is None or not table.value("name"):
        return
    own = _NAME_OF.findall(table.written_at("joinColumns"))
    theirs = _NAME_OF.findall(table.written_at("inverseJoinColumns"))
    columns = [Column(name, "", True, False, owner, field.line) for name in own]
    columns += [Column(name, "", True, False, elements[3], field.line) for name in theirs]
    if "Column" in field.notes and (name := field.notes["Column"].value("name")):
        columns.append(Column(name, elements[3], line=field.line))
    symbol = f"{owner}.{field.name}"
    yield entity(field.node, table.value("name"), columns, symbol, "JPA", "joint")


def _exposed(unit: Unit) -> Iterator[Entity]:
    """`object Users : Table("users") { val name = varchar("name", 50) }`"""
    columns: dict[str, list[Column]] = {}
    for call in unit.called:
        name = call.value(0)
        if call.name in _TYPES and not call.on and name:
            holder = call.caller.rpartition(".")[0] or call.caller
            target = ""
            if call.name in ("reference", "optReference"):
                target = unit.text(call.given.get(1)).partition(".")[0]
            columns.setdefault(holder, []).append(
                Column(name, call.name, references=target, line=call.line)
            )
    for symbol, base in unit.classes(*_TABLES):
        kind = _KEYED.get(base.partition("(")[0].rpartition(".")[2], "")
        keys = (Column("id", kind, True, line=symbol.line),) if kind else ()
        stored = _stored(unit, symbol.line) or symbol.name.removesuffix("Table") or symbol.name
        own = (*keys, *columns.get(symbol.qualified, ()))
        yield entity_of(symbol, stored, own, "Exposed")


def _stored(unit: Unit, line: int) -> str:
    """The name in `Table("users")` in the head of a declaration."""
    text = unit.data.split(b"\n")[line - 1].decode(errors="replace")
    match = re.search(r"Table\(\s*\"([^\"$]{1,100})\"", text)
    return match[1] if match else ""


def properties(unit: Unit, noted: Noted, note: Called) -> Iterator[Setting]:
    """The settings of a class of properties, one for each field, named as in its files; those of a
    field whose type is such a class are below it."""
    prefix = note.value("prefix", "value", 0)
    if not prefix or noted.kind != "class":
        return
    classes = {
        unit.scopes.at(node.start_byte).rpartition(".")[2]: node
        for node in unit.nodes["declared"]
        if node.type in _CLASSES
    }
    waiting = [(f"{prefix}.", noted.node, 0)]
    while waiting:
        above, holder, depth = waiting.pop(0)
        for field in unit.fields(holder):
            is_kotlin = unit.language == "Kotlin"
            is_hidden = is_kotlin and "private" in head_of(unit, field.node).words
            if is_hidden or not _GIVEN_BY_CONTAINER.isdisjoint(field.notes):
                continue
            value = _value(field.node)
            named = field.notes["Name"].value("value", 0) if "Name" in field.notes else ""
            is_flag = field.type == "boolean" and not is_kotlin
            own = _FLAG.sub("", field.name) if is_flag else field.name
            name = f"{above}{named or hyphened(own).lower()}"
            made = _MADE.fullmatch(unit.line(value)) if value is not None else None
            elements = _HELD.fullmatch(field.type or (made[1] if made else ""))
            below = classes.get(elements[3].rpartition(".")[2]) if elements else None
            if elements and below is not None and depth < _DEPTH_MAX:
                sign = "[]." if elements[1] else ".*." if elements[2] else "."
                waiting.append((f"{name}{sign}", below, depth + 1))
            else:
                yield _property(unit, name, field, value)


def mapped(unit: Unit, noted: Noted, note: Called) -> Iterator[Setting]:
    """The settings of an interface that Quarkus implements, one for each method; those of a method
    that returns such an interface are below it. One without a default is required, unless it is
    optional."""
    prefix = note.value("prefix")
    interfaces = {
        unit.part(node, "name"): node
        for node in unit.nodes["declared"]
        if node.type == "interface_declaration"
    }
    notes = {it.node.start_byte: it.notes for it in unit.noted}
    waiting = [(f"{prefix}." if prefix else "", noted.node, 0, True)]
    while waiting:
        above, holder, depth, is_there = waiting.pop(0)
        for method in inside(holder, "body"):
            if method.type != "method_declaration" or child(method, "body"):
                continue
            own = notes.get(method.start_byte, {})
            named = own["WithName"].value("value", 0) if "WithName" in own else ""
            name = f"{above}{named or hyphened(unit.part(method, 'name')).lower()}"
            type_ = unit.part(method, "type")
            inner = type_[9:-1] if type_.startswith("Optional<") else type_
            default = own["WithDefault"].value("value", 0) if "WithDefault" in own else None
            if inner in interfaces and depth < _DEPTH_MAX:
                path = above if "WithParentName" in own else f"{name}."
                waiting.append((path, interfaces[inner], depth + 1, is_there and inner == type_))
                continue
            is_required = default is None and is_there and not _MAY_BE_ABSENT.match(type_)
            doc = doc_above(unit, method)
            line = line_of(child(method, "name") or method)
            yield Setting(name, "key", line, default, is_required, doc, type=type_)


def _property(source: Unit, name: str, field: Field, value: Node | None) -> Setting:
    default = None
    if "DefaultValue" in field.notes:
        default = field.notes["DefaultValue"].value("value", 0)
    elif value is not None:
        default = _default(source, value, field.type.rstrip("?"))
    doc = doc_above(source, field.node)
    return Setting(name, "key", field.line, default, doc=doc, type=field.type)


def _default(source: Unit, value: Node, type_: str) -> str | None:
    """A plain value, a time as files write it, or the constant of an enum that is the type."""
    written = source.line(value)
    if duration := _DURATION.fullmatch(written):
        return f"{duration[2]}{_UNITS[duration[1]]}"
    named = _NAMED.fullmatch(written)
    return named[2] if named and named[1] == type_ else plain(source, value)


def _value(node: Node) -> Node | None:
    """The initial value of a field: in Kotlin what follows the sign."""
    declarator = child(node, "declarator")
    if declarator is not None:
        return child(declarator, "value")
    signs = [at for at, child in enumerate(node.children) if child.type == "="]
    return node.children[signs[0] + 1] if signs and signs[0] + 1 < node.child_count else None
