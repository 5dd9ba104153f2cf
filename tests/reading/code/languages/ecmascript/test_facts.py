"""Commands, settings, entities, jobs, entries, tests and marks."""

from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import CliCommand, FileFacts, Setting
from tests.reading.code.reading import facts_of

typescript = partial(facts_of, "TypeScript")
javascript = partial(facts_of, "JavaScript")


def commands(facts: FileFacts) -> dict[tuple[str, ...], CliCommand]:
    return {each.words: each for each in facts.commands}


def test_commands_of_commander_stand_in_their_programs() -> None:
    found = commands(typescript("""
        import { Command, program } from 'commander';
        program.description('Does. More').option('-p, --port <n>', 'Port', 80);
        program.command('serve <dir>').description('Serves').option('--open').action(serve);
        const db = program.command('db');
        db.command('init').action(init);
        const late = new Command('late').description('Later');
        program.addCommand(late);
        other.command('no').option('--no');
    """))  # fmt: skip
    assert set(found) == {(), ("serve",), ("db",), ("db", "init"), ("late",)}
    assert found[()].help == "Does."
    assert [(o.names, o.help, o.default) for o in found[()].options] == [
        (("-p", "--port"), "Port", "80")
    ]
    assert [o.names for o in found[("serve",)].options] == [("DIR",), ("--open",)]
    assert (found[("serve",)].handler, found["db", "init"].handler) == ("serve", "init")


def test_settings_may_be_a_json_schema_of_the_environment() -> None:
    text = """
        import env from '@fastify/env'
        const schema = {
          required: ['PORT', 'KEY'],
          properties: {
            PORT: { type: 'number', default: 80 },
            KEY: { type: 'string' }
          }
        }
    """
    assert [(s.name, s.default, s.is_required) for s in typescript(text).settings] == [
        ("PORT", "80", False),
        ("KEY", None, True),
    ]
    assert typescript(text.replace("@fastify/env", "ajv")).settings == ()


def test_a_command_of_commander_that_its_file_does_not_start_has_its_own_name() -> None:
    text = """
        import { Command } from 'commander';
        const program = new Command('edit').argument('<name>');
        program.command('all');
        program.action(() => JSON.parse(text));
        export default program;
    """
    assert set(commands(typescript(text))) == {("edit",), ("edit", "all")}
    assert set(commands(typescript(text + "program.parse();"))) == {(), ("all",)}


@pytest.mark.parametrize(
    ("text", "words", "options"),
    [
        ("import cac from 'cac';\nconst cli = cac('x');\n"
         "cli.command('build [root]', 'Builds').option('--out <d>', 'Where', { default: 'dist' });",
         ("build",), [("ROOT",), ("--out",)]),
        ("import { parseArgs } from 'node:util';\n"
         "parseArgs({ options: { loud: { type: 'boolean', short: 'l' } } });",
         (), [("-l", "--loud")]),
        ("import yargs from 'yargs';\nyargs(argv).command('up <to>', 'Goes up');",
         ("up",), [("TO",)]),
    ],
)  # fmt: skip
def test_other_libraries_have_commands_too(
    text: str, words: tuple[str, ...], options: list[tuple[str, ...]]
) -> None:
    assert [each.names for each in commands(typescript(text))[words].options] == options


def test_variables_of_the_environment_are_settings() -> None:
    facts = typescript("""
        import { z } from 'zod';
        const a = process.env.A || 3000, b = process.env['B'] ?? 'x';
        process.env.WRITTEN = '1'; delete process.env.GONE;
        const { C, D = 'd', E: e } = process.env;
        import.meta.env.VITE_F; import.meta.env.DEV;
        const schema = z.object({ URL: z.string().url(), N: z.coerce.number().default(5) });
        export const env = schema.parse(process.env);
        const other = z.object({ NO: z.string() }).parse(body);
        config.env.NO;
    """)
    assert {(s.name, s.default, s.is_required) for s in facts.settings} == {
        ("A", "3000", False), ("B", "x", False), ("C", None, False), ("D", "d", False),
        ("E", None, False), ("VITE_F", None, False), ("URL", None, True), ("N", "5", False),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "columns"),
    [
        ("import { Entity, Column, PrimaryGeneratedColumn, ManyToOne } from 'typeorm';\n"
         "@Entity('users') export class User {\n  @PrimaryGeneratedColumn() id: number;\n"
         "  @Column({ unique: true }) name: string;\n  @ManyToOne(() => Team) team: Team;\n"
         "  x = 1 }",
         "users", [("id", "number", ""), ("name", "string", ""), ("teamId", "Team", "Team")]),
        ("import { pgTable, serial, integer } from 'drizzle-orm/pg-core';\n"
         "export const posts = pgTable('posts', { id: serial('id').primaryKey(),\n"
         "  by: integer('by').references(() => users.id) });",
         "posts", [("id", "serial", ""), ("by", "integer", "users.id")]),
        ("import mongoose from 'mongoose';\n"
         "const schema = new mongoose.Schema({ name: String, team: { type: Id, ref: 'Team' } });\n"
         "mongoose.model('User', schema);",
         "users", [("name", "String", ""), ("team", "Id", "Team")]),
        ("import { Sequelize, Model, DataTypes } from 'sequelize';\nclass User extends Model {}\n"
         "User.init({ name: DataTypes.STRING }, { sequelize, tableName: 'users' });",
         "users", [("name", "STRING", "")]),
    ],
)  # fmt: skip
def test_mappers_have_entities(text: str, name: str, columns: list[tuple[str, str, str]]) -> None:
    (entity,) = typescript(text).entities
    assert entity.name == name
    assert [(each.name, each.type, each.references) for each in entity.columns] == columns


