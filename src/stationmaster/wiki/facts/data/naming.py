"""Names as mappers give them: of tables between two others, and of columns in snake case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.catalogue.repositories.sql import sql
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.languages.inflections import camel, snake
from stationmaster.reading.code.stored import Entity
from stationmaster.wiki.facts.model import Facts

_CLASS = re.compile(r"\{(\w{1,100})\}")

_BY_CONSTANT = ("Drizzle",)
"""Mappers whose columns refer to the constants that hold tables."""


def named(facts: Facts, entities: Sequence[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """All by their paths; a table between two others once, where no other entity has its name and
    those that it is named after are there."""
    snakes = {it for it in {entity.framework for _, entity in entities} if _is_snake(facts, it)}
    plain = [item for item in entities if item[1].kind != "joint"]
    tables = {it.symbol.rpartition(".")[2]: it.name for _, it in plain if it.symbol}
    taken = {it.name.lower() for _, it in plain}
    for path, entity in plain:
        entity = _referring(entity, tables) if entity.framework in _BY_CONSTANT else entity
        yield path, _in_snake(entity) if entity.framework in snakes else entity
    for path, entity in entities:
        if entity.kind != "joint":
            continue
        columns = [
            msgspec.structs.replace(it, name=_with_tables(it.name, tables, is_column=True))
            for it in entity.columns
        ]
        name = _with_tables(entity.name, tables)
        joint = msgspec.structs.replace(entity, name=name, columns=tuple(columns), kind="table")
        joint = _in_snake(joint) if entity.framework in snakes else joint
        is_whole = "{" not in f"{joint.name}{[it.name for it in columns]}"
        if is_whole and joint.name.lower() not in taken:
            taken.add(joint.name.lower())
            yield path, joint


def _with_tables(name: str, tables: dict[str, str], *, is_column: bool = False) -> str:
    """A name with the tables of the classes that are in it; in a column their words are joined."""

    def table(match: re.Match[str]) -> str:
        written = tables.get(match[1], match[0])
        words = camel(snake(written)) if is_column and match[1] in tables else written
        return f"{words[:1].lower()}{words[1:]}" if is_column else words

    return _CLASS.sub(table, name)


def _referring(entity: Entity, tables: dict[str, str]) -> Entity:
    """An entity whose columns refer to tables by their names."""
    columns = []
    for column in entity.columns:
        constant, dot, key = column.references.partition(".")
        referred = f"{tables.get(constant, constant)}{dot}{key}"
        columns.append(msgspec.structs.replace(column, references=referred))
    return msgspec.structs.replace(entity, columns=tuple(columns))


def _in_snake(entity: Entity) -> Entity:
    columns = tuple(
        msgspec.structs.replace(it, name=it.name if it.name.isupper() else snake(it.name))
        for it in entity.columns
    )
    name = entity.name if entity.name.isupper() else snake(entity.name)
    return msgspec.structs.replace(entity, name=name, columns=columns)


def _is_snake(facts: Facts, framework: str) -> bool:
    """Is the project set up to have names in snake case from a mapper?"""
    return any(
        _has(facts, rule.form, rule.files)
        and not (rule.unless and _has(facts, rule.unless, rule.unless_in))
        for rule in sql().snake
        if rule.framework == framework
    )


def _has(facts: Facts, form: str, files: Sequence[str]) -> bool:
    texts = (facts.tree.text(path) for path in facts.tree.glob(*files))
    return any(compiled(form).search(text) is not None for text in texts)
