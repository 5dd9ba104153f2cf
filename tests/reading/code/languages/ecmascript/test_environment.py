"""Variables of the environment in JavaScript: their defaults, and functions that read them."""

from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import Setting
from tests.reading.code.reading import facts_of

typescript = partial(facts_of, "TypeScript")


def settings(text: str) -> dict[str, Setting]:
    return {each.name: each for each in typescript(text).settings}


@pytest.mark.parametrize(
    ("expression", "default"),
    [
        ("process.env.PORT || 'x'", "x"),
        ("process.env.PORT ?? ''", ""),
        ("args.port || process.env.PORT || found() || 3001", "3001"),
        ("(process.env.PORT || process.env.OTHER) ?? 3001", "3001"),
        ("parseInt(process.env.PORT || '3001', 10)", "3001"),
        ("Number(process.env.PORT) || 3001", "3001"),
        ("process.env.PORT?.trim() || 3001", "3001"),
        ("Number(process.env.PORT || '') || 3001", "3001"),
        ("Number(process.env.PORT || 0) || other", None),
        ("(process.env.PORT || '') ?? 3001", ""),
        ("process.env.PORT ? Number(process.env.PORT) : 3001", "3001"),
        ("[args.port, process.env.PORT, 3001].map(Number).find((each) => !isNaN(each))", "3001"),
        ("process.env.PORT ||= '3001'", "3001"),
        ("[process.env.PORT, 3001]", None),
        ("[process.env.PORT, 3001].filter(Boolean)", None),
        ("process.env.PORT || undefined", None),
        ("'x' || process.env.PORT", None),
        ("serve(process.env.PORT) || 3001", None),
        ("process.env.PORT === '1' || 3001", None),
        ("other ? process.env.PORT : 3001", None),
    ],
)
def test_a_default_is_what_an_expression_falls_back_to(
    expression: str, default: str | None
) -> None:
    assert settings(f"const port = {expression};")["PORT"].default == default


def test_a_variable_that_is_set_where_it_is_missing_has_that_default() -> None:
    text = "if (!process.env.MODE) {\n  process.env.MODE = 'strict';\n}\n"
    assert {each.default for each in typescript(text).settings} == {None, "strict"}
    assert typescript("if (x) { process.env.MODE = 'strict'; }").settings == ()


@pytest.mark.parametrize("other", ['process.env[name + "_FILE"]', "process.env[`${name}_FILE`]"])
def test_a_function_that_reads_what_its_parameter_names_is_followed(other: str) -> None:
    text = (
        f"function fromEnv(name) {{\n  return process.env[name] || read({other});\n}}\n"
        'config.user = fromEnv("DB_USER")?.trim() || "root";\nfromEnv(key);\nlist.fromEnv("NO");\n'
    )
    assert typescript(text).settings == (
        Setting("DB_USER", "env", 4, "root"),
        Setting("DB_USER_FILE", "env", 4, doc="The path of a file with the value of DB_USER."),
    )


def test_such_a_function_may_have_a_default_or_fail() -> None:
    found = settings("""
        const text = (name: string, other = '') => process.env[name] ?? other;
        const needed = (name: string) => {
          const value = process.env[name];
          if (!value) { throw new Error(name); }
          return value;
        };
        const a = text('ONE', 'x'), b = text('TWO'), c = needed('THREE');
        const plain = (name) => table[name]; plain('FOUR');
    """)
    assert {name: (each.default, each.is_required) for name, each in found.items()} == {
        "ONE": ("x", False), "TWO": (None, False), "THREE": (None, True),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import { getEnv } from './env';", ["PORT"]),
        ("import { getEnv } from 'package';", []),
        ("import { getEntry as getEnv } from '../entries';", ["PORT"]),
        ("import { environs } from './env'; const getEnv = environs;", []),
    ],
)
def test_such_a_function_may_stand_in_another_file_of_the_project(
    line: str, names: list[str]
) -> None:
    text = f"{line}\nconst port = getEnv('PORT', 3001), low = getEnv('port');\n"
    assert [(each.name, each.default) for each in typescript(text).settings] == [
        (name, "3001") for name in names
    ]