def test_jobs_are_told_with_what_starts_them() -> None:
    facts = typescript("""
        import { Worker, Queue } from 'bullmq';
        import cron from 'node-cron';
        import { Cron, Interval, Timeout } from '@nestjs/schedule';
        import { SubscribeMessage } from '@nestjs/websockets';
        new Worker('mail', send);
        const queue = new Queue('mail');
        cron.schedule('0 3 * * *', tidy);
        class Tasks { @Cron('5 * * * *', { name: 'by-the-hour' }) hourly() {} }
        class Delayed {
          @Interval('daily', 24 * HOUR_MS) daily() {}
          @Timeout(500) once() {}
        }
        class Chat { @SubscribeMessage('said') answer() {} }
        other.schedule('0 0 * * *', no);
        new Thread('no');
    """)
    assert [(j.name, j.kind, j.trigger, j.handler) for j in facts.jobs] == [
        ("mail", "worker", "mail", "send"),
        ("mail", "queue", "mail", ""),
        ("tidy", "schedule", "0 3 * * *", "tidy"),
        ("Tasks.hourly", "schedule", "5 * * * *", "Tasks.hourly"),
        ("Delayed.daily", "schedule", "every 24 * HOUR_MS ms", "Delayed.daily"),
        ("Delayed.once", "schedule", "after 500 ms", "Delayed.once"),
        ("Chat.answer", "consumer", "said", "Chat.answer"),
    ]


def test_objects_with_a_trigger_and_a_handler_define_jobs() -> None:
    facts = typescript("""
        const TIDY = 'internal.tidy';
        export const TIDY_JOB = {
          id: TIDY, name: 'Tidy up', trigger: { name: TIDY, cron: '0 3 * * *' },
          handler: async ({ io }) => { await io.run(); },
        } as const satisfies JobDefinition<typeof TIDY>;
        client.define({ name: 'mail', trigger: { name: 'mail.sent' }, handler: send });
        export const jobs = [
          { id: 'feed', trigger: { name: 'pets.fed' }, async handler() {} },
          { id: 'off', trigger: 'click', handler: send },
          { id: 'none', trigger: { name: 'none' } },
        ];
    """)
    assert [(j.name, j.kind, j.trigger, j.handler) for j in facts.jobs] == [
        ("internal.tidy", "schedule", "0 3 * * *", ""),
        ("mail", "queue", "mail.sent", "send"),
        ("feed", "queue", "pets.fed", ""),
    ]


def test_entries_are_where_programs_begin() -> None:
    facts = typescript("""
        import express from 'express';
        import { createRoot } from 'react-dom/client';
        const app = express();
        app.listen(3000);
        createRoot(element).render(view);
        emitter.listen(1);
    """)
    assert [(each.name, each.kind) for each in facts.entries] == [
        ("express.listen", "server"), ("react-dom/client.createRoot", "app"),
    ]  # fmt: skip
    assert javascript("#!/usr/bin/env node\nrun();").entries[0].kind == "script"


@pytest.mark.parametrize(
    ("end", "entries"),
    [
        ("work();\nawait main().catch(fail);", [("main", "main", 4)]),
        ("export const x = main();\nmain();", []),
        ("list.forEach(() => { main(); });", []),
        ("if (x) { main(); }", []),
    ],
)
def test_a_program_begins_in_the_function_that_a_file_without_exports_calls_last(
    end: str, entries: list[tuple[str, str, int]]
) -> None:
    facts = javascript(f"function main() {{ process.exit(); }}\nfunction work() {{}}\n{end}")
    assert [(it.name, it.kind, it.line) for it in facts.entries] == entries
    assert not javascript("function main() {}\nmain();").entries  # As pages in a browser do.


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("export default async function find() {}", "find"),
        ("const find = () => 1;\nexport default find;", "find"),
        ("export default memo(withUser(find, 1));", "find"),
        ("function find() {}\nexport { find as default };", "find"),
        ("function find() {}\nmodule.exports = find;", "find"),
        ("export default () => 1;", ""),
        ('export { default } from "./find";', ""),
    ],
)
def test_a_module_says_which_of_its_names_is_the_default(text: str, default: str) -> None:
    assert javascript(text).default == default


