"""Tables of Django that no field declares: those of classes that only inherit their columns, those
of the history of others; and the key of those that declare none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import entity_of
from stationmaster.reading.code.stored import Column, Entity
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.model import Facts

_FRAMEWORK = "Django"
_MODELS = frozenset({"models.Model", "Model", "object"})
_WITHOUT_TABLE = re.compile(r"\s+(?:abstract|proxy)\s*=\s*True\b")
_NAMED = re.compile(r"\s+db_table\s*=\s*[\"']([\w.]+)[\"']")
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


def inheriting(facts: Facts, entities: Sequence[Declared]) -> Iterator[Declared]:
    """The tables of classes that declare no columns of their own, below abstract models."""
    kinds = {(path, it.symbol): it.kind for path, it in entities if it.framework == _FRAMEWORK}
    if "base" not in kinds.values():
        return
    for path, file in facts.code.items():
        is_source = path.endswith(".py") and facts.records[path].file_class == "source"
        for symbol in file.symbols if is_source else ():
            if symbol.kind != "class" or symbol.container or (path, symbol.qualified) in kinds:
                continue
            above = [it for it in types(facts).around((path, symbol.qualified)) if it in kinds]
            body = lines_of(facts, path)[symbol.line : symbol.end] if above else ()
            is_abstract = any(map(_WITHOUT_TABLE.match, body))
            is_below = above and all(kinds[it] == "base" for it in above)
            if is_below and not is_abstract and any(_is_model(facts, *it) for it in above):
                named = next((it[1] for it in map(_NAMED.match, body) if it), symbol.name)
                yield path, entity_of(symbol, named, (), _FRAMEWORK)


def completed(facts: Facts, path: str, entity: Entity) -> Entity:
    """A table with the columns that models of packages bring, and the key that Django gives it
    where no column is one; the history of a model as a table."""
    if entity.kind == "history":
        plain = (replace(it, is_key=False, is_unique=False) for it in entity.columns)
        own = (replace(it, line=entity.line) for it in _OF_HISTORY)
        return replace(entity, kind="table", columns=(*plain, *own))
    if entity.framework != _FRAMEWORK or entity.kind != "table":
        return entity
    brought = (replace(it, line=entity.line) for it in _brought(facts, path, entity.symbol))
    columns = {it.name: it for it in (*brought, *entity.columns)}
    if not any(it.is_key for it in columns.values()) and _is_plain(facts, path, entity.symbol):
        columns = {"id": Column("id", "", is_key=True, line=entity.line)} | columns
    return replace(entity, columns=tuple(columns.values()))


def _is_model(facts: Facts, path: str, name: str) -> bool:
    """Does a class extend a model, and not only add to those that do?"""
    symbol = symbol_of(facts, path, name)
    return any(base.endswith("Model") for base in (symbol.bases if symbol else ()))


def _is_plain(facts: Facts, path: str, name: str) -> bool:
    """Does a class extend models, all of which are known and none of which has a table itself?
    What else it extends, as a mixin that a call makes, has no key."""
    is_model = False
    for place in types(facts).around((path, name)):
        symbol = symbol_of(facts, *place)
        if symbol is None or (place != (path, name) and _has_table(facts, *place)):
            return False
        for base in symbol.bases:
            is_known = base in _MODELS or _columns_of(facts, place[0], base) is not None
            is_model |= is_known and base != "object"
            is_other = not is_known and declaration(facts, place[0], base) is None
            if is_other and base.partition("[")[0].endswith("Model"):
                return False
    return is_model


def _has_table(facts: Facts, path: str, name: str) -> bool:
    """Is a class that others extend a model with a table of its own?"""
    symbol = symbol_of(facts, path, name)
    body = lines_of(facts, path)[symbol.line : symbol.end] if symbol else ()
    is_bare = symbol is not None and not {*symbol.bases} - {"object"}
    return not is_bare and not any(map(_WITHOUT_TABLE.match, body))


def _brought(facts: Facts, path: str, name: str) -> Iterator[Column]:
    """The columns that a model has of those of packages, also by its abstract models."""
    own = symbol_of(facts, path, name)
    body = lines_of(facts, path)[own.line : own.end] if own else ()
    removed = {match[1] for match in map(_REMOVED.match, body) if match}
    for place in reversed([*types(facts).around((path, name))]):
        symbol = symbol_of(facts, *place)
        is_own = place == (path, name) or not _has_table(facts, *place)
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
