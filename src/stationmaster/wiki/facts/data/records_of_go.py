"""Tables of gorm and others like it: which fields of their structs hold other records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.stored import Column, Entity
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.model import Facts, query

_ORMS = frozenset({"gorm", "xorm", "bun"})
_PACKAGES = ("gorm.io/gorm", "github.com/jinzhu/gorm")
_NAMING = re.compile(r"\b(?:SingularTable|TablePrefix|NamingStrategy|DefaultTableNameHandler)\b")
_KEYED = frozenset({"gorm", "xorm"})
"""Mappers whose tables have a key."""
_NUMBERED = re.compile(r"(?:^|/)migrations?/(?:[^/]{1,80}/){0,3}v?\d[^/]{0,120}\.go\Z")
"""A migration: its structs are for its own queries."""
_TYPE = re.compile(r"\*?(?:\[\]\*?)?(?:\w{1,60}\.)?(\w{1,100})")


def joined(facts: Facts, entities: Sequence[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """All, those of Go with columns alone: what holds another record has none, but the column with
    its key leads there. gorm names tables in the plural where a program does not name them. A
    struct without a name for a table and a key holds what a query finds."""
    models = {entity.symbol for _, entity in entities if entity.framework in _ORMS}
    for path, entity in entities:
        if entity.framework not in _ORMS:
            yield path, entity
            continue
        is_keyed = any(column.is_key for column in entity.columns) or entity.framework not in _KEYED
        if _NUMBERED.search(path) or (entity.name == entity.symbol and not is_keyed):
            continue
        held = {
            f"{column.name}_id": kind[1]
            for column in entity.columns
            if (kind := _TYPE.fullmatch(column.type)) and kind[1] in models
        }
        columns = tuple(
            column.marked(Column("", references=held.get(column.name, "")))
            for column in entity.columns
            if f"{column.name}_id" not in held
        )
        is_named = entity.framework != "gorm" or entity.name != entity.symbol
        name = entity.name if is_named or _names_itself(facts) else plural(snake(entity.name))
        yield path, msgspec.structs.replace(entity, name=name, columns=columns)


@query
def _names_itself(facts: Facts) -> bool:
    """Has the program rules of its own for names of tables?"""
    users = {path for package in _PACKAGES for path, _ in users_of_outside(facts, package)}
    return any(_NAMING.search(facts.tree.text(path)) for path in sorted(users))
