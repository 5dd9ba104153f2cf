"""Tables of Django that no field declares: those of classes that only inherit their columns, those
of the history of others; and the key of those that declare none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

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
    """A table with the key that Django gives it where no column is one; the history of a model as
    a table."""
    if entity.kind == "history":
        plain = (replace(it, is_key=False, is_unique=False) for it in entity.columns)
        own = (replace(it, line=entity.line) for it in _OF_HISTORY)
        return replace(entity, kind="table", columns=(*plain, *own))
    is_keyed = entity.kind != "table" or any(it.is_key for it in entity.columns)
    if entity.framework != _FRAMEWORK or is_keyed or not _is_plain(facts, path, entity.symbol):
        return entity
    key = Column("id", "", is_key=True, line=entity.line)
    return replace(entity, columns=(key, *entity.columns))


def _is_model(facts: Facts, path: str, name: str) -> bool:
    """Does a class extend a model, and not only add to those that do?"""
    symbol = symbol_of(facts, path, name)
    return any(base.endswith("Model") for base in (symbol.bases if symbol else ()))


def _is_plain(facts: Facts, path: str, name: str) -> bool:
    """Does a class extend nothing but models that are known, of which none has a table itself?"""
    for place in types(facts).around((path, name)):
        symbol = symbol_of(facts, *place)
        if symbol is None:
            return False
        body = lines_of(facts, place[0])[symbol.line : symbol.end]
        is_abstract = any(map(_WITHOUT_TABLE.match, body)) or not {*symbol.bases} - {"object"}
        if not is_abstract and place != (path, name):
            return False
        for base in symbol.bases:
            if base not in _MODELS and declaration(facts, place[0], base) is None:
                return False
    return True