def test_a_meaning_is_what_stands_by_the_variable() -> None:
    found = settings("""
        // Where all of the data is kept.
        const dir = process.env.DATA_DIR || './data/';
        const port = process.env.PORT; // Listens here
        // eslint-disable-next-line no-process-env
        const key = process.env.KEY;
        // Not in the tests of it
        if (process.env.TESTED) { run(); }
    """)
    assert {name: each.doc for name, each in found.items()} == {
        "DATA_DIR": "Where all of the data is kept.", "PORT": "Listens here", "KEY": "",
        "TESTED": "",
    }  # fmt: skip


def test_a_default_out_of_a_list_of_words_is_told_apart() -> None:
    found = settings("""
        import { z } from 'zod';
        const schema = z.object({
          AUTH: z.enum(['ldap', 'oidc']).default('ldap'), NAME: z.string().default('ldap'),
        });
        schema.parse(process.env);
    """)
    assert {name: each.is_choice for name, each in found.items()} == {"AUTH": True, "NAME": False}


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("`SHOP_${name}_URL`", ["SHOP_<name>_URL"]),
        ("`SHOP_${till.name.toUpperCase()}_${ i + 1 }`", ["SHOP_<till>_<i>"]),
        ("`SHOP_URL`", ["SHOP_URL"]),
        ("`${name}_URL`", []),
        ("`shop_${name}`", []),
    ],
)
def test_a_name_that_is_put_together_is_a_pattern(key: str, names: list[str]) -> None:
    assert list(settings(f"const url = process.env[{key}];")) == names


def test_a_schema_that_is_changed_before_the_environment_is_parsed_by_it() -> None:
    facts = facts_of("TypeScript", """
        import { z } from "zod";
        const free = () => z.string().optional();
        const all = z.object({
          PORT: z.coerce.number().default(80).describe("Where it listens."),
          NAME: free(),
          HOST: z.string(),
          LANGS: z.string().prefault("eng").transform((s) => s.split(",")),
        });
        const schema = all.transform((value) => ({ port: value.PORT }));
        const config = schema.parse(process.env);
    """)  # fmt: skip
    assert [(it.name, it.default, it.is_required, it.doc) for it in facts.settings] == [
        ("PORT", "80", False, "Where it listens."),
        ("NAME", None, False, ""), ("HOST", None, True, ""), ("LANGS", "eng", False, ""),
    ]  # fmt: skip


def test_what_nest_asks_its_configuration_has_its_default() -> None:
    found = typescript("""
        import { ConfigService } from '@nestjs/config';
        export class Environment {
          constructor(private readonly configService: ConfigService) {}
          port() { return parseInt(this.configService.get<string>('PORT', '3000')); }
          host() { return this.configService.getOrThrow('HOST'); }
          url() { return this.configService.get<string>('URL') || 'http://localhost'; }
          depth() { return this.configService.get('till.depth'); }
          other() { return this.cache.get('OTHER'); }
        }
        async function start() {
          const config = app.get(ConfigService);
          config.get('MODE');
        }
    """).settings  # fmt: skip
    assert [(it.name, it.kind, it.default, it.is_required) for it in found] == [
        ("PORT", "env", "3000", False),
        ("HOST", "env", None, True),
        ("URL", "env", "http://localhost", False),
        ("till.depth", "key", None, False),
        ("MODE", "env", None, False),
    ]


