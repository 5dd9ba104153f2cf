"""Settings and entities of PHP: the environment, Eloquent, Laravel's migrations, Doctrine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.fallback import expressed, fallback
from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.languages.php import migrations
from stationmaster.reading.code.languages.source import entity, entity_of, inside, line_of
from stationmaster.reading.code.languages.unit import Called, Field, Unit
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_CHOICE = "default"

FRAMEWORK = "Eloquent"
_ELOQUENT = code.ordered("php.entities.eloquent")
_RELATIONS = code.names("php.entities.relations")
_MODELS = ("Model", "Authenticatable", "Pivot", "User")
_DOCTRINE = code.table("php.entities.doctrine", dict[str, tuple[str, ...]])
_TABLE = re.compile(rb"\$table\s*=\s*['\"]([\w.]{1,100})['\"]")
_TO_ONE = ("ManyToOne", "OneToOne")
_CASE = re.compile(r"\s*case\s+(\w+)\s*=\s*['\"]([A-Z][A-Z0-9_]{1,99})['\"]\s*;")
_ELSE = re.compile(r"\?\?\s*\$this->(\w+)\(\)")
_ARM = re.compile(
    r"\b(?:self|static)::(\w{1,99})\s*+(?:,\s*+)?+"
    r"(?:=>\s*+(\"[^\"\\$\n]{0,80}\"|'[^'\\\n]{0,80}'|-?\d[\d_.]{0,20}|true|false)(?=\s*+[,}]))?"
)
_OF_REQUESTS = re.compile(
    r"(?:HTTP|REQUEST|SERVER|REMOTE|SCRIPT|PATH|PHP|CONTENT|REDIRECT|SSL|ORIG|AUTH)_"
    r"|(?:QUERY_STRING|DOCUMENT_ROOT|GATEWAY_INTERFACE|HTTPS|UNIQUE_ID)$"
)
"""What web servers put into `$_SERVER` for each request."""
_TO_OTHERS = frozenset({"belongsTo", "hasOne"})
CALLS = frozenset({"env", "getenv"}) | _TO_OTHERS | migrations.CALLS


def settings(unit: Unit) -> Iterator[Setting]:
    """The variables in calls of `env` and `getenv`, and those of `$_ENV["NAME"]`."""
    rows = []
    enums: dict[str, str] = {}
    for call in unit.called:
        if call.name not in ("env", "getenv") or call.on:
            continue
        if name := call.value(0):
            rows.append(Setting(name, "env", call.line, _default(unit, call)))
        elif unit.text(call.given.get(0)) == "$this->value":
            enums.setdefault(call.caller.rpartition(".")[0], unit.text(_statement(call.node)))
    rows += _of_cases(unit, enums)
    for node in unit.nodes["index"]:
        inside = node.named_children
        holder = unit.text(inside[0]) if len(inside) == 2 else ""
        names = unit.texts(inside[1]) if holder in ("$_ENV", "$_SERVER") else []
        rows += [
            Setting(name, "env", line_of(node), fallback(unit, node))
            for name in names
            if holder == "$_ENV" or (name.isupper() and not _OF_REQUESTS.match(name))
        ]
    yield from sorted(chosen(unit, rows), key=lambda setting: (setting.line, setting.name))


def _statement(node: Node) -> Node:
    """The whole expression that a call is part of."""
    while node.parent is not None and not node.parent.type.endswith(("statement", "clause")):
        node = node.parent
    return node


def _of_cases(unit: Unit, enums: Mapping[str, str]) -> Iterator[Setting]:
    """The variables of enums whose cases are their names; for each enum what asks for them."""
    if not enums:
        return
    lines = unit.data.decode(errors="replace").split("\n")
    for symbol in unit.symbols:
        if symbol.kind == "enum" and symbol.qualified in enums:
            methods = _ELSE.findall(enums[symbol.qualified])
            defaults = {
                name: value
                for it in unit.symbols
                if it.container == symbol.qualified and it.name in methods
                for name, value in _of_match("\n".join(lines[it.line - 1 : it.end]))
            }
            for number in range(symbol.line, symbol.end + 1):
                if case := _CASE.match(lines[number - 1]):
                    yield Setting(case[2], "env", number, defaults.get(case[1]))


def _of_match(text: str) -> Iterator[tuple[str, str]]:
    """The cases of an enum to which a `match` gives a literal, with that."""
    cases: list[str] = []
    end = 0
    for arm in _ARM.finditer(text) if "match ($this)" in text else ():
        # What stands in the value of another case is none.
        cases = [*(cases if arm.start() == end else ()), arm[1]]
        end = arm.end()
        if value := arm[2]:
            yield from ((case, value.strip("'\"")) for case in cases)


def _default(unit: Unit, call: Called) -> str | None:
    second = call.given.get(1, "default") if call.name == "env" else None
    return fallback(unit, call.node) if second is None else expressed(unit, second)


def entities(unit: Unit) -> Iterator[Entity]:
    """The tables of Eloquent and Laravel's migrations, the tables and documents of Doctrine."""
    yield from _eloquent(unit)
    yield from migrations.migrated(unit)
    for noted, note, name in unit.marked(_DOCTRINE):
        table = noted.notes.get("Table") if name == "Entity" else note
        fields = list(unit.fields(noted.node))
        yield from filter(None, (_joint(noted.name, field) for field in fields))
        stored = table.value("name", "collection", 0).strip("`") if table else ""
        columns = filter(None, map(_column, fields))
        kind: EntityKind = "table" if name == "Entity" else "document"
        yield entity(noted.node, stored or noted.name, columns, noted.qualified, "Doctrine", kind)


