"""What Python's object-relational mappers store."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Assigned, Module
from stationmaster.reading.code.languages.source import child, entity, line_of
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_FIELDS = code.table("python.entities.fields", tuple[tuple[str, str], ...])
_BASES = code.words("python.entities.bases")
_MAKERS = code.ordered("python.entities.makers")
_MANY = code.names("python.entities.many")
_RELATIONS = code.names("python.entities.relations")
_LIKE_DJANGO = ("Field", "ForeignKey")
"""How the names of what makes a field of Django end, also of subclasses of these."""
_HISTORY = "simple_history.models.HistoricalRecords"
_SQL = frozenset({"SQLAlchemy", "SQLModel"})


def read(module: Module) -> tuple[Entity, ...]:
    """The tables and documents that a module declares, by line and name."""
    found = [*_tables(module)]
    metas = {
        module.scopes.at(definition.node.start_byte): definition
        for definition in module.definitions
        if definition.name == "Meta" and definition.is_class
    }
    for each in module.definitions:
        if each.is_class:
            found += _entity(module, each, metas)
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _entity(module: Module, each: Definition, metas: dict[str, Definition]) -> Iterator[Entity]:
    """`metas` are the classes `Meta`."""
    attributes = module.attributes.get(each.node.start_byte, [])
    bases = module.bases(each)
    framework = _framework(module, bases, attributes)
    is_proven = bool(framework)
    if not is_proven and any(_is_like_of_django(module, it.value) for it in attributes):
        framework = "Django"
    if not framework or not (is_proven or bases):
        return
    columns = [it for attribute in attributes if (it := _column(module, attribute, framework))]
    qualified = module.scopes.at(each.node.start_byte)
    meta = _meta(module, each, metas)
    is_mapped = any(module.text(base) != "object" for base in bases)
    is_table = is_mapped and _is_table(module, each, framework, attributes)
    if is_proven and ("True" in meta.get("abstract", "") or not is_table):
        yield entity(each.node, each.name, columns, qualified, framework, "base")
        return
    if not columns:
        return
    named = next((a.value for a in attributes if a.name == "__tablename__"), None)
    name = module.value(named) or meta.get("db_table") or meta.get("table") or each.name
    if framework == "SQLModel" and named is None:
        name = each.name.lower()
    elif named is None and any(module.text(base) == "db.Model" for base in bases):
        name = snake(each.name)  # Flask-SQLAlchemy
    kind: EntityKind = "document" if framework == "MongoEngine" else "table"
    kind = kind if is_proven else "unproven"
    yield entity(each.node, name, columns, qualified, framework, kind)
    if framework == "Django":
        for attribute in attributes:
            yield from _joint(module, each.name, name, attribute)
            if module.origin(child(attribute.value, "function")) == _HISTORY:
                given = module.given(attribute.value)
                own = module.value(given.get("table_name")) or f"Historical{each.name}"
                yield entity(each.node, own, columns, qualified, framework, "history")


def _joint(module: Module, owner: str, table: str, each: Assigned) -> Iterator[Entity]:
    """The table between two others that Django makes for a field, where no model is named for it.
    The columns are called after the other model, which a text or the name of a class tells."""
    if each.value is None or each.value.type != "call":
        return
    given = module.given(each.value)
    maker = module.part(each.value, "function").rpartition(".")[2]
    target = given.get(0, "to")
    if maker != "ManyToManyField" or target is None or "through" in given.named:
        return
    other = (module.value(target) or module.line(target, 80)).rpartition(".")[2]
    is_class = other.isidentifier() and other[0].isupper() and not other.isupper()
    if not (is_class or module.value(target)):
        return
    ends = [owner.lower(), other.lower()]
    if other in ("self", owner):
        ends, other = [f"from_{ends[0]}", f"to_{ends[0]}"], owner
    name = module.value(given.get("db_table")) or f"{table}_{each.name}"
    columns = [
        Column(f"{end}_id", "", False, False, to, line_of(each.node))
        for end, to in zip(ends, (owner, other), strict=True)
    ]
    yield entity(each.node, name, columns, f"{owner}.{each.name}", "Django", "joint")


def _framework(module: Module, bases: list[Node], attributes: list[Assigned]) -> str:
    """Whose a class is, proven by a base or by what makes a column."""
    for base in bases:
        if known := _BASES.get(module.origin(base)):
            return known
        if module.origin(base) == "sqlmodel.SQLModel":
            return "SQLModel"
    for attribute in attributes:
        if attribute.value is not None and attribute.value.type == "call":
            framework = _of_field(module, attribute.value)
            if framework:
                return framework
    for each in attributes:
        if each.type is not None and module.text(each.type).startswith("Mapped["):
            return "SQLAlchemy" if "sqlalchemy" in module.packages else ""
    return ""


def _is_like_of_django(module: Module, call: Node | None) -> bool:
    """Is a value made as a field of Django is, by what may be a subclass of one?"""
    function = child(call, "function") if call is not None and call.type == "call" else None
    name = module.text(function).rpartition(".")[2]
    is_form = module.origin(function).startswith("django.forms")
    return name != "Field" and name.endswith(_LIKE_DJANGO) and not is_form


def _of_field(module: Module, call: Node) -> str:
    function = child(call, "function")
    name = _origin(module, function).rpartition(".")[2]
    return _of_maker(module, function) if name.endswith(_MAKERS) else ""


def _of_maker(module: Module, function: Node | None) -> str:
    """Whose a function is that makes a column or a table."""
    origin = _origin(module, function)
    name = origin.rpartition(".")[2]
    for begin, framework in _FIELDS:
        if origin.startswith(begin):
            return "SQLAlchemy" if framework == "SQLModel" and name == "Column" else framework
    is_shared = origin.endswith(f"db.{name}") and module.text(function) == f"db.{name}"
    return "SQLAlchemy" if is_shared and name in ("Column", "Table") else ""


def _origin(module: Module, function: Node | None) -> str:
    origin = module.origin(function)
    if not origin and function is not None and function.type == "attribute":
        holder = child(function, "object")
        return module.reach(holder, module.part(function, "attribute"))
    return origin


def _is_table(module: Module, each: Definition, framework: str, attributes: list[Assigned]) -> bool:
    """Is it stored by itself? Mappers of SQL need to be told, by a name or a key."""
    if framework not in _SQL:
        return True
    if any(a.name == "__abstract__" for a in attributes):
        return False
    if framework == "SQLModel":
        given = child(each.node, "superclasses")
        return "table=True" in module.text(given).replace(" ", "")
    if any(a.name in ("__tablename__", "__table__") for a in attributes):
        return True
    keys = (a for a in attributes if a.value is not None and a.value.type == "call")
    return any("primary_key" in module.given(a.value).named for a in keys)


def _column(module: Module, each: Assigned, framework: str) -> Column | None:
    value = each.value
    is_call = value is not None and value.type == "call"
    function = child(value, "function") if value is not None and is_call else None
    maker = module.text(function).rpartition(".")[2]
    text = module.text(each.type)
    if framework in _SQL:
        if each.name.startswith("__") or maker in ("relationship", "Relationship"):
            return None
        is_made = maker.endswith(("olumn", "Field")) or text.startswith("Mapped[")
        is_bare = framework == "SQLModel" and text and "ClassVar" not in text
        if not is_made and not is_bare:
            return None
        return _sql_column(module, each.name, text, value if is_call else None, line_of(each.node))
    if not maker.endswith(_MAKERS) or maker in (
        _MANY if framework == "Django" else _MANY - _RELATIONS
    ):
        return None
    if module.origin(function).startswith("django.forms"):
        return None
    given = module.given(value)
    references = ""
    if maker in _RELATIONS:
        target = given.get(0, "to", "model", "model_name")
        references = module.value(target) or module.line(target, 80)
    return Column(
        each.name,
        maker,
        "primary_key" in given.named or "pk" in given.named,
        module.text(given.get("unique")) == "True" or maker == "OneToOneField",
        references,
        line_of(each.node),
    )


def _sql_column(module: Module, name: str, annotation: str, call: Node | None, line: int) -> Column:
    given = module.given(call)
    kind, references = "", ""
    for node in given.at:
        text = module.value(node)
        function = child(node, "function") if node.type == "call" else None
        if text is not None:
            name = text if annotation == "" or "Mapped" in annotation else name
        elif module.text(function).endswith("ForeignKey"):
            references = module.value(module.given(node).get(0)) or ""
        elif not kind and node.type in ("identifier", "attribute", "call"):
            kind = module.line(node, 60)
    references = module.value(given.get("foreign_key")) or references
    if not kind and annotation:
        inside = annotation.removeprefix("Mapped[")
        kind = inside.removesuffix("]") if inside != annotation else annotation
    return Column(
        name,
        kind.rpartition("sa.")[2],
        module.text(given.get("primary_key")) == "True",
        module.text(given.get("unique")) == "True",
        references,
        line,
    )


def _tables(module: Module) -> Iterator[Entity]:
    """`Table("name", metadata, Column(…), …)`, and `db.Table` of Flask, which has the metadata."""
    for called in module.calls:
        if called.name != "Table" or _of_maker(module, called.function) != "SQLAlchemy":
            continue
        given = called.given
        name = module.value(given.get(0, "name"))
        columns = [
            _sql_column(module, "", "", node, line_of(node))
            for node in given.at[1:]
            if node.type == "call" and _of_field(module, node) == "SQLAlchemy"
        ]
        if name and columns:
            yield entity(called.node, name, columns, called.caller, "SQLAlchemy")


def _meta(module: Module, each: Definition, metas: dict[str, Definition]) -> dict[str, str]:
    """The texts that the inner class `Meta` says, or what stands there otherwise."""
    inner = metas.get(f"{module.scopes.at(each.node.start_byte)}.Meta")
    if inner is None or not each.node.start_byte <= inner.node.start_byte < each.node.end_byte:
        return {}
    return {
        a.name: module.value(a.value) or module.line(a.value, 40)
        for a in module.attributes.get(inner.node.start_byte, ())
    }
