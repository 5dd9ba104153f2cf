"""Tables of gorm and others like it: which fields of their structs are other records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.stored import Column, Entity
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.model import Facts, query

ORMS = frozenset({"gorm", "xorm", "bun"})
_PACKAGES = ("gorm.io/gorm", "github.com/jinzhu/gorm")
_NAMING = re.compile(r"\b(?:SingularTable|TablePrefix|NamingStrategy|DefaultTableNameHandler)\b")
_PLURAL = frozenset({"gorm", "bun"})
_KEYED = frozenset({"gorm", "xorm"})
"""Mappers whose tables have a key."""
_NUMBERED = re.compile(r"(?:^|/)migrations?/(?:[^/]{1,80}/){0,3}v?\d[^/]{0,120}\.go\Z")
"""A migration: its structs are for its own queries."""
_EMPTY = re.compile(
    r"(?:AutoMigrate\(|[,{])\s{0,40}(?:&?(?:\w{1,60}\.)?(\w{1,100})\{\}"
    r"|new\((?:\w{1,60}\.)?(\w{1,100})\))"
)
"""A record without values, in a list or as what is asked for."""
_TYPE = re.compile(r"\*?(?:\[\]\*?)?(?:\w{1,60}\.)?(\w{1,100})")


def joined(facts: Facts, entities: Sequence[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """All, those of Go only with columns: a field of another record is none, but the column with
    its key refers there. gorm and bun name tables in the plural where a program does not name them.
    A struct without a name for a table and a key is for results of a query, or a part of others; as
    is one of xorm that no other package sees, and one of gorm that a list of most lacks."""
    records: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for path, entity in entities:
        if entity.framework in ORMS and entity.kind != "joint":
            records[entity.symbol].append((path, entity))
    migrated = _migrated(facts) if records else frozenset()
    is_listed = 2 * len(migrated & records.keys()) > len(records)
    shared = _shared(records)
    parts = _parts(it for places in records.values() for _, it in places)
    for path, entity in entities:
        if entity.framework not in ORMS or entity.kind == "joint":
            yield path, _of_ent(entity) if entity.framework == "ent" else entity
            continue
        columns = _whole(records, shared, path, entity.columns, set())
        is_named = entity.name != entity.symbol
        is_keyed = any(it.is_key for it in columns)
        is_keyed = is_keyed or (entity.framework not in _KEYED and entity.symbol not in parts)
        is_table = entity.kind == "table" and (
            is_named or (is_keyed and entity.symbol not in shared)
        )
        is_private = entity.symbol[:1].islower() and (migrated or entity.framework == "xorm")
        is_own = is_named or not (is_private or (is_listed and entity.framework == "gorm"))
        if _NUMBERED.search(path) or not (entity.symbol in migrated or (is_table and is_own)):
            continue
        is_named = is_named or entity.framework not in _PLURAL
        name = entity.name if is_named or _names_itself(facts) else plural(snake(entity.name))
        columns = _without_records(columns, records.keys())
        yield path, msgspec.structs.replace(entity, kind="table", name=name, columns=columns)


def _of_ent(entity: Entity) -> Entity:
    """A table of ent, which names it in the plural and gives it a key."""
    name = snake(entity.symbol)
    name = name if name.endswith("data") else plural(name)
    is_named = entity.name != entity.symbol
    has_key = any(it.name == "id" for it in entity.columns)
    key = () if has_key else (Column("id", "int", True, line=entity.line),)
    columns = tuple(
        msgspec.structs.replace(it, is_key=True) if it.name == "id" else it
        for it in (*key, *entity.columns)
    )
    return msgspec.structs.replace(entity, name=entity.name if is_named else name, columns=columns)


def _parts(entities: Iterable[Entity]) -> frozenset[str]:
    """What fields of records hold."""
    types = (_TYPE.fullmatch(column.type) for it in entities for column in it.columns)
    return frozenset(match[1] for match in types if match)


@query
def _migrated(facts: Facts) -> frozenset[str]:
    """The structs whose tables a program of gorm has made by `AutoMigrate`."""
    users = {path for package in _PACKAGES for path, _ in users_of_outside(facts, package)}
    texts = (facts.tree.text(path) for path in sorted(users) if not is_test(path))
    return frozenset(
        name
        for text in texts
        if "AutoMigrate(" in text
        for names in _EMPTY.findall(text)
        for name in filter(None, names)
    )


def _shared(records: Mapping[str, Sequence[tuple[str, Entity]]]) -> frozenset[str]:
    """Structs that several records embed, and that have no table of their own. One of another
    package is meant where only one has this name."""
    folders = {name: {folder_of(path) for path, _ in places} for name, places in records.items()}
    every = [item for places in records.values() for item in places]
    bases = Counter(
        column.type
        for path, record in every
        for column in record.columns
        if not column.name
        and (near := folders.get(column.type, set()))
        and (len(near) == 1 or folder_of(path) in near)
    )
    named = {record.symbol for _, record in every if record.name != record.symbol}
    return frozenset(name for name, count in bases.items() if count > 1 and name not in named)


def _whole(
    records: Mapping[str, Sequence[tuple[str, Entity]]],
    shared: Collection[str],
    path: str,
    columns: Sequence[Column],
    seen: set[str],
) -> tuple[Column, ...]:
    """Columns, with those of embedded records in place of these, and every record once."""
    whole: list[Column] = []
    is_inside = bool(seen)
    for column in columns:
        if column.name:
            whole.append(column)
            continue
        places = records.get(column.type, ())
        near = [it for it in places if folder_of(it[0]) == folder_of(path)] or places
        if len(near) == 1 and (column.type in shared or is_inside) and column.type not in seen:
            seen.add(column.type)
            where, base = near[0]
            inner = _whole(records, shared, where, base.columns, seen)
            whole += [msgspec.structs.replace(it, path=it.path or where) for it in inner]
    return tuple(whole)


def _without_records(columns: Sequence[Column], models: Collection[str]) -> tuple[Column, ...]:
    """Columns without the fields that are other records; the keys of these refer to them."""
    names = {column.name for column in columns}
    keys = {
        f"{column.name}_id": kind[1]
        for column in columns
        if (kind := _TYPE.fullmatch(column.type))
        and (kind[1] in models or (f"{column.name}_id" in names and kind[1][:1].isupper()))
    }
    return tuple(
        column.marked(Column("", references=keys.get(column.name, "")))
        for column in columns
        if f"{column.name}_id" not in keys
    )


@query
def _names_itself(facts: Facts) -> bool:
    """Has the program rules of its own for names of tables?"""
    users = {path for package in _PACKAGES for path, _ in users_of_outside(facts, package)}
    return any(_NAMING.search(facts.tree.text(path)) for path in sorted(users))
