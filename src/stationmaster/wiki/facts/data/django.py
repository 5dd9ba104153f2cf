"""Tables of Django that no field declares: those of classes that only inherit their columns, those
of the history of others; and the key of those that declare none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import entity_of
from stationmaster.reading.code.stored import Column, Entity, EntityKind
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.model import Facts

FRAMEWORK = "Django"
_MODELS = frozenset({"models.Model", "Model", "object"})
_WITHOUT_TABLE = re.compile(r"\s+(?:abstract|proxy)\s*=\s*True\b")
_NAMED = re.compile(r"\s+db_table\s*=\s*[\"']([\w.]+)[\"']")
_POINTER = re.compile(r"\bparent_link\s*=\s*True\b")
_REMOVED = re.compile(r"\s+(\w+)\s*=\s*None\b")
"""A column that a class does not take over."""
_BROUGHT = code.table("python.entities.brought", dict[str, dict[str, str]])
"""The columns that models of packages bring, by the package and the class."""
_OF_HISTORY = (
    Column("history_id", "", is_key=True),
    Column("history_date", "DateTimeField"),
    Column("history_change_reason", "CharField"),
    Column("history_type", "CharField"),
    Column("history_user", "ForeignKey"),
)
"""What django-simple-history adds to the columns of a model."""

Declared = tuple[str, Entity]
Place = tuple[str, str]


class Models(NamedTuple):
    """All entities, of which those of Django are tables or bases; `tables` are the classes of
    Django's tables."""

    entities: tuple[Declared, ...]
    tables: frozenset[Place]

    def without_table(self, facts: Facts, place: Place) -> Iterator[Place]:
        """A class and all that it extends up to those that have tables of their own, the nearest
        first."""
        seen, level = {place: None}, [place]
        while level:
            yield from level
            above = (base for it in level for base in types(facts).bases(it))
            level = [it for it in dict.fromkeys(above) if it not in seen and it not in self.tables]
            seen.update(dict.fromkeys(level))

    def pointers(self, facts: Facts, path: str, entity: Entity) -> Iterator[Column]:
        """The columns by which a table refers to those of the classes that its own extends."""
        place = (path, entity.symbol)
        if place not in self.tables or not _is_table(entity):
            return
        if any(map(_POINTER.search, _body(facts, *place))):
            return
        above = [base for it in self.without_table(facts, place) for base in types(facts).bases(it)]
        parents = [it for it in dict.fromkeys(above) if it in self.tables and it != place]
        for number, (_, name) in enumerate(parents):
            own = f"{name.lower()}_ptr"
            yield Column(own, "OneToOneField", number == 0, True, name, entity.line)


def models(facts: Facts, entities: Sequence[Declared]) -> Models:
    """All entities with those of classes that declare no columns of their own below models, and
    without those of classes that are no models."""
    kinds = {
        (path, it.symbol): it.kind
        for path, it in entities
        if it.framework == FRAMEWORK and it.kind in ("table", "base")
    }
    known = [*entities, *_inheriting(facts, entities, kinds)]
    rows, others = list[Declared](), set[Place]()
    for path, it in known:
        if it.kind != "unproven":
            rows.append((path, it))
        elif _is_below(facts, (path, it.symbol), kinds):
            is_abstract = any(map(_WITHOUT_TABLE.match, _body(facts, path, it.symbol)))
            rows.append((path, replace(it, kind="base" if is_abstract else "table")))
            others |= {(path, it.symbol)} if is_abstract else set()
        else:
            others.add((path, it.symbol))
    rows = [
        (path, it)
        for path, it in rows
        if it.kind != "joint" or (path, it.symbol.rpartition(".")[0]) not in others
    ]
    tables = ((path, it.symbol) for path, it in rows if _is_table(it))
    return Models(tuple(rows), frozenset(tables))


def _is_table(entity: Entity) -> bool:
    return entity.framework == FRAMEWORK and entity.kind == "table"


def _is_below(facts: Facts, place: Place, kinds: Mapping[Place, EntityKind]) -> bool:
    """Does a class extend a model?"""
    above = [it for it in types(facts).around(place) if it in kinds and it != place]
    return any(kinds[it] == "table" or _is_model(facts, *it) for it in above)


