"""What mappers of JavaScript store: TypeORM, MikroORM, Sequelize, Drizzle, Mongoose, Knex,
Kysely."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript import knex
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.source import child, entity, first_child, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_CLASSES = code.table("ecmascript.entities.classes", dict[str, tuple[str, EntityKind]])
_FRAMEWORKS = [(name.partition(":")[0], row[0]) for name, row in _CLASSES.items()]
_FIELDS = code.names("ecmascript.entities.fields")
_TABLES = re.compile(r"drizzle-orm/(\w{1,20})-core:\1Table")
_REFERENCES = re.compile(r"references\(\s{0,20}\(\)[^=]{0,60}=>\s{0,20}([\w.]{1,80})")
_TARGET = re.compile(r"=>\s{0,20}(\w{1,80})")
_TYPE = re.compile(r"\w{1,60}")
_FIRST = re.compile(r"\w{1,60}\(\s{0,20}[\"'`](\w{1,100})[\"'`]")
"""A call with a name before all else."""
_TO_ONE = ("ManyToOne", "OneToOne")
_NAMED = code.ordered("ecmascript.entities.named_by")
_SNAKE = ("TypeORM", "MikroORM")
"""Frameworks that name tables after classes in snake case."""


def read(module: Module) -> tuple[Entity, ...]:
    """The tables and documents that a module declares, by line and name."""
    found = [*_drizzle(module), *_mongoose(module), *_sequelize(module), *knex.read(module)]
    if module.packages.intersection(name.partition(":")[0] for name in _CLASSES):
        found += _decorated(module)
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _decorated(module: Module) -> Iterator[Entity]:
    columns: dict[str, list[Column]] = defaultdict(list)
    for definition in module.definitions:
        if definition.kind == "property":
            holder = module.scopes.at(definition.node.end_byte - 1).rpartition(".")[0]
            decorators = {it.origin.rpartition(":")[2]: it for it in definition.decorators}
            column = _field(module, definition, decorators)
            if column is not None:
                columns[holder].append(column)
            elif "JoinTable" in decorators and "ManyToMany" in decorators:
                yield from _joint(module, holder, definition, decorators)
    for each in module.definitions:
        is_stored = any(it.origin in _CLASSES for it in each.decorators)
        if each.kind == "class" and columns[each.name] and not is_stored:
            framework = next(it for it in _FRAMEWORKS if it[0] in module.packages)[1]
            yield entity(each.node, each.name, columns[each.name], each.name, framework, "base")
        for decorator in each.decorators if each.kind == "class" else ():
            known = _CLASSES.get(decorator.origin)
            if known is None:
                continue
            given = decorator.given
            stated = _told(module, decorator)
            named = [stated.get(key) for key in ("name", "tableName", "collection")]
            names = [name for node in (given.get(0), *named) if (name := module.value(node))]
            framework, kind = known
            usual = snake(each.name) if framework in _SNAKE else each.name
            if framework == "Mongoose":
                columns[each.name] += _times(module, stated, columns[each.name])
                usual = plural(each.name.lower())
            name = names[0] if names else usual
            yield entity(each.node, name, columns[each.name], each.name, framework, kind)


def _told(module: Module, decorator: Called | None) -> dict[str, Node]:
    """The members of the objects that a decorator is given, by name."""
    given = [decorator.given.get(place) for place in range(3)] if decorator else []
    return {name: node for each in given for name, node in module.members(each).items()}


def _field(module: Module, each: Definition, decorators: Mapping[str, Called]) -> Column | None:
    """The column of a property; None for a relation whose column another table has."""
    name = next((it for it in decorators if it in _FIELDS), "")
    if not name:
        return None
    mapper = decorators[name].origin.partition(":")[0]
    stated = {
        key: it
        for decorator in decorators.values()
        if decorator.origin.partition(":")[0] == mapper
        for key, it in _told(module, decorator).items()
    }
    is_inverse = "mappedBy" in stated or (mapper == "typeorm" and "JoinColumn" not in decorators)
    if name == "OneToOne" and is_inverse:
        return None
    text = module.line(decorators[name].node, 200)
    kind = module.part(each.node, "type").removeprefix(":").strip()
    target = _TARGET.search(text) if name in (*_TO_ONE, "ForeignKey") else None
    usual = f"{each.name}Id" if name in _TO_ONE else each.name
    named = (module.value(stated.get(key)) for key in _NAMED)
    return Column(
        next(filter(None, named), usual),
        kind,
        name.startswith("Primary"),
        "unique: true" in text,
        target[1] if target else _referred(module, stated),
        line_of(each.node),
    )


def _joint(
    module: Module, owner: str, each: Definition, decorators: Mapping[str, Called]
) -> Iterator[Entity]:
    """The table between two others; what is not named is called after their tables."""
    target = _TARGET.search(module.line(decorators["ManyToMany"].node, 200))
    if target is None:
        return
    stated = _told(module, decorators["JoinTable"])
    ends = []
    for key, to in (("joinColumn", owner), ("inverseJoinColumn", target[1])):
        name = module.value(module.members(stated.get(key)).get("name"))
        ends.append(Column(name or f"{{{to}}}Id", "", True, references=to, line=line_of(each.node)))
    name = module.value(stated.get("name")) or f"{{{owner}}}_{snake(each.name)}_{{{target[1]}}}"
    yield entity(each.node, name, ends, f"{owner}.{each.name}", "TypeORM", "joint")


def _drizzle(module: Module) -> Iterator[Entity]:
    modules = [package for package in module.packages if package.startswith("drizzle-orm/")]
    for called, origin in module.calls_of(*sorted(modules)):
        given = called.given
        name = module.value(given.get(0))
        if not _TABLES.fullmatch(origin) or name is None:
            continue
        columns = []
        for key, value in module.members(given.get(1)).items():
            text = module.line(value, 200)
            references = _REFERENCES.search(text)
            kind, named = _TYPE.match(text), _FIRST.match(text)
            columns.append(
                Column(
                    named[1] if named else key,
                    kind[0] if kind else "",
                    ".primaryKey(" in text,
                    ".unique(" in text,
                    references[1] if references else "",
                    line_of(value),
                )
            )
        yield entity(called.node, name, columns, module.owner(called.node), "Drizzle")


def _mongoose(module: Module) -> Iterator[Entity]:
    for called, origin in module.calls_of("mongoose"):
        if origin not in ("mongoose:model", "mongoose:default.model"):
            continue
        given = called.given
        name = module.value(given.get(0))
        made = module.made(given.get(1))
        if name is None or made is None or made.maker != "mongoose:Schema" or made.call is None:
            continue
        arguments = module.given(made.call)
        options = module.members(arguments.get(1))
        columns = [_column(module, *item) for item in module.members(arguments.get(0)).items()]
        columns += _times(module, options, columns)
        named = module.value(given.get(2)) or module.value(options.get("collection"))
        stored = named or plural(name.lower())
        yield entity(made.call, stored, columns, module.owner(made.call), "Mongoose", "document")


def _times(module: Module, options: Mapping[str, Node], own: list[Column]) -> list[Column]:
    """The fields that Mongoose sets where it is asked for times of changes, beside its own."""
    node = options.get("timestamps")
    if node is None or module.text(node) != "true":
        return []
    names = {"createdAt", "updatedAt"}.difference(column.name for column in own)
    return [Column(name, "Date", line=line_of(node)) for name in sorted(names)]


def _column(module: Module, name: str, value: Node) -> Column:
    """A field of a schema: its type, or an object that tells it."""
    members = module.members(value)
    kind = members.get("type", value)
    text = module.line(kind, 60).rpartition(".")[2] if kind.type != "object" else "object"
    return Column(
        module.value(members.get("field")) or name,
        text,
        module.text(members.get("primaryKey")) == "true",
        module.text(members.get("unique")) == "true",
        _referred(module, members),
        line_of(value),
    )


def _referred(module: Module, members: Mapping[str, Node]) -> str:
    """The model or table that the options of a field name: `ref: "User"`, `ref: User.name`,
    `references: { model: { tableName: "users" } }`; '' for none."""
    node = members.get("ref") or module.members(members.get("references")).get("model")
    node = module.members(node).get("tableName", node)
    if text := module.value(node):
        return text
    body = child(node, "body")
    node = body or node  # `ref: () => User`
    is_name = node is not None and node.type in ("identifier", "member_expression")
    return module.text(node).removesuffix(".name") if is_name else ""


def _sequelize(module: Module) -> Iterator[Entity]:
    if "sequelize" not in module.packages:
        return
    models = {
        definition.name
        for definition in module.definitions
        if definition.kind == "class" and _is_model(module, definition)
    }
    for called in module.calls:
        given = called.given if called.name in ("define", "init") else None
        if given is None or called.of is None:
            continue
        holder = module.text(called.of)
        if called.name == "define" and module.reach(called.of, "") == "sequelize:Sequelize>":
            name, table, symbol = module.value(given.get(0)), given.get(1), ""
        elif called.name == "init" and holder in models:
            members = module.members(given.get(1))
            name = module.value(members.get("tableName")) or module.value(members.get("modelName"))
            name, table, symbol = name or holder, given.get(0), holder
        else:
            continue
        columns = tuple(_column(module, key, value) for key, value in module.members(table).items())
        if name and columns:
            yield entity(
                called.node, name, columns, symbol or module.owner(called.node), "Sequelize"
            )


def _is_model(module: Module, each: Definition) -> bool:
    head = first_child(each.node, "class_heritage")
    text = module.text(head).replace("extends", "").strip().partition("<")[0].strip()
    first, dot, rest = text.partition(".")
    origin = module.names.get(first, "")
    return (f"{origin}:{rest}" if dot else origin) == "sequelize:Model"