def _eloquent(unit: Unit) -> Iterator[Entity]:
    proven = {it.qualified for it, base in unit.classes(*_MODELS) if unit.proof.of(base, _ELOQUENT)}
    # What is built on a base of the project's own is a model by how it leads to others.
    relating = {
        call.caller.rpartition(".")[0]
        for call in unit.every
        if call.name in _RELATIONS and call.on == "this"
    }
    for symbol in unit.symbols:
        is_model = symbol.qualified in proven or (symbol.bases and symbol.qualified in relating)
        is_abstract = "abstract" in symbol.signature.split()
        if not is_model or is_abstract or symbol.kind != "class":
            continue
        match = _TABLE.search(unit.data)
        columns = tuple(_leading_on(unit, symbol))
        name = match[1].decode() if match else plural(snake(symbol.name))
        yield entity_of(symbol, name, columns, FRAMEWORK)


def _leading_on(unit: Unit, model: Symbol) -> Iterator[Column]:
    """The columns of a model by which it belongs to others; what it `hasOne` of is one of these
    only where the model itself names the column, as in what may be filled."""
    for call in unit.called:
        if call.name not in _TO_OTHERS or not call.caller.startswith(f"{model.qualified}."):
            continue
        target = unit.text(call.given.get(0))
        usual = f"{snake(call.caller.rpartition('.')[2])}_id"
        is_own = call.name == "belongsTo" or f"'{usual}'".encode() in unit.data
        if target.endswith("::class") and is_own:
            name = (call.value(1) if call.name == "belongsTo" else "") or usual
            kind = target.removesuffix("::class").rpartition("\\")[2]
            yield Column(name, references=kind, line=call.line)


def is_named_by_class(model: Entity) -> bool:
    """Whether a model of Eloquent leaves it to its own name how its table is called."""
    last = model.symbol.rpartition(".")[2]
    return model.framework == FRAMEWORK and model.name == plural(snake(last))


def _joint(owner: str, field: Field) -> Entity | None:
    """The table between two others that a field of a class leads to."""
    table, relation = field.notes.get("JoinTable"), field.notes.get("ManyToMany")
    if relation is None or relation.value("mappedBy"):
        return None
    target = relation.written_at("targetEntity").removesuffix("::class").rpartition("\\")[2]
    is_other = "JoinColumn" in field.notes or (table and table.written_at("joinColumns"))
    if not target or is_other:
        return None  # Its columns are called otherwise than after the two.
    ends = (owner, target)
    columns = (Column(f"{snake(it)}_id", "", True, False, it, field.line) for it in ends)
    name = (table.value("name", 0) if table else "") or "_".join(map(snake, ends))
    return entity(field.node, name, columns, f"{owner}.{field.name}", "Doctrine", "joint")


def _column(field: Field) -> Column | None:
    notes = field.notes
    single = next((relation for relation in _TO_ONE if relation in notes), None)
    if single is not None and notes[single].value("mappedBy"):
        return None  # The other table has the column.
    if single is not None:
        own = notes.get("JoinColumn")
        name = (own.value("name", 0) if own else "") or f"{field.name}_id"
        target = notes[single].written_at("targetEntity").removesuffix("::class")
        return Column(name, field.type, references=target or field.type.strip("?"), line=field.line)
    note = notes.get("Column") or notes.get("Field") or notes.get("Id")
    if note is None:
        return None
    is_unique = note.written_at("unique") == "true"
    kind = note.value("type") or field.type
    return Column(note.value("name") or field.name, kind, "Id" in notes, is_unique, line=field.line)


def chosen(unit: Unit, settings: Sequence[Setting]) -> list[Setting]:
    """The settings, each without the default of a branch that is not chosen where the one that is
    reads the same variable."""
    made = list(settings)
    for own, others in _choices(unit):
        named = {it.name for it in made if it.line in own}
        made = [
            msgspec.structs.replace(it, default=None)
            if it.name in named and any(it.line in lines for lines in others)
            else it
            for it in made
        ]
    return made


def _choices(unit: Unit) -> Iterator[tuple[range, list[range]]]:
    """The lines of the branch that an array chooses by default, and those of the others."""
    for returned in unit.root.named_children:
        whole = returned.named_children[0] if returned.type == "return_statement" else None
        members = unit.pairs(whole)
        name = _text(unit, members.get(_CHOICE))
        for value in members.values() if name else ():
            branches = unit.pairs(value)
            if name in branches:
                own = branches.pop(name)
                yield _lines(own), [_lines(it) for it in branches.values()]


def _text(unit: Unit, node: Node | None) -> str:
    """A text, or the last argument of a call: `env('STORE', 'mysql')`."""
    while node is not None and node.type in ("function_call_expression", "cast_expression"):
        arguments = inside(node, "arguments") or node.named_children
        last = arguments[-1] if len(arguments) > 1 else None
        node = last.named_children[0] if last is not None and last.type == "argument" else last
    return unit.literal(node) or ""


def _lines(node: Node) -> range:
    return range(line_of(node), node.end_point[0] + 2)
