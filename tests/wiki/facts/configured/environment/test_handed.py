"""Variables that functions of the project's own ask the environment for."""

from __future__ import annotations

from stationmaster.wiki.facts.configured.environment.handed import handed
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.pages.interfaces import configuration
from tests.wiki.commits import facts_of, written


def _read(files: dict[str, str]) -> dict[str, tuple[str | None, tuple[tuple[str, int], ...]]]:
    found = settings(facts_of(files))
    return {it.name: (it.default, it.reads) for it in found if it.kind == "env" and it.reads}


def test_names_that_functions_of_several_files_hand_on_to_the_environment() -> None:
    assert _read({
        "pyproject.toml": '[project]\nname = "shop"\n',
        "shop/__init__.py": "",
        "shop/base.py": "import os\n\n\ndef value(name: str) -> str | None:\n"
        '    return os.environ.get(name, OWN.get(name))\n\n\ndef other(name: str) -> str:\n'
        "    return OWN.get(name)\n",
        "shop/paths.py": "from shop.base import other, value\n\n\n"
        "def folder(env_name: str) -> Path | None:\n"
        "    return Path(found) if (found := value(env_name)) else None\n\n\n"
        'HOME = folder("SHOP_HOME")\nOTHER = other("SHOP_OTHER")\n',
        "shop/run.py": 'from shop.base import value\n\nif (it := value("SHOP_PYTHON")) is None:\n'
        "    it = value(\n        \"SHOP_FALLBACK\"\n    )\n",
        "shop/far.py": "def folder(name):\n    return name\n\n\nfolder(\"NOT_THIS\")\n",
    }) == {
        "SHOP_FALLBACK": (None, (("shop/run.py", 4),)),
        "SHOP_HOME": (None, (("shop/paths.py", 8),)),
        "SHOP_PYTHON": (None, (("shop/run.py", 3),)),
    }  # fmt: skip


def test_names_that_are_put_together_around_what_a_function_is_given() -> None:
    assert _read({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/main.rs": 'fn main() {\n    color("RED", Ansi::Red);\n}\n\n'
        "fn color(name: &str, default: Ansi) -> String {\n"
        '    let variable = format!("SHOP_COLOR_{name}");\n'
        "    match std::env::var(variable).as_deref() {\n        _ => default,\n    }\n}\n",
    }) == {"SHOP_COLOR_RED": (None, (("src/main.rs", 2),))}  # fmt: skip


def test_what_stands_in_where_a_function_has_a_parameter_for_it() -> None:
    assert _read({
        "package.json": "{}",
        "src/env.ts": "export function text(key: string, fallback: string): string {\n"
        "  return process.env[key] ?? fallback;\n}\n",
        "src/main.ts": 'import { text } from "./env";\n\nexport const port = text("PORT", "80");\n',
    }) == {"PORT": ("80", (("src/main.ts", 3),))}  # fmt: skip


_VARS = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/names.rs": "/// Where the till keeps its money.\n"
    'pub static SHOP_TILL: &str = "SHOP_TILL";\n'
    'pub const OLD_TILL: &str = "OLD_TILL";\n\n'
    "pub trait Names {\n    fn get(&self, name: &'static str) -> Option<String>;\n\n"
    "    fn either(&self, name: &'static str, fallback: &'static str) -> Option<String> {\n"
    "        self.get(name).or_else(|| self.get(fallback))\n    }\n}\n",
    "src/main.rs": "mod names;\nmod till;\n\nuse crate::names::Names;\n\nstruct Live;\n\n"
    "impl Names for Live {\n    fn get(&self, name: &'static str) -> Option<String> {\n"
    "        std::env::var(name).ok()\n    }\n}\n\n"
    "fn main() {\n    println!(\"{:?}\", std::env::var(names::OLD_TILL));\n}\n",
    "src/till.rs": "use crate::names::{self, Names};\n\n"
    "pub fn open<V: Names>(vars: &V, rows: &Rows) -> Option<String> {\n"
    '    rows.get("NOT_THIS");\n    vars.get("SHOP_OPEN")?;\n'
    "    vars\n        .either(names::SHOP_TILL, names::OLD_TILL)\n}\n",
}  # fmt: skip


def test_constants_that_methods_of_an_interface_are_given_with_what_is_said_of_them() -> None:
    settings_of = {it.name: it for it in settings(facts_of(_VARS)) if it.kind == "env"}
    assert {name: (it.default, it.doc) for name, it in settings_of.items()} == {
        "OLD_TILL": (None, ""),
        "SHOP_OPEN": (None, ""),
        "SHOP_TILL": (None, "Where the till keeps its money."),
    }
    assert settings_of["SHOP_TILL"].reads == (("src/till.rs", 7),)
    assert handed(facts_of(_VARS)).unnamed == ()


