"""Tables that migrations of Knex and Kysely leave behind."""

import pytest

from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.data.schemas import migrations
from tests.wiki.commits import facts_of


def test_a_table_of_knex_may_be_called_by_constants_that_another_file_hands_on() -> None:
    facts = facts_of({
        "package.json": '{"name": "shop"}',
        "names/index.ts": "export * from './tables.js';\nexport * from './user.js';\n",
        "names/tables.ts": "export const TableUser = 'user', TableTill = 'till';\n",
        "names/user.ts": "export const enum FieldUser { id = 'id', fullName = 'full_name' }\n",
        "migrations/1_make.js":
        "const { TableUser, TableTill, FieldUser } = require('../names');\n"
        "exports.up = async (knex) => {\n"
        "  await knex.schema.createTable(TableUser, (t) => {\n"
        "    t.increments(FieldUser.id).primary();\n    t.string(FieldUser.fullName);\n  });\n"
        "  await knex.schema.createTable(TableTill, (t) => {\n"
        "    t.integer(Unknown.name).references(FieldUser.id).inTable(TableUser);\n  });\n"
        "  await knex.schema.createTable(elsewhere, (t) => { t.text('a'); });\n};\n",
    })  # fmt: skip
    assert [
        (it.name, [(c.name, c.type, c.is_key, c.references) for c in it.columns])
        for it in stored(facts)
    ] == [
        ("till", [("Unknown.name", "integer", False, "user.id")]),
        ("user", [("id", "increments", True, ""), ("full_name", "string", False, "")]),
    ]  # fmt: skip


