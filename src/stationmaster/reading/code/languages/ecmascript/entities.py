"""What mappers of JavaScript store: TypeORM, MikroORM, Sequelize, Drizzle, Mongoose, Knex,
Kysely."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript import knex
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.source import entity, first_child, line_of
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_CLASSES = code.table("ecmascript.entities.classes", dict[str, tuple[str, EntityKind]])
_FRAMEWORKS = [(name.partition(":")[0], row[0]) for name, row in _CLASSES.items()]
_FIELDS = code.names("ecmascript.entities.fields")
_TABLES = re.compile(r"drizzle-orm/(\w{1,20})-core:\1Table")
_REFERENCES = re.compile(r"references\(\s{0,20}\(\)[^=]{0,60}=>\s{0,20}([\w.]{1,80})")
_TARGET = re.compile(r"=>\s{0,20}(\w{1,80})")
_TYPE = re.compile(r"\w{1,60}")


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
            column = _field(module, definition)
            if column is not None:
                columns[holder].append(column)
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
            told = module.members(given.get(0)) or module.members(given.get(1))
            named = [told.get(key) for key in ("name", "tableName", "collection")]
            names = [name for node in (given.get(0), *named) if (name := module.value(node))]
            framework, kind = known
            yield entity(
                each.node,
                names[0] if names else each.name,
                columns[each.name],
                each.name,
                framework,
                kind,
            )


def _field(module: Module, each: Definition) -> Column | None:
    for decorator in each.decorators:
        name = decorator.origin.rpartition(":")[2]
        if name not in _FIELDS:
            continue
        text = module.source.line(decorator.node, 200)
        kind = module.part(each.node, "type").removeprefix(":").strip()
        target = _TARGET.search(text) if name in ("ManyToOne", "OneToOne", "ForeignKey") else None
        return Column(
            each.name,
            kind,
            name.startswith("Primary"),
            "unique: true" in text,
            target[1] if target else "",
            line_of(each.node),
        )
    return None


def _drizzle(module: Module) -> Iterator[Entity]:
    modules = [package for package in module.packages if package.startswith("drizzle-orm/")]
    for called, origin in module.calls_of(*sorted(modules)):
        given = called.given
        name = module.value(given.get(0))
        if not _TABLES.fullmatch(origin) or name is None:
            continue
        columns = []
        for key, value in module.members(given.get(1)).items():
            text = module.source.line(value, 200)
            references = _REFERENCES.search(text)
            kind = _TYPE.match(text)
            columns.append(
                Column(
                    key,
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
        columns = tuple(
            _column(module, key, value)
            for key, value in module.members(module.arguments(made.call).get(0)).items()
        )
        yield entity(made.call, name, columns, module.owner(made.call), "Mongoose", "document")


def _column(module: Module, name: str, value: Node) -> Column:
    """A field of a schema: its type, or an object that tells it."""
    members = module.members(value)
    kind = members.get("type", value)
    text = module.source.line(kind, 60).rpartition(".")[2] if kind.type != "object" else "object"
    references = module.value(members.get("ref")) or ""
    if not references:
        references = module.value(module.members(members.get("references")).get("model")) or ""
    return Column(
        name,
        text,
        module.text(members.get("primaryKey")) == "true",
        module.text(members.get("unique")) == "true",
        references,
        line_of(value),
    )


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
