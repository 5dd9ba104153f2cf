"""Tables that files declare without a program: SQL, and the schemas of Prisma, Rails, Diesel and
Entity Framework; lists of migrations; and those that programs make with SQL in their own texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse

import msgspec

from stationmaster.reading.code.schemas import diesel, model_snapshot, prisma, rails, sql
from stationmaster.reading.code.stored import Entity
from stationmaster.reading.projects.paths import folder_of, natural
from stationmaster.reading.projects.test_files import is_test, may_be_test
from stationmaster.wiki.facts.data import in_programs
from stationmaster.wiki.facts.data.change_logs import change_logs
from stationmaster.wiki.facts.data.databases import Schema, are_forms, databases
from stationmaster.wiki.facts.model import Facts, of_texts, query

_REVISION = re.compile(r"""(?m)^revision\b[^=\n]{0,60}=\s*["']([^"'\n]{1,100})["']""")
_BEFORE = re.compile(r"(?m)^down_revision\b[^=\n]{0,60}=\s*(\([^)]{0,500}\)|[^\n]{1,200})")
_NAME = re.compile(r"""["']([^"'\n]{1,100})["']""")

SQL_FILE_MAX = 2 * 2**20
_WHOLE_MAX = 20
"""Files of a folder that are compared."""
SQL_MAX = 24 * 2**20
"""Bytes of all SQL that is read in one commit."""
_SHAPES = re.compile(r"(?i)\b(?:create|alter|drop|rename)\s+(?:\w+\s+)?(?:table|unique)\b")
_BACKWARD = re.compile(r"(?i)(?:^|[/._-])(?:down|undo|rollback|revert)\.sql$|(?:^|/)U\d[\w.]*__")
_TRIED = re.compile(
    r"(?i)(?:^|/)(?:tests?|stub|testdata|testhelper|mock|fixture|sample|example)(?:[-_][^/]*|s)?/"
)
_ROWS = re.compile(r"(?im)^(?:copy\s[^;\n]{1,500}\sfrom\s+stdin|insert\s+into)\b")
_SQL_NAME = re.compile(r"(?<![\w.-])[\w.-]{1,250}\.sql\b")
_ONE_A_FOLDER = frozenset({"up.sql", "migration.sql"})
IN_MIGRATIONS = re.compile(
    r"(?i)(?:^|/)(?:(?:\w{1,60}[_-])?migrat(?:ions?|or)|alembic/versions|db/migrate)/"
)
PAST = re.compile(r"(?i)(?:^|[-_ ])(?:beta|old|legacy|archived?|deprecated|obsolete)(?:[-_ ]|\Z)")
"""A folder of migrations that others have taken the place of."""
_CQL_COMMENT = re.compile(r"(?m)(?:^|(?<=[\s,;)]))//[^\n]*")

_TOOLS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Django", re.compile(r"(.{0,500}/migrations)/\d{4}_\w+\.py")),
    ("Alembic", re.compile(r"(.{0,500}/versions)/(?!__init__)\w+\.py")),
    ("Rails", re.compile(r"((?:.{0,500}/)?db/migrate)/\d+_\w+\.rb")),
    ("PHP", re.compile(r"((?:.{0,500}/)?migrations)/(?:Version)?\d{1,20}(?:[_-][\w-]+)?\.php")),
    ("Entity Framework",
     re.compile(r"(.{0,500}Migrations(?:/\w+)?)/\d{14}_\w+(?<!\.Designer)\.cs")),
    ("Flyway", re.compile(r"((?:.{0,500}/)?[^/]{1,250})/[BV]\d[\w.]{0,250}__[^/]+\.sql")),
    ("Prisma", re.compile(r"((?:.{0,500}/)?prisma/migrations)/[^/]+/migration\.sql")),
    ("Diesel",
     re.compile(r"((?:.{0,500}/)?(?:\w{1,60}_)?migrations(?:/\w{1,60})?)/[^/]+/up\.sql")),
    ("Drizzle", re.compile(r"((?:.{0,500}/)?drizzle(?:/\w+)?)/\d{4}_\w+\.sql")),
    ("Ecto", re.compile(r"((?:.{0,500}/)?(?:\w{1,60}_)?migrations)/\d{14}_\w+\.exs")),
    ("SeaORM", re.compile(r"((?:.{0,500}/)?[^/]{1,250})/m\d{8}_\d{6}_\w+\.rs")),
    ("SQLDelight", re.compile(r"\A(.{0,500}?/sqldelight(?:/.{1,500})?)/\d+\.sqm")),
    ("",
     re.compile(r"((?:.{0,500}/)?(?:\w{1,60}[_-])?migrations(?:-\w{1,60})?)/"
                r"\d[\w.-]*(?<!_test)\.(?:[cm]?[jt]s|go)")),
    ("SQL", re.compile(r"((?:.{0,500}/)?[^/]{0,250})/V?\d[\w.-]*\.up\.sql")),
    ("SQL",
     re.compile(r"\A((?:.{0,500}/)?(?:(?:\w{1,60}[_-])?migrat\w+|DbScripts)(?:/\w+)?)/\d[^/]*(?<!\.down)\.sql")),
)  # fmt: skip
"""How migrations are named in folders, by what applies them: '' where only their text says it."""


_MARKS = {
    "goose": re.compile(r"(?im)^[ \t]*--[ \t]*\+goose[ \t]+up\b|\bgoose\.Add\w{0,20}Migration"),
    "sql-migrate": re.compile(r"(?im)^[ \t]*--[ \t]*\+migrate[ \t]+up\b"),
    "TypeORM": re.compile(r"\bMigrationInterface\b"),
    "MikroORM": re.compile(r"@mikro-orm/migrations"),
    "Sequelize": re.compile(r"\bqueryInterface\b"),
    "Kysely": re.compile(r"\bKysely\b"),
    "bun": re.compile(r"\bbun\.(?:DB|IDB|Tx)\b"),
    "Knex": re.compile(r"\bknex\b"),
    "Django": re.compile(r"\bclass Migration\b"),
    "Alembic": re.compile(r"(?m)^(?:down_)?revision\b[^=\n]{0,60}="),
    "Rails": re.compile(r"<\s*[\w:]*\bMigration\b"),
    "Laravel": re.compile(r"\bextends\s+\\?(?:\w{1,60}\\)*(?!Abstract)\w*Migration\b"),
    "Doctrine": re.compile(r"\bextends\s+\\?(?:\w{1,60}\\)*AbstractMigration\b"),
    "FluentMigrator": re.compile(r"\bFluentMigrator\b"),
    "Entity Framework": re.compile(r":\s*(?:Db)?Migration\b"),
    "Ecto": re.compile(r"\buse\s+[\w.]*Migration\b"),
    "SeaORM": re.compile(r"\bMigrationTrait\b"),
    "dbmate": re.compile(r"(?im)^[ \t]*--[ \t]*migrate:up\b"),
}


class Migrations(msgspec.Struct, frozen=True):
    """`last` is the path of the one that is applied last, '' where that is not certain."""

    tool: str
    folder: str
    count: int
    last: str


class Declared(msgspec.Struct, frozen=True):
    """An entity and the file that declares it; `others` are folders that declare it too."""

    path: str
    entity: Entity
    schema: str
    others: tuple[str, ...] = ()


@query
def migrations(facts: Facts) -> tuple[Migrations, ...]:
    """By folder. A folder belongs to the first tool whose form its files have."""
    logged = _logged(facts)
    by_folder: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in facts.tree.paths:
        if is_test(path) or path in logged:
            continue
        for tool, form in _TOOLS:
            if match := form.fullmatch(path):
                by_folder[match[1], tool].append(path)
                break
        else:
            if in_programs.is_migration(facts, path):
                by_folder[folder_of(path), "goose"].append(path)
    by_tool: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (folder, kind), paths in by_folder.items():
        if tool := _applied_by(kind, [facts.tree.text(it) for it in (paths[0], paths[-1])]):
            by_tool[folder, tool] += paths
    rows = []
    for (folder, tool), paths in sorted(by_tool.items()):
        rows.append(Migrations(tool, folder, len(paths), _last(facts, tool, paths)))
    for folder, files in change_logs(facts).items():
        rows.append(Migrations("Liquibase", folder, len(files), files[-1][0]))
    return tuple(sorted(rows, key=lambda row: (row.folder, row.tool)))


def _last(facts: Facts, tool: str, paths: Sequence[str]) -> str:
    if tool == "Alembic":
        return last({path: facts.tree.text(path) for path in paths})
    return max(paths, key=natural)


def _applied_by(form: str, texts: Sequence[str]) -> str:
    """The tool whose marks migrations have, first that of the form of their names, which stands for
    itself where its tool leaves no marks; '' for none."""
    own = {form: mark} if (mark := _MARKS.get(form)) else {}
    marks = {**own, **_MARKS} if own or form in ("SQL", "PHP", "") else {}
    marked = (tool for tool, mark in marks.items() if any(map(mark.search, texts)))
    return next(marked, "" if own else form)


@query
def declared(facts: Facts) -> tuple[Declared, ...]:
    """Tables and enums of schema files, by name and path, without repetitions."""
    entities = [*_of_files(facts), *_described(facts, _of_sql(facts))]
    return tuple(sorted(entities, key=lambda table: (table.entity.name.lower(), table.path)))


def _of_files(facts: Facts) -> Iterator[Declared]:
    texts = {it: facts.tree.text(it) for it in facts.tree.glob("**/*.prisma") if not is_test(it)}
    for schema in prisma.schemas(texts):
        for path, entities in zip(schema, prisma.read([texts[it] for it in schema]), strict=True):
            yield from (Declared(path, entity, path) for entity in entities)
    for path in filterfalse(is_test, _kept(facts, "**/db/*schema.rb")):
        yield from (Declared(path, it, path) for it in rails.read(facts.tree.text(path)))
    yield from _of_snapshots(facts)


def _kept(facts: Facts, pattern: str) -> Iterator[str]:
    """Files of a whole schema: what Rails makes a database of, though it generates them itself."""
    product, every = {*facts.tree.glob(pattern)}, facts.tree.glob(pattern, everywhere=True)
    yield from (it for it in every if it in product or facts.records[it].file_class == "generated")


def _of_snapshots(facts: Facts) -> Iterator[Declared]:
    """What Entity Framework keeps of a model next to its migrations: of several what the newest of
    these left, then that with the most tables."""
    paths = facts.tree.glob("**/*ModelSnapshot.cs", everywhere=True)
    read = [
        (path, model_snapshot.read(facts.tree.text(path))) for path in paths if not is_test(path)
    ]
    dates: dict[str, str] = defaultdict(str)
    for path in facts.tree.paths if len(read) > 1 else ():
        folder, _, name = path.rpartition("/")
        if name.endswith(".cs") and name[:14].isdecimal():
            dates[folder] = max(dates[folder], name[:14])
    read.sort(key=lambda item: (dates[folder_of(item[0])], len(item[1])), reverse=True)
    best: dict[str, Declared] = {}
    for path, entities in read:
        for entity in entities:
            key = entity.name.lower()
            if (before := best.get(key)) is None:
                best[key] = Declared(path, entity, path)
            elif before.path != path:
                others = (*before.others, folder_of(path))
                best[key] = msgspec.structs.replace(before, others=others)
    yield from best.values()


def _described(facts: Facts, tables: Iterable[Declared]) -> Iterator[Declared]:
    """The tables of SQL files as Diesel's `schema.rs` has them, where there is one: it is made of
    what the migrations leave behind."""
    described = {
        entity.name.lower(): Declared(path, entity, path)
        for path in facts.tree.glob("**/schema.rs")
        if not is_test(path)
        for entity in diesel.read(facts.tree.text(path))
    }
    folders = {row.folder for row in migrations(facts) if row.tool == "Diesel"}
    for table in tables:
        if not described or table.schema not in folders:
            yield table
        elif declared := described.get(table.entity.name.lower()):
            described[table.entity.name.lower()] = _filled(declared, table)
    yield from described.values()


def _filled(declared: Declared, table: Declared) -> Declared:
    """Types, keys and references as SQL has them, which is more exact for a column."""
    written = {column.name.lower(): column for column in table.entity.columns}
    columns = tuple(
        msgspec.structs.replace(
            column,
            type=same.type or column.type,
            is_unique=same.is_unique,
            references=same.references or column.references,
        )
        if (same := written.get(column.name.lower()))
        else column
        for column in declared.entity.columns
    )
    entity = msgspec.structs.replace(declared.entity, columns=columns)
    return msgspec.structs.replace(declared, entity=entity, others=table.others)


def _of_sql(facts: Facts) -> Iterator[Declared]:
    logs = change_logs(facts)
    folders = {**sql_folders(facts), **logs}
    packages = {manifest.folder for manifest in facts.tree.project.manifests}
    schemas = (Schema(folder, folded(files)) for folder, files in folders.items())
    for group in databases(schemas, packages):
        yield from _of_database(group, logs)


def _of_database(schemas: Sequence[Schema], logs: Collection[str]) -> Iterator[Declared]:
    best: dict[str, Declared] = {}
    others: dict[str, list[str]] = defaultdict(list)
    for folder, tables in schemas:
        # What a form for another engine has more may be left over from computed statements.
        is_form = any(are_forms(it.folder, folder) for it in schemas)
        bare = {name.lstrip("_"): name for name in best} if is_form else {}
        names = [table.name.lower() for table in tables]
        names = [it if it in best else bare.get(it.lstrip("_"), it) for it in names]
        is_again = is_form and 2 * sum(it in best for it in names) >= len(tables)
        for key, table in zip(names, tables, strict=True):
            if key in best:
                others[key].append(folder)
            elif not is_again:
                framework = "Liquibase" if folder in logs else "SQL"
                entity = Entity(
                    table.name, "table", table.line, table.end, table.columns, framework=framework
                )
                best[key] = Declared(table.path, entity, folder)
    for key, declared in best.items():
        yield msgspec.structs.replace(declared, others=tuple(others[key]))


def _logged(facts: Facts) -> frozenset[str]:
    """Files that change logs include."""
    return frozenset(path for files in change_logs(facts).values() for path, _ in files)


def sql_folders(facts: Facts) -> Mapping[str, Sequence[tuple[str, str]]]:
    """SQL files that change the shape of tables, with their texts, by the folder in which they
    follow one another."""
    logged = _logged(facts)
    has_prisma = bool(facts.tree.glob("**/*.prisma"))
    named = [
        *(path for it in ("**/*.sql", "**/*.cql", "**/*.sq") for path in facts.tree.glob(it)),
        *_kept(facts, "**/db/structure.sql"),
    ]
    paths = [
        path
        for path in dict.fromkeys(named)
        if not is_test(path)
        and path not in logged
        and not _TRIED.search(path)
        and not _BACKWARD.search(path)
        and not (has_prisma and path.endswith("/migration.sql"))
    ]
    by_folder: dict[str, list[tuple[str, str]]] = defaultdict(list)
    left = SQL_MAX
    for path, text in facts.tree.files.contents.each(paths, SQL_FILE_MAX):
        if (
            left > 0
            and _SHAPES.search(text)
            and not (_ROWS.search(text) and _is_tried(facts, path))
        ):
            left -= len(text)
            if path.endswith(".cql"):
                text = _CQL_COMMENT.sub("", text)
            folder = folder_of(path)
            has_own_folder = path.rpartition("/")[2] in _ONE_A_FOLDER
            by_folder[folder_of(folder) if has_own_folder else folder].append((path, text))
    for path, text in in_programs.statements(facts):
        if not _TRIED.search(path) and not _BACKWARD.search(path):
            by_folder[folder_of(path)].append((path, text))
    others = {*by_folder, *(row.folder for row in migrations(facts))}
    return {
        schema: sorted(files, key=lambda item: natural(item[0]))
        for folder, of_folder in by_folder.items()
        if not _is_past(folder, others)
        for schema, files in _schemas(folder, of_folder).items()
    }


def _schemas(folder: str, files: Sequence[tuple[str, str]]) -> Mapping[str, list[tuple[str, str]]]:
    """The files of a folder by what they make together: alone is each of those that are one schema
    in the forms of several databases, and of those whose names have no number that make a table of
    one name with other columns."""
    whole = [it for it in files if not re.search(r"\d", it[0].rpartition("/")[2])]
    made = {
        item[0]: {it.name.lower(): [column.name for column in it.columns] for it in folded([item])}
        for item in whole[: _WHOLE_MAX if len(whole) > 1 else 0]
    }
    by_schema: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, text in files:
        is_alone = any(
            are_forms(path, other)
            or any(name in theirs and theirs[name] != own for name, own in made[path].items())
            for other, theirs in made.items()
            if path in made
        )
        by_schema[path if is_alone else folder].append((path, text))
    return by_schema


def _is_tried(facts: Facts, path: str) -> bool:
    """Do tests name a file, and nothing else?"""
    for_tests, for_others = _sql_names(facts)
    name = path.rpartition("/")[2]
    return name in for_tests and name not in for_others


@query
def _sql_names(facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
    """The names of SQL files in tests, and in all else but what only people read."""
    names: tuple[set[str], set[str]] = (set(), set())
    kinds = ("source", "test", "config", "ci", "infra", "docs", "unknown")
    paths = [it for it, record in facts.records.items() if record.file_class in kinds]
    for path, own in of_texts(facts, _sql_names_in, paths, SQL_FILE_MAX):
        names[not (is_test(path) or may_be_test(path))].update(own)
    return frozenset(names[0]), frozenset(names[1])


def _sql_names_in(text: str) -> list[str]:
    return _SQL_NAME.findall(text) if ".sql" in text else []


def _is_past(folder: str, others: Iterable[str]) -> bool:
    """Is its name one of old files, and is there a newer schema around or next to it?"""
    parents, _, name = folder.rpartition("/")
    around = f"{parents}/" if parents else ""
    return PAST.search(name) is not None and any(
        f"{other}/".startswith(around) and not PAST.search(other.rpartition("/")[2])
        for other in others
    )


def folded(files: Iterable[tuple[str, str]]) -> tuple[sql.Table, ...]:
    schema = sql.Schema()
    for path, text in files:
        schema.apply(path, text)
    return schema.tables()


def last(texts: Mapping[str, str]) -> str:
    """The path of the one that no other follows; '' where there are several or none."""
    revisions = {
        path: match[1] for path, text in texts.items() if (match := _REVISION.search(text))
    }
    before = {
        name
        for path in revisions
        for below in _BEFORE.findall(texts[path])
        for name in _NAME.findall(below)
    }
    ends = [path for path, revision in revisions.items() if revision not in before]
    return ends[0] if len(ends) == 1 else ""
