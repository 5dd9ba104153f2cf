"""Variables of the environment that keys can be set by."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("start", "port", "sender"),
    [
        ('Env::prefixed("SHOP_").split("__")', "SHOP_PORT", "SHOP_MAIL__SENDER"),
        ('Env::prefixed("SHOP_")', "SHOP_PORT", ""),
        ('Environment::with_prefix("SHOP")', "SHOP_PORT", ""),
        ('Environment::with_prefix("shop").separator("__")', "SHOP__PORT", "SHOP__MAIL__SENDER"),
        ('Env::prefixed("A_"); Env::prefixed("B_")', "", ""),
        ("Env::prefixed(prefix)", "", ""),
    ],
)
def test_keys_of_rust_and_their_variables(start: str, port: str, sender: str) -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nfigment = "1"\n',
        "src/settings.rs": "#[derive(Clone, Deserialize, Builder)]\npub struct Configuration {\n"
        '    #[builder(default = "80")]\n    pub port: u16,\n    pub mail: Mail,\n}\n'
        "#[derive(Deserialize, Builder)]\npub struct Mail {\n"
        '    #[builder(default = r#"String::from("me")"#)]\n    pub sender: String,\n}\n'
        f"pub fn load() {{ {start}; }}\n",
    })  # fmt: skip
    found = {it.name: (it.variable, it.default) for it in settings(facts)}
    assert found == {"port": (port, "80"), "mail.sender": (sender, "me")}


def test_a_key_that_a_variable_also_sets_means_what_a_sample_file_says_of_the_key() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "config.go": 'package shop\n\nimport "github.com/spf13/viper"\n\nfunc Load() int {\n'
        '\tviper.SetEnvPrefix("shop")\n\tviper.AutomaticEnv()\n'
        '\tviper.GetString("log.path")\n\tviper.GetString("path")\n'
        '\treturn viper.GetInt("rows")\n}\n',
        "config-example.yaml": "# How many rows a page has.\n#\n# For a small shop:\n# rows: 5\n"
        "rows: 10\n\npath: /srv\nlog:\n  # Where lines of the log go.\n  path: /var/log\n",
    })  # fmt: skip
    assert {it.name: (it.variable, it.doc) for it in settings(facts)} == {
        "log.path": ("", "Where lines of the log go."), "path": ("SHOP_PATH", ""),
        "rows": ("SHOP_ROWS", "How many rows a page has."),
    }  # fmt: skip


def test_a_heading_of_an_example_says_nothing_of_the_first_variable_below() -> None:
    facts = facts_of({".env.example": "# Database\nSHOP_HOST=\n# Its port.\nSHOP_PORT=\n"})
    assert [(it.name, it.doc) for it in settings(facts)] == [
        ("SHOP_HOST", ""), ("SHOP_PORT", "Its port."),
    ]  # fmt: skip


def test_a_comment_of_an_example_on_several_variables_is_no_meaning_of_the_first() -> None:
    rows = (
        "# Required settings\nDATABASE_URL=\nSECRET_KEY=\n\n"
        "# Camera & extract\nCAMERA_HOST=\nEXTRACT_HOST=\n\n"
        "# The port that the shop listens on\nSHOP_PORT=\nSHOP_HOST=\n"
    )
    facts = facts_of({".env.example": rows})
    assert {it.name: it.doc for it in settings(facts) if it.doc} == {
        "SHOP_PORT": "The port that the shop listens on"
    }


def test_a_licence_is_no_meaning_of_the_first_key_of_a_file() -> None:
    licence = "#\n# Copyright 2024 The shop\n#\n# Use it as you like, but say so.\n#\n"
    facts = facts_of({
        "pom.xml": "<project></project>",
        "src/main/resources/application.properties": f"{licence}till.rows=5\n",
    })  # fmt: skip
    assert [(it.name, it.doc) for it in settings(facts)] == [("till.rows", "")]


def test_a_variable_means_nothing_that_a_file_says_of_a_key_of_its_name() -> None:
    facts = facts_of(
        {
            "run.py": "import os\nuser = os.environ.get('USER')\n",
            "conf/app.ini": "[database]\n; Who logs in to the database.\nUSER = root\n",
        }
    )
    assert [(it.doc, it.documented) for it in settings(facts) if it.kind == "env"] == [("", ())]


def test_what_a_comment_takes_out_is_neither_read_nor_a_meaning() -> None:
    facts = facts_of({
        "shop/settings.py": "import os\n\n\ndef flag(name):\n    return os.environ.get(name)\n\n\n"
        "# OPEN = flag('SHOP_OPEN')  # Removed with the old till\n\n"
        "ROWS = os.environ.get('SHOP_ROWS')\nLATE = flag('SHOP_LATE')\n",
    })  # fmt: skip
    assert {it.name: it.doc for it in settings(facts) if it.kind == "env"} == {
        "SHOP_LATE": "", "SHOP_ROWS": "",
    }  # fmt: skip


def test_a_file_to_be_copied_has_the_keys_of_a_program_that_names_none() -> None:
    sample = "# Where the shop\n# listens for customers.\nport: 80\ndb:\n  kind: sqlite\n"
    files = {"config.sample.yml": sample, "run.js": "listen(load('config.yml'))\n"}
    assert {it.name: (it.doc, it.default, it.set_at) for it in settings(facts_of(files))} == {
        "db.kind": ("", None, (("config.sample.yml", 5),)),
        "port": ("Where the shop listens for customers.", None, (("config.sample.yml", 3),)),
    }
    aside = {"example/config.yaml": sample, "run.js": "listen(load('config.yml'))\n"}
    assert [it.name for it in settings(facts_of(aside))] == ["db.kind", "port"]
    rails = {"config/database.yml.example": "production:\n  adapter: mysql\n"}
    assert settings(facts_of(rails)) == ()


@pytest.mark.parametrize(
    ("start", "variable"),
    [
        ('b.AddEnvironmentVariables("SHOP_");', "SHOP_MAIL__SENDER"),
        ("b.AddEnvironmentVariables();", "MAIL__SENDER"),
        ("Host.CreateDefaultBuilder(args);", "MAIL__SENDER"),
        ("Host.CreateDefaultBuilder(args); c.Sources.Clear();", ""),
        ("b.AddEnvironmentVariables(prefix);", ""),
        ('b.AddEnvironmentVariables(); c.GetSection("Mail:Sender");', ""),
        ('b.AddEnvironmentVariables("A_").AddEnvironmentVariables("B_");', ""),
    ],
)
def test_keys_of_dotnet_have_the_variables_that_the_program_adds_and_a_file_names(
    start: str, variable: str
) -> None:
    code = 'class Start { void Run(IConfiguration c) { var a = c["Mail:Sender"]; '
    files = {"Shop.csproj": "<Project/>", "Start.cs": f"{code}{start} }} }}\n"}
    assert [(it.name, it.variable) for it in settings(facts_of(files))] == [("Mail:Sender", "")]
    files["Dockerfile"] = f"FROM a\nENV {variable or 'MAIL__SENDER'}=b\n"
    facts = facts_of(files)
    assert [(it.name, it.variable) for it in settings(facts)] == [("Mail:Sender", variable)]


def test_values_that_a_program_of_dotnet_begins_with_are_defaults() -> None:
    facts = facts_of({
        "Shop.csproj": "<Project/>",
        "Keys.cs": 'static class Keys {\n    public const string SizeKey = "cache:size";\n}\n',
        "Options.cs": "using static Shop.Keys;\n\nstatic class Options {\n"
        "    public static Dictionary<string, string?> Values => new()\n    {\n"
        '        { SizeKey, "20" },\n        { "host", bool.TrueString },\n    };\n'
        '    static Dictionary<string, string> Other = new() { { "no", "1" } };\n}\n',
        "Start.cs": "class Start { void Run() { b.AddInMemoryCollection(Options.Values); } }\n",
    })  # fmt: skip
    assert [(it.name, it.default) for it in settings(facts)] == [
        ("cache:size", "20"), ("host", "True"),
    ]  # fmt: skip


def test_a_constant_of_a_class_that_stands_for_a_missing_variable_is_followed() -> None:
    facts = facts_of({
        "composer.json": '{"autoload":{"psr-4":{"Shop\\\\":"app/"}}}',
        "config/backups.php": "<?php\n\nuse Shop\\Backup;\n\n"
        "return ['a' => env('DRIVER', Backup::WINGS)];\n",
        "app/Backup.php": "<?php\n\nnamespace Shop;\n\nclass Backup {\n"
        "    public const WINGS = 'wings';\n}\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)}["DRIVER"] == "wings"


def test_what_settings_of_django_assign_after_a_variable_of_the_name_is_read_is_no_default() -> (
    None
):
    facts = facts_of({
        "shop/settings.py": "import os\n\nSECRET_KEY = 'open'\nINSTALLED_APPS = []\n"
        "MIDDLEWARE = []\nROOT_URLCONF = ''\nTILL_SIZE = 5\n"
        "TILL_SIZE = os.getenv('TILL_SIZE') and 6\n"
        "OPEN_ALL = os.getenv('OPEN_ALL') is not None\nTILLS = OPEN_ALL\nOPEN_ALL = True\n",
    })  # fmt: skip
    rows = {it.name: it for it in settings(facts)}
    assert (rows["TILL_SIZE"].default, rows["OPEN_ALL"].default) == ("5", None)
    assert rows["OPEN_ALL"].reads == (("shop/settings.py", 9),)
    assert (rows["SECRET_KEY"].default, rows["SECRET_KEY"].has_hidden) == (None, True)