def test_a_page_says_where_a_program_makes_the_names_of_variables() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "shop/__init__.py": "",
        "shop/base.py": "import os\n\n\ndef value(name: str) -> str | None:\n"
        "    return os.environ.get(name)\n",
        "shop/run.py": 'from shop.base import value\n\nHOME = value("SHOP_HOME")\n\n\n'
        "def till(number: int) -> str | None:\n    return value(place(number))\n",
    }
    facts = facts_of(files)
    assert handed(facts).unnamed == (("shop/run.py", 7),)
    inside = "const it = text.replace(/x/g, (all, name) => { return process.env[name] })\n"
    assert handed(facts_of({"run.js": inside})).unnamed == (("run.js", 1),)
    page = written(facts, next(configuration.plan(facts)).write, key="configuration")
    assert "At least 1 environment variable was found." in page
    assert "where the program makes their names: [`shop/run.py:7`](source:shop/run.py#L7)" in page


def test_what_a_parameter_names_where_a_call_gives_nothing() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "shop/log.py": "import os\n\n\ndef logger(env_key='SHOP_LOG', level=1):\n"
        "    return os.getenv(env_key, None)\n\n\nlogger()\n",
    }
    assert _read(files) == {"SHOP_LOG": (None, (("shop/log.py", 4),))}
    assert handed(facts_of(files)).unnamed == ()


def test_properties_of_the_system_by_overloads_that_hand_their_name_on() -> None:
    found = settings(
        facts_of(
            {
                "pom.xml": "<project><artifactId>shop</artifactId></project>",
                "src/main/java/shop/Own.java": "package shop;\n\npublic class Own {\n"
                "    public static String get(final String name) {\n"
                "        return System.getProperty(name);\n    }\n\n"
                "    public static String get(final String name, final String def) {\n"
                "        final String val = get(name);\n"
                "        return val == null ? def : val;\n    }\n\n"
                "    public static int number(final String name, final int def) {\n"
                "        final String val = get(name);\n"
                "        return val == null ? def : Integer.parseInt(val);\n    }\n}\n",
                "src/main/java/shop/Till.java": "package shop;\n\npublic class Till {\n"
                "    static private final int ROWS = 30;\n\n    void open() {\n"
                '        String color = Own.get("shop.color");\n'
                '        String host = Own.get("shop.host", "127.0.0.1");\n'
                '        int rows = Own.number("shop.rows", ROWS);\n'
                '        int other = Own.number("shop.other", rows);\n'
                '        String home = Own.get("user.home");\n    }\n}\n',
            }
        )
    )
    assert {(it.name, it.kind, it.default) for it in found} == {
        ("shop.color", "key", None),
        ("shop.host", "key", "127.0.0.1"),
        ("shop.other", "key", None),
        ("shop.rows", "key", "30"),
    }  # fmt: skip


def test_an_option_is_set_by_the_variable_that_a_constant_of_another_file_names() -> None:
    assert _read({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nclap = "4"\n',
        "src/main.rs": "use clap::Parser;\nuse crate::names::TILL_VARIABLE;\nmod names;\n\n"
        '#[derive(Parser)]\nstruct Cli {\n    #[arg(long, env = TILL_VARIABLE)]\n    till: u8,\n'
        '    #[arg(long, env = "SHOP_ROWS")]\n    rows: u8,\n'
        "    #[arg(long, env = far::OTHER_VARIABLE)]\n    other: u8,\n}\n",
        "src/names.rs": 'pub const TILL_VARIABLE: &str = "SHOP_TILL";\n',
    }) == {
        "SHOP_ROWS": (None, (("src/main.rs", 10),)), "SHOP_TILL": (None, (("src/main.rs", 8),)),
    }  # fmt: skip


def test_functions_of_another_package_of_the_workspace_with_what_stands_in_at_each_call() -> None:
    assert _read({
        "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
        "packages/base/package.json": '{"name": "@shop/base"}',
        "packages/base/utils/env.ts": "export const env = <K extends Key>(variable: K) => {\n"
        "  return typeof process !== 'undefined' ? process?.env?.[variable] : undefined;\n};\n"
        "export const needed = <K extends Key>(variable: K, error?: Error): string => {\n"
        "  const value = env(variable);\n"
        "  if (!value) { throw error ?? new Error(variable); }\n  return value;\n};\n",
        "packages/till/package.json": '{"name": "@shop/till"}',
        "packages/till/main.ts": "import { env, needed } from '@shop/base/utils/env';\n"
        "import { env as other } from 'elsewhere';\nconst DEFAULT_TILLS = 3;\n"
        "start(Number(env('SHOP_ROWS')) || 50, env('SHOP_REGION') ?? \"eu-1\");\n"
        "start(needed('SHOP_KEY'), check(env('SHOP_FLAG')) || 1, other('SHOP_NO') ?? 2);\n"
        "start(Number(env('SHOP_TILLS')) || DEFAULT_TILLS, env('SHOP_SIZE') || size);\n",
    }) == {
        "SHOP_FLAG": (None, (("packages/till/main.ts", 5),)),
        "SHOP_KEY": (None, (("packages/till/main.ts", 5),)),
        "SHOP_REGION": ("eu-1", (("packages/till/main.ts", 4),)),
        "SHOP_ROWS": ("50", (("packages/till/main.ts", 4),)),
        "SHOP_SIZE": (None, (("packages/till/main.ts", 6),)),
        "SHOP_TILLS": ("3", (("packages/till/main.ts", 6),)),
    }  # fmt: skip