def _inheriting(
    facts: Facts, entities: Sequence[Declared], kinds: Mapping[Place, EntityKind]
) -> Iterator[Declared]:
    """The tables of classes that declare no columns of their own, below models."""
    declared = {(path, it.symbol) for path, it in entities}
    for path, file in facts.code.items() if kinds else ():
        is_source = path.endswith(".py") and facts.records[path].file_class == "source"
        for symbol in file.symbols if is_source else ():
            place = (path, symbol.qualified)
            if symbol.kind != "class" or symbol.container or place in declared:
                continue
            if _is_below(facts, place, kinds):
                body = _body(facts, *place)
                named = next((it[1] for it in map(_NAMED.match, body) if it), symbol.name)
                if not any(map(_WITHOUT_TABLE.match, body)):
                    yield path, entity_of(symbol, named, (), FRAMEWORK)


def _body(facts: Facts, path: str, name: str) -> Sequence[str]:
    """The lines of a class below its head."""
    symbol = symbol_of(facts, path, name)
    return lines_of(facts, path)[symbol.line : symbol.end] if symbol else ()


def completed(facts: Facts, path: str, entity: Entity, models: Models) -> Entity:
    """A table with the columns that models of packages bring, and the key that Django gives it
    where no column is one; the history of a model as a table."""
    if entity.kind == "history":
        plain = (replace(it, is_key=False, is_unique=False) for it in entity.columns)
        own = (replace(it, line=entity.line) for it in _OF_HISTORY)
        return replace(entity, kind="table", columns=(*plain, *own))
    if entity.framework != FRAMEWORK or entity.kind != "table":
        return entity
    brought = (replace(it, line=entity.line) for it in _brought(facts, path, entity.symbol, models))
    columns = {it.name: it for it in (*brought, *entity.columns)}
    is_keyless = not any(it.is_key for it in columns.values())
    if is_keyless and _is_plain(facts, path, entity.symbol, models):
        columns = {"id": Column("id", "", is_key=True, line=entity.line)} | columns
    return replace(entity, columns=tuple(columns.values()))


def _is_model(facts: Facts, path: str, name: str) -> bool:
    """Does a class extend a model, and not only add to those that do?"""
    symbol = symbol_of(facts, path, name)
    return any(base.endswith("Model") for base in (symbol.bases if symbol else ()))


def _is_plain(facts: Facts, path: str, name: str, models: Models) -> bool:
    """Does a class extend models, all of which are known and none of which has a table itself?
    What else it extends, as a mixin that a call makes, has no key."""
    is_model = False
    for place in types(facts).around((path, name)):
        symbol = symbol_of(facts, *place)
        if symbol is None or (place != (path, name) and _has_table(facts, place, models)):
            return False
        for base in symbol.bases:
            is_known = base in _MODELS or _columns_of(facts, place[0], base) is not None
            is_model |= is_known and base != "object"
            is_other = not is_known and declaration(facts, place[0], base) is None
            if is_other and base.partition("[")[0].endswith("Model"):
                return False
    return is_model


def _has_table(facts: Facts, place: Place, models: Models) -> bool:
    """Is a class that others extend a model with a table of its own?"""
    if place in models.tables:
        return True
    symbol = symbol_of(facts, *place)
    is_bare = symbol is not None and not {*symbol.bases} - {"object"}
    is_other = is_bare or not any(_is_model(facts, *it) for it in types(facts).around(place))
    return not is_other and not any(map(_WITHOUT_TABLE.match, _body(facts, *place)))


def _brought(facts: Facts, path: str, name: str, models: Models) -> Iterator[Column]:
    """The columns that a model has of those of packages, also by its abstract models."""
    removed = {match[1] for match in map(_REMOVED.match, _body(facts, path, name)) if match}
    for place in reversed([*types(facts).around((path, name))]):
        symbol = symbol_of(facts, *place)
        is_own = place == (path, name) or not _has_table(facts, place, models)
        for base in symbol.bases if symbol and is_own else ():
            for column, type_ in (_columns_of(facts, place[0], base) or {}).items():
                if column not in removed:
                    yield Column(column.removeprefix("*"), type_, is_key=column.startswith("*"))


def _columns_of(facts: Facts, path: str, base: str) -> Mapping[str, str] | None:
    """The columns of a model of a package, as a file calls it; None for any other class."""
    bound = {name: it for it in facts.code[path].imports for name in it.bound}
    import_ = bound.get(base.partition(".")[0])
    package = import_.name.partition(".")[0] if import_ is not None and not import_.level else ""
    return _BROUGHT.get(f"{package}.{base.rpartition('.')[2]}")