def test_tests_have_the_names_of_what_groups_them() -> None:
    facts = typescript("""
        import { test } from 'vitest';
        describe('cart', () => {
          it('adds', () => {});
          it.only('pays', async () => {});
          describe.skip('deep', function () { test.each([1])('goes %s', () => {}) });
        });
        it('has no function');
        /x/.test('no', () => {});
    """)
    names = ["cart > adds", "cart > pays", "cart > deep > goes %s"]
    assert [each.name for each in facts.tests] == names
    assert typescript("import { it } from 'lib'; it('x', () => {})").tests == ()


def test_a_comment_says_what_a_file_is_about() -> None:
    facts = typescript("""
        /** @fileoverview Carts and what is in them. More. */
        export function old() {}
    """)
    assert facts.doc == "Carts and what is in them."


def test_tables_of_variables_are_settings() -> None:
    facts = javascript("""
        const config = {
          port: { env: 'PORT', default: 3000, doc: 'Where it listens.' },
          db: { host: { env: 'DB_HOST', format: String, default: 'localhost' } },
          stage: { env: 'PROD', url: 'https://example.org' },
          level: { env: 'low', default: 1 },
        };
        module.exports.Options = { key: { env: 'APP_KEY', help: 'A key.', required: true } };
    """)  # fmt: skip
    assert facts.settings == (
        Setting("PORT", "env", 3, "3000", False, "Where it listens."),
        Setting("DB_HOST", "env", 4, "localhost"),
        Setting("APP_KEY", "env", 8, None, True, "A key."),
    )


def test_a_function_that_is_all_that_a_module_exports_is_public_under_its_name() -> None:
    facts = javascript("module.exports = function serve() {};\n")
    assert [(each.name, each.is_public) for each in facts.symbols] == [("serve", True)]
    assert javascript("module.exports = () => 1;\n").symbols == ()


def test_tables_of_knex_have_columns_with_types_keys_and_references() -> None:
    facts = typescript("""
        export async function up(knex: Knex): Promise<void> {
          await knex.schema.withSchema("public").createTable("pets", (table: Knex.TableBuilder) => {
            table.bigIncrements();
            table.string("name", 40).notNullable().unique();
            table.integer("owner_id").unsigned()
              .references("id").inTable("people").onDelete("CASCADE");
            table.specificType("tags", "text[]");
            table.uuid("kind_id");
            table.foreign("kind_id").references("kinds.id");
            table.uuid("code").primary();
            table.timestamps(true, true);
            table.index(["name"]);
            other.string("no");
          });
        }
        export async function down(knex: Knex) {
          await knex.schema.createTable("back", (table) => { table.text("a"); });
        }
        export default { down: (knex) => knex.schema.dropTable("pets") };
        builder.createTable("no", (table) => { table.text("a"); });
    """)
    (table,) = facts.entities
    assert (table.name, table.kind, table.framework) == ("pets", "table", "Knex")
    assert [(c.name, c.type, c.is_key, c.is_unique, c.references) for c in table.columns] == [
        ("id", "bigIncrements", True, False, ""),
        ("name", "string(40)", False, True, ""),
        ("owner_id", "integer", False, False, "people.id"),
        ("tags", "text[]", False, False, ""),
        ("kind_id", "uuid", False, False, "kinds.id"),
        ("code", "uuid", True, False, ""),
        ("created_at", "timestamp", False, False, ""),
        ("updated_at", "timestamp", False, False, ""),
    ]


def test_a_schema_of_envalid_may_stand_in_a_constant_and_only_literals_are_defaults() -> None:
    facts = facts_of(
        "JavaScript",
        """
        const { cleanEnv, num, str } = require("envalid");
        const spec = {
          PORT: num({ default: 3000 }),
          NAME: str({ example: "x", default: "" }),
          LIMIT: num({ default: 60 * 60 }),
          KIND: str({ default: kinds[0] }),
          SECRET: str({ devDefault: "x" }),
        };
        module.exports = cleanEnv(process.env, spec);
        """,
    )
    assert [(it.name, it.default, it.is_required) for it in facts.settings] == [
        ("PORT", "3000", False), ("NAME", "", False), ("LIMIT", None, False),
        ("KIND", None, False), ("SECRET", None, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "referred"),
    [
        ("{ tableName: 'users' }", "users"),
        ("'users'", "users"),
        ("User", "User"),
        ("models.User", "models.User"),
        ("{ schema: 'a' }", ""),
        ("table('users')", ""),
    ],
)
def test_a_field_refers_to_the_model_that_is_named(model: str, referred: str) -> None:
    facts = javascript(
        "import { Model, DataTypes } from 'sequelize';\nclass Order extends Model {}\n"
        f"Order.init({{ userId: {{ references: {{ model: {model} }} }} }});"
    )
    assert [it.references for it in facts.entities[0].columns] == [referred]


def test_only_decorators_of_the_mapper_name_a_column() -> None:
    facts = typescript("""
        import { Entity, Column } from 'typeorm';
        import { ApiProperty } from '@nestjs/swagger';
        @Entity('orders') class Order {
          @ApiProperty({ name: 'shown' }) @Column() total: number;
          @Column({ name: 'kept' }) @ApiProperty({ name: 'shown' }) note: string;
        }
    """)
    assert [it.name for it in facts.entities[0].columns] == ["total", "kept"]