def test_the_class_that_checks_an_environment_says_what_is_needed_and_allowed() -> None:
    found = typescript("""
        import { plainToInstance } from 'class-transformer';
        import { IsIn, IsNotEmpty, IsOptional, IsString, ValidateIf } from 'class-validator';
        export class Variables {
          @IsNotEmpty()
          URL: string;

          @IsOptional()
          @IsIn(['smtp', 'post'])
          MAIL: string;

          @ValidateIf((obj) => obj.MAIL === 'post')
          @IsNotEmpty()
          POST_KEY: string;

          @ValidateIf((obj) => obj.MAIL)
          @IsOptional()
          POST_URL: string;

          @IsString()
          MODE: string = 'quick';
        }
        export class PetDto { @IsNotEmpty() NAME: string; }
        export function validate(config: Record<string, any>) {
          return plainToInstance(Variables, config);
        }
    """).settings  # fmt: skip
    assert [(it.name, it.default, it.is_required, it.doc) for it in found] == [
        ("URL", None, True, ""),
        ("MAIL", None, False, "One of smtp, post."),
        ("POST_KEY", None, False, "Needed where MAIL === 'post'."),
        ("POST_URL", None, False, "Checked where MAIL is set."),
        ("MODE", "quick", False, ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        """
        const Joi = require('joi');
        const schema = Joi.object().keys({
            PORT: Joi.number().default(3000),
            URL: Joi.string().required().description('Where it is'),
            NAME: Joi.string(),
        }).unknown();
        const { value } = schema.prefs({}).validate(process.env);
        """,
        """
        import Joi from 'joi';
        const schema = Joi.object({
            PORT: Joi.number().default(3000),
            URL: Joi.string().required().description('Where it is'),
            NAME: Joi.string(),
        });
        export const config = Joi.attempt(process.env, schema, { convert: true });
        """,
        """
        import * as Joi from 'joi';
        ConfigModule.forRoot({
            validationSchema: Joi.object({
                PORT: Joi.number().default(3000),
                URL: Joi.string().required().description('Where it is'),
                NAME: Joi.string(),
            }),
        });
        """,
    ],
)
def test_the_keys_of_a_schema_of_joi_are_required_where_it_says_so(text: str) -> None:
    made = {it.name: (it.default, it.is_required, it.doc) for it in typescript(text).settings}
    assert made == {
        "PORT": ("3000", False, ""), "URL": (None, True, "Where it is"), "NAME": (None, False, ""),
    }  # fmt: skip


def test_a_method_of_the_environment_is_no_variable() -> None:
    assert not settings("if (process.env.hasOwnProperty('A')) {\n  start();\n}\n")


def test_a_comment_above_a_member_of_a_schema_says_what_it_means_unless_it_heads_several() -> None:
    facts = facts_of(
        "TypeScript",
        """
        import { createEnv } from "@t3-oss/env-nextjs";
        export const env = createEnv({ server: {
          /**
           * Settings of mail
           */
          MAIL_FROM: z.string(),
          MAIL_NAME: z.string(),
          /** Who may sign in. All may where it is empty. */
          ALLOWED: z.string(),
          OTHER: z.string(),
          /** Colour of all pages
           * @default "red"
           */
          COLOUR: z.string(),

          LAST: z.string(),
        } });
        """,
    )
    assert {it.name: it.doc for it in facts.settings} == {
        "MAIL_FROM": "",
        "MAIL_NAME": "",
        "ALLOWED": "Who may sign in. All may where it is empty.",
        "OTHER": "",
        "COLOUR": "Colour of all pages",
        "LAST": "",
    }


def test_each_name_of_a_list_that_a_program_goes_through_is_a_variable() -> None:
    found = settings("""
        const PROXIES = ["HTTP_PROXY", "http_proxy"] as const;
        const KEYS = ["API_KEY"];
        const CLEARED = ["TMP_KEY"];
        export const used = PROXIES.filter((name) => process.env[name]);
        for (const key of KEYS) {
          print(process.env[key]);
        }
        for (const key of CLEARED) {
          delete process.env[key];
        }
    """)
    assert {name: it.line for name, it in found.items()} == {
        "HTTP_PROXY": 5, "http_proxy": 5, "API_KEY": 7,
    }  # fmt: skip
