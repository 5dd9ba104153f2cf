"""What is stored: tables and documents, from models of programs and from schema files, joined."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from stationmaster.catalogue.repositories.sql import sql
from stationmaster.reading.code.languages.ecmascript.knex import KNEX, KYSELY
from stationmaster.reading.code.languages.php.data import is_named_by_class
from stationmaster.reading.code.languages.php.migrations import FRAMEWORK as LARAVEL
from stationmaster.reading.code.schemas.ecto import FRAMEWORK as ECTO
from stationmaster.reading.code.stored import FRAMEWORK, OF_HASHES, RAILS, Column, Entity
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.data import (
    entity_framework,
    inherited,
    migrated,
    naming,
    records_of_go,
    schemas,
)
from stationmaster.wiki.facts.data.databases import nearest
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import PART_MAX, Part, Sheet, parts, sheets

_ENUM = re.compile(
    r"(?i)\bcreate\s+type\s+(?:\w{1,60}\.)?\"?(\w{1,100})\"?\s+as\s+enum\s*\(([^()]{1,4000})\)"
)
_VALUE = re.compile(r"'((?:[^']|'')*)'")
_STORED = frozenset({"table", "document"})
_OF_MODELS = _STORED | {"change"}
_MIGRATED = (KNEX, KYSELY, LARAVEL, ECTO, RAILS)
"""Frameworks whose migrations declare tables that no other file need declare."""
_JOINT = frozenset({FRAMEWORK, *_MIGRATED})
"""Frameworks of which several files declare one table."""
_WRITING = frozenset({"Drizzle"})
"""Frameworks whose programs write the migrations in SQL from the models."""
_OF_ROWS = frozenset({"sqlx"})
"""What fills structs from any rows, which makes no tables of them."""
_BY_CLASS = frozenset({"Django", "Peewee", "Tortoise"})
"""Frameworks whose columns refer to classes, with a folder or module of theirs before the dot."""
_MODELS = frozenset({"models", "model", "entities", "entity"})
_PLAIN = frozenset({".", "src", "main", "java", "kotlin", "resources", "app", "models", "entities"})
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Stored(msgspec.Struct, frozen=True):
    """A table or document. `path` and lines are those of its columns; `model` and `model_path` the
    class of programs for it. `references` are the keys of those that its columns refer to. `others`
    are folders that have the same table for another database."""

    key: str
    name: str
    kind: str
    path: str
    line: int
    end: int
    framework: str
    columns: tuple[Column, ...]
    references: tuple[str, ...] = ()
    model: str = ""
    model_path: str = ""
    model_line: int = 0
    others: tuple[str, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """A type of a few values that a schema declares."""

    name: str
    path: str
    line: int
    end: int
    values: tuple[str, ...]


@query
def stored(facts: Facts) -> tuple[Stored, ...]:
    """By name. A model and a table of the same name, in whatever spelling, are one; of several such
    tables a model is that of the nearest."""
    models: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    declared_of = [
        (file.path, entity)
        for file in interfaces(facts)
        for entity in file.entities
        if entity.kind in _OF_MODELS | {"base", "unproven", "history", "joint"}
        and not _is_of_database(entity.name)
    ]
    by_framework: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for path, entity in (*inherited.joined(facts, declared_of), *migrated.of_ecto(facts)):
        joint = entity.framework if entity.framework in _JOINT else ""
        if entity.framework == OF_HASHES:
            by_framework[OF_HASHES].append((path, entity))
        elif joint or not _is_stub(facts, path):
            by_framework[joint].append((path, entity))
    joined = (
        *records_of_go.joined(facts, by_framework[""]),
        *entity_framework.joined(facts, by_framework[FRAMEWORK]),
        *(table for name in _MIGRATED for table in migrated.joined(facts, by_framework[name])),
    )
    for path, entity in naming.named(facts, joined):
        models[_form(entity.name)].append((path, entity))
    storeds: list[Stored] = []
    taken: set[str] = set()
    tables: dict[str, list[schemas.Declared]] = defaultdict(list)
    for declared in schemas.declared(facts):
        if declared.entity.kind in _STORED and not _is_of_database(declared.entity.name):
            form = _form(declared.entity.name)
            taken |= {form, _form(declared.entity.symbol)}
            tables[form].append(declared)
    for form, alike in tables.items():
        near = {at: (folder_of(it.path), *it.others) for at, it in enumerate(alike)}
        for at, declared in enumerate(alike):
            own = [it for it in models.get(form, ()) if _table_of(it, alike, near) == at]
            storeds.append(_joined(declared, own))
    of_go = {form for form, own in models.items() if own[0][1].framework in records_of_go.ORMS}
    is_schema = 2 * len(of_go & taken) > len(of_go)
    for form, entities in models.items():
        if by_framework[LARAVEL] and all(is_named_by_class(entity) for _, entity in entities):
            continue  # A base of models, or a helper: only migrations make other tables.
        if form not in taken and not (is_schema and form in of_go):
            storeds += _of_code(entities)
    # What is called as another table may be in another store.
    apart = (it for it in by_framework[OF_HASHES] if _form(it[1].name) not in {*taken, *models})
    storeds += [_of_model(*it) for it in apart]
    return _referring(sorted(storeds, key=lambda table: (table.name.lower(), table.path)))


def _table_of(
    model: tuple[str, Entity], alike: Sequence[schemas.Declared], near: Mapping[int, Sequence[str]]
) -> int:
    """Which of some tables a model means: the nearest, else that which has the most of its columns
    and the fewest others."""
    at = nearest(model[0], near)
    if at is not None:
        return at
    own = {_form(column.name) for column in model[1].columns}
    names = [{_form(column.name) for column in it.entity.columns} for it in alike]
    return max(near, key=lambda it: (len(own & names[it]), -len(names[it])))


@query
def choices(facts: Facts) -> tuple[Choice, ...]:
    """Enums of schema files, by name; of SQL those that no later migration may change."""
    by_key = {
        (declared.entity.name, declared.path): Choice(
            declared.entity.name, declared.path, declared.entity.line, declared.entity.end,
            tuple(column.name for column in declared.entity.columns),
        )
        for declared in schemas.declared(facts)
        if declared.entity.kind == "enum"
    }  # fmt: skip
    by_key |= {(it.name, it.path): it for it in _enums_of_sql(facts)}
    return tuple(by_key[key] for key in sorted(by_key))


def _enums_of_sql(facts: Facts) -> Iterator[Choice]:
    for path, record in facts.records.items():
        is_whole = path.endswith(".sql") and record.file_class == "schema"
        if is_whole and not schemas.IN_MIGRATIONS.search(path):
            text = facts.tree.text(path)
            for made in _ENUM.finditer(text):
                first, last = (text.count("\n", 0, at) + 1 for at in made.span())
                values = tuple(it.replace("''", "'") for it in _VALUE.findall(made[2]))
                yield Choice(made[1], path, first, last, values)


def _is_stub(facts: Facts, path: str) -> bool:
    """Does a migration declare the class, for its own queries?"""
    above = folder_of(folder_of(path))
    return (
        schemas.IN_MIGRATIONS.search(path) is not None
        or f"{above}/script.py.mako" in facts.tree.paths
    )


def _is_of_database(name: str) -> bool:
    return any(fnmatchcase(name.lower(), pattern) for pattern in sql().catalogues)


def _with_references(columns: Sequence[Column], models: Iterable[Entity]) -> tuple[Column, ...]:
    """The columns of a table, with the references of a model where the table has none."""
    of_models = {column.name.lower(): column for model in models for column in model.columns}
    return tuple(
        msgspec.structs.replace(it, references=of_models[it.name.lower()].references)
        if it.name.lower() in of_models and not it.references
        else it
        for it in columns
    )


def _joined(declared: schemas.Declared, models: Sequence[tuple[str, Entity]]) -> Stored:
    entity = declared.entity
    elsewhere = (item for item in models if item[0] != declared.path)
    path, model = next(elsewhere, ("", None))
    columns = _with_references(entity.columns, [it for _, it in models])
    return Stored(
        entity.name, entity.name, entity.kind, declared.path, entity.line, entity.end,
        model.framework if model and model.framework in _WRITING else entity.framework, columns,
        model=(model.symbol or model.name) if model else entity.symbol,
        model_path=path, model_line=model.line if model else 0, others=declared.others,
    )  # fmt: skip


def _of_code(entities: list[tuple[str, Entity]]) -> list[Stored]:
    """What code declares under one name: tables that migrations leave, with their models, or
    models."""
    made = [item for item in entities if item[1].framework in _MIGRATED]
    models = [item for item in entities if item not in made]
    if not made:
        models = [item for item in models if item[1].framework not in _OF_ROWS]
        return [_of_model(path, entity) for path, entity in _distinct(models)]
    return [_joined(schemas.Declared(path, entity, ""), models) for path, entity in made]


def _of_model(path: str, entity: Entity) -> Stored:
    return Stored(
        entity.name, entity.name, entity.kind, path, entity.line, entity.end, entity.framework,
        entity.columns, model=entity.symbol, model_path=path, model_line=entity.line,
    )  # fmt: skip


def _distinct(entities: list[tuple[str, Entity]]) -> list[tuple[str, Entity]]:
    """Without those that have no columns where others of the same name list columns, and those of a
    folder and a framework that have fewer than another there, which read a part."""
    widest: dict[tuple[str, str, str], tuple[str, Entity]] = {}
    for path, it in entities:
        key = (it.name, it.framework, folder_of(path))
        if len(it.columns) > len(widest.get(key, ("", it))[1].columns) or key not in widest:
            widest[key] = path, it
    detailed = [item for item in widest.values() if item[1].columns]
    return detailed or entities[:1]


def _referring(tables: list[Stored]) -> tuple[Stored, ...]:
    """With keys of their own, and the targets of their columns, in the same folder first."""
    names = Counter(table.name for table in tables)
    titles = _titles({_folder(table) for table in tables})
    keys = Counter[str]()
    keyed = []
    for table in tables:
        title = titles[_folder(table)]
        key = f"{table.name} ({title})" if names[table.name] > 1 else table.name
        keys[key] += 1
        key = key if keys[key] == 1 else f"{key} ({keys[key]})"
        keyed.append(msgspec.structs.replace(table, key=key))
    named = names_of(keyed)
    near = {it: named | names_of(own for own in keyed if _folder(own) == it) for it in titles}
    return tuple(
        msgspec.structs.replace(it, references=_references(it, near[_folder(it)])) for it in keyed
    )


def names_of(tables: Iterable[Stored]) -> dict[str, str]:
    """Keys of tables by their names, the forms of these and of their models' names, also behind a
    folder or module of theirs."""
    listed = tuple(tables)
    named = {_form(table.name): table.key for table in reversed(listed)}
    for table in listed:
        owner, _, model = table.model.rpartition(".")
        if model and not (owner and model[0].islower()):  # Fields make tables between two others.
            named.setdefault(_form(model), table.key)
            for step in re.split(r"[/.]", table.model_path if table.framework in _BY_CLASS else ""):
                named.setdefault(_form(f"{step}.{model}"), table.key)
    return named | {table.name: table.key for table in reversed(listed)}


def _references(table: Stored, named: Mapping[str, str]) -> tuple[str, ...]:
    targets = (target_of(table, column, named) for column in table.columns)
    return tuple(sorted({target for target in targets if target}))


def target_of(table: Stored, column: Column, named: Mapping[str, str]) -> str:
    """The key of the target of a column: `named` has keys by names and forms of names."""
    is_by_class = table.framework in _BY_CLASS
    names = (column.references, "" if is_by_class else column.references.rpartition(".")[0])
    spellings = (*names, *map(_form, names))
    return next((named[it] for it in spellings if it and it in named), "")


def _form(name: str) -> str:
    """A name as `Story`, `story`, `stories` and `STORIES` share it."""
    words = _CAPITAL.sub("_", name).lower().replace("_", "")
    if words.endswith("ies"):
        return f"{words[:-3]}y"
    for ending in ("sses", "shes", "ches", "xes"):
        if words.endswith(ending):
            return words[:-2]
    return words.removesuffix("s") if not words.endswith("ss") else words


@query
def table_sheets(facts: Facts) -> tuple[Sheet[Stored], ...]:
    """Tables by the folder that declares them; long lists by the first word of their names."""
    folders: dict[str, list[Stored]] = defaultdict(list)
    for table in stored(facts):
        folders[_folder(table)].append(table)
    made: list[Part[Stored]] = []
    titles = _titles(folders)
    for folder in sorted(folders):
        made += parts(folders[folder], _first_word, lambda item: item.name, titles[folder])
    return sheets(made, set(), most=PART_MAX)


@query
def table_sheet(facts: Facts, name: str) -> Sheet[Stored]:
    return next(sheet for sheet in table_sheets(facts) if sheet.slug == name)


def _folder(table: Stored) -> str:
    """The folder of a model, above one that has nothing else; of a schema, above those that have
    one migration each."""
    if table.model_path:
        folder = folder_of(table.model_path)
        return folder_of(folder) if folder.rpartition("/")[2] in _MODELS else folder
    folder = folder_of(table.path)
    return folder_of(folder) if table.path.endswith(("/up.sql", "/migration.sql")) else folder


def _titles(folders: Iterable[str]) -> Mapping[str, str]:
    """Names of folders: their last distinguishing words, as many as no other ends with."""
    words = {it: [part for part in it.split("/") if part not in _PLAIN] for it in folders}
    titles = {it: it if it != "." else "the root" for it, parts in words.items() if not parts}
    for count in range(2, max(2, *map(len, words.values()), 0) + 1):
        ends = {it: "/".join(words[it][-count:]) for it in words if it not in titles}
        shared = Counter(ends.values())
        titles |= {it: end for it, end in ends.items() if shared[end] == 1}
    return {it: titles.get(it, it) for it in words}


def _first_word(table: Stored) -> str:
    return re.split(r"[_.]", _CAPITAL.sub("_", table.name).strip("_").lower())[0]