def test_a_table_of_knex_is_what_its_migrations_leave_behind() -> None:
    def migration(up: str) -> str:
        return f"exports.up = (knex) => knex.schema{up};\nexports.down = (knex) => null;\n"

    facts = facts_of({
        "package.json": "{}",
        "db/setup.js": "async function make(knex) {\n"
        "  await knex.schema.createTable('user', (t) => {\n"
        "    t.increments();\n    t.string('name', 9);\n    t.string('mail');\n  });\n"
        "  await knex.schema.createTable('past', (t) => { t.text('a'); });\n}\n",
        "db/knex_migrations/2023-08-16-0000-more.js": migration(
            ".alterTable('user', function (t) { t.integer('age'); t.dropColumn('mail'); })"
            ".alterTable('user', (t) => { t.text('name').alter(); t.renameColumn('id', 'key'); })"
        ),
        "db/knex_migrations/2023-10-08-0000-less.mjs": migration(
            ".dropTable('past').renameTable('user', 'person')"
        ),
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.path, table.line, table.framework) == (
        "person", "db/setup.js", 2, "Knex",
    )  # fmt: skip
    assert [(column.name, column.type) for column in table.columns] == [
        ("key", "increments"), ("name", "text"), ("age", "integer"),
    ]  # fmt: skip
    (row,) = migrations(facts)
    assert (row.tool, row.folder, row.count) == ("Knex", "db/knex_migrations", 2)


def test_tables_of_kysely_are_as_all_migrations_leave_them() -> None:
    head = "import { type Kysely, sql } from 'kysely';\n"
    up = "export async function up(db: Kysely<any>): Promise<void> {\n"
    down = "}\nexport async function down(db: Kysely<any>) {\n  await db.schema"
    facts = facts_of({
        "src/migrations/1-pets.ts": f"{head}{up}  await db.schema\n    .createTable('pets')\n"
        "    .ifNotExists()\n    .addColumn('id', 'uuid', (col) =>\n"
        "      col.primaryKey().defaultTo(sql`new_id()`),\n    )\n"
        "    .addColumn('owner_id', 'uuid', (col) => col.references('people.id').notNull())\n"
        "    .addColumn('tags', sql`text[]`)\n    .addColumn('kind_id', 'int8')\n"
        "    .addColumn('old', 'varchar')\n    .addColumn('name', 'varchar')\n"
        "    .addForeignKeyConstraint('kinds', ['kind_id'], 'kinds', ['id'])\n"
        "    .addUniqueConstraint('names', ['name'])\n    .execute();\n"
        "  await db.schema.createIndex('i').on('pets').column('name').execute();\n"
        f"{down}.dropTable('pets').execute();\n}}\n",
        "src/migrations/2-more.ts": f"{head}{up}  await db.schema\n    .alterTable('pets')\n"
        "    .addColumn('age', 'int4')\n    .dropColumn('old')\n"
        "    .alterColumn('name', (col) => col.setDataType('text'))\n"
        "    .alterColumn('kind_id', (col) => col.setNotNull())\n    .execute();\n"
        f"{down}.alterTable('pets').dropColumn('age').execute();\n}}\n",
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.path, table.framework) == (
        "pets", "src/migrations/1-pets.ts", "Kysely",
    )  # fmt: skip
    assert [(it.name, it.type, it.is_key, it.is_unique, it.references) for it in table.columns] == [
        ("id", "uuid", True, False, ""),
        ("owner_id", "uuid", False, False, "people.id"),
        ("tags", "text[]", False, False, ""),
        ("kind_id", "int8", False, False, "kinds.id"),
        ("name", "text", False, True, ""),
        ("age", "int4", False, False, ""),
    ]


@pytest.mark.parametrize(
    ("path", "text", "tool"),
    [
        ("drizzle/0001_bold_cat.sql", "CREATE TABLE a (b int);", "Drizzle"),
        ("priv/repo/migrations/20240101000000_make.exs", "use Ecto.Migration", "Ecto"),
        ("priv/repo/migrations/20240101000000_make.exs", "defmodule Own do", ""),
        ("migration/src/m20240101_000001_make.rs", "impl MigrationTrait for M {}", "SeaORM"),
        ("A/Migrations/20240101000000_Make.cs", "class Make : Migration {}", "Entity Framework"),
        ("A/Migrations/20240101000000_Make.cs", "class Make : IMigrationRoutine {}", ""),
        ("shop/migrations/0001_first.py", "STEPS = []", ""),
        ("data/src/main/sqldelight/shop/12.sqm", "", "SQLDelight"),
        ("db/migrations/20240101000000_make.go", "func up(tx bun.Tx) {}", "bun"),
        ("db/migrations/2.1.0.js", "exports.up = knex => {}", "Knex"),
        ("store/V0001.First.up.sql", "CREATE TABLE a (b int);", "SQL"),
        ("db/migrations/20240101000000_make.go", "package migrations", ""),
    ],
)
def test_migrations_are_known_by_their_names_or_by_what_they_call(
    path: str, text: str, tool: str
) -> None:
    rows = migrations(facts_of({path: text}))
    assert [(it.tool, it.count, it.last) for it in rows] == ([(tool, 1, path)] if tool else [])


def test_a_table_of_ecto_is_what_its_migrations_leave_behind_by_their_times() -> None:
    def migration(body: str) -> str:
        return f"defmodule M do\n  def change do\n{body}  end\nend\n"

    facts = facts_of({
        "priv/repo/migrations/20240101000000_make.exs": migration(
            "    create table(:tills) do\n      add :name, :string\n"
            "      add :old, :string\n    end\n"
            "    create table(:lines) do\n      add :till_id, references(:tills)\n    end\n"
        ),
        "priv/repo/manual_migrations/20240201000000_drop.exs": migration(
            "    alter table(:tills) do\n      remove :old\n    end\n"
        ),
    })  # fmt: skip
    lines, tills = stored(facts)
    assert [(c.name, c.is_key) for c in tills.columns] == [("id", True), ("name", False)]
    assert (lines.name, lines.references) == ("lines", ("tills",))


def test_of_two_folders_that_make_the_same_tables_the_one_with_the_newest_migration_counts() -> (
    None
):
    made = "exports.up = knex => knex.schema.createTable('{0}', t => {{ t.text('{1}'); }});\n"
    facts = facts_of({
        "package.json": "{}",
        "db/beta/migrations/3.0.0-beta.1.js": made.format("tea", "a"),
        "db/migrations/2.0.0.js": made.format("tea", "b"),
        "db/migrations-sqlite/2.0.0.js": made.format("tea", "c"),
        "db/other-migrations/1.0.0.js": made.format("till", "d"),
    })  # fmt: skip
    assert [(it.name, it.path) for it in stored(facts)] == [
        ("tea", "db/migrations/2.0.0.js"), ("till", "db/other-migrations/1.0.0.js"),
    ]  # fmt: skip
