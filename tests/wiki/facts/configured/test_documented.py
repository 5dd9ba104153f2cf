"""What documents say of settings, and settings that only they list."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def named(**files: str) -> dict[str, Configured]:
    """Settings by name; `files` are documents in `docs`, and the code in `shop/app.py`."""
    facts = facts_of({
        "shop/app.py": files.pop("code"),
        **{f"docs/{name}.{kind}": text for name, text in files.items()
           for kind in ("rst" if "::" in text or "``" in text else "md",)},
    })  # fmt: skip
    return {it.name: it for it in settings(facts)}


ASKING = (
    "def start(settings):\n    return (settings.getint('PAGE_SIZE'), settings['CACHE_DIR'],\n"
    "            getattr(settings, 'MAIL_HOST', None), settings.get('unknown_name'))\n"
)


def test_headings_of_a_document_on_settings_are_settings_where_the_code_asks_for_them() -> None:
    found = named(code=ASKING, settings="""\
Settings
========

.. setting:: PAGE_SIZE

PAGE_SIZE
---------

Default: ``16``

How many rows a page of the :ref:`catalogue <shop-catalogue>` has. More
are on the next one.

This is not the first paragraph.

CACHE_DIR
~~~~~~~~~

Default::

    {"kind": "folder"}

Where pages are kept, see :setting:`PAGE_SIZE`.

MAIL_HOST
~~~~~~~~~

.. note:: Only for shops.

Default: The host of the shop

The host - its name - that sends mail.

CASH_ONLY
~~~~~~~~~

Nobody asks for this one - yet.
""")  # fmt: skip
    assert {name: (it.kind, it.default, it.doc) for name, it in found.items()} == {
        "PAGE_SIZE": ("key", "16", "How many rows a page of the catalogue has. More are on the "
                      "next one."),
        "CACHE_DIR": ("key", None, "Where pages are kept, see PAGE_SIZE."),
        "MAIL_HOST": ("key", None, "The host - its name - that sends mail."),
    }  # fmt: skip
    assert found["PAGE_SIZE"].reads == (("shop/app.py", 2),)
    assert found["PAGE_SIZE"].documented == (("docs/settings.rst", 6),)


@pytest.mark.parametrize(
    "told",
    [
        "## `PAGE_SIZE`\n\nDefault: `16`\n\nRows of one page.\n",
        "### [`PAGE_SIZE=<number>`](#size) {#size}\n\n: Rows of one page.\n\n  Defaults to `16`.\n",
        "`PAGE_SIZE`\n: Rows of one page.\n: Default: `16`\n",
        "| Name | Default | Purpose |\n|---|---|---|\n| `PAGE_SIZE` | `16` | Rows of one page. |\n",
    ],
)
def test_a_definition_has_a_meaning_and_a_default(told: str) -> None:
    found = named(code="import os\nos.environ.get('PAGE_SIZE')\n", a=f"# Shop\n\n{told}")
    assert (found["PAGE_SIZE"].doc, found["PAGE_SIZE"].default) == ("Rows of one page.", "16")


def test_a_default_of_the_code_comes_before_that_of_a_document() -> None:
    found = named(
        code="import os\nos.environ.get('PAGE_SIZE', '8')\n",
        a="# Shop\n\n## PAGE_SIZE\n\nDefault: `16`\n",
    )
    assert found["PAGE_SIZE"].default == "8"


def test_names_of_documents_on_other_things_are_no_settings() -> None:
    table = "| Name | Description |\n|---|---|\n" + "".join(
        f"| `{name}` | What it is |\n" for name in ("PAGE_SIZE", "CACHE_DIR", "MAIL_HOST")
    )
    assert named(code=ASKING, rows=f"# Columns\n\n{table}") == {}


def test_documents_list_variables_that_only_what_the_program_is_built_on_reads() -> None:
    found = named(
        code="", a="# Shop\n\n## Environment variables\n\n- `TZ_DATA`: Where time zones are.\n"
    )
    assert [(it.name, it.kind, it.doc, it.count) for it in found.values()] == [
        ("TZ_DATA", "env", "Where time zones are.", 0)
    ]


def test_tables_of_restructuredtext_have_meanings_and_defaults_in_them() -> None:
    found = named(
        code=ASKING,
        manual="""\
Environment variables
=====================

.. list-table::
    :header-rows: 1

    - - Variable
      - Meaning and default
    - - ``SHOP_HOME``
      - Folder of all that is kept,
        for one user. Default: ``/opt/shop``.
    - - ``SHOP_PYTHON``
      - What runs it. Default: the one on the path.

=============  ===============
Variable       Description
=============  ===============
``SHOP_MAIL``  Who gets mail.
=============  ===============

Derived values
--------------

=============  ===============
Value          Description
=============  ===============
``SHOP_LOGS``  Where logs are.
=============  ===============
""",
    )
    lines = {name: it.documented[0][1] for name, it in found.items() if it.kind == "env"}
    assert lines == {"SHOP_HOME": 9, "SHOP_PYTHON": 12, "SHOP_MAIL": 18}
    assert {name: (found[name].doc, found[name].default) for name in lines} == {
        "SHOP_HOME": ("Folder of all that is kept, for one user.", "/opt/shop"),
        "SHOP_MAIL": ("Who gets mail.", None),
        "SHOP_PYTHON": ("What runs it. Default: the one on the path.", None),
    }


def test_a_row_of_a_table_is_cited_where_its_name_begins_the_line() -> None:
    found = named(
        code=ASKING,
        manual="""\
# Environment variables

| Variable     | Description                  |
| ------------ | ---------------------------- |
| `SHOP_COLOR` | One of those in `SHOP_RANGE` |
| `SHOP_RANGE` | All that there are           |
""",
    )
    assert found["SHOP_COLOR"].documented[0] == ("docs/manual.md", 5)
    assert found["SHOP_RANGE"].documented[0] == ("docs/manual.md", 6)


def test_a_list_that_begins_behind_the_colon_of_a_definition_has_its_first_point() -> None:
    found = named(
        code=ASKING,
        manual="""\
# Manual

## Environment variables

Colors are taken from variables:

:   - **SHOP_COLOR_ROW**: The color of rows
    - **SHOP_COLOR_HEAD**: The color of heads
""",
    )
    assert {name: it.doc for name, it in found.items() if it.kind == "env"} == {
        "SHOP_COLOR_ROW": "The color of rows",
        "SHOP_COLOR_HEAD": "The color of heads",
    }


def test_a_sentence_over_several_lines_is_taken_as_a_whole() -> None:
    found = named(
        code="import os\nos.environ.get('PAGE_SIZE')\n",
        a="# Shop\n\nThe shop has pages. With the variable PAGE_SIZE you\nset how many rows are on "
        "each of\nthem. It has more.\n",
    )
    assert found["PAGE_SIZE"].doc == (
        "With the variable PAGE_SIZE you set how many rows are on each of them."
    )


def test_marks_for_links_behind_a_heading_are_no_part_of_the_name() -> None:
    found = named(
        code="import os\nos.environ.get('PAGE_SIZE'), os.environ.get('CACHE_DIR')\n",
        settings="# Settings\n\n## `PAGE_SIZE` {: #PAGE_SIZE .rule }\n\nDefault: `16`\n\n"
        "How many rows a page has.\n\n## CACHE_DIR {#cache}\n\nWhere pages are kept.\n",
    )
    assert {name: (it.default, it.doc) for name, it in found.items()} == {
        "PAGE_SIZE": ("16", "How many rows a page has."),
        "CACHE_DIR": (None, "Where pages are kept."),
    }


def test_a_module_of_constants_has_the_defaults_of_settings_that_code_asks_for() -> None:
    facts = facts_of({
        "shop/default_settings.py": "# Rows of one page.\nPAGE_SIZE = 16\nCACHE_DIR = 'pages'\n"
        "MAIL_HOST = None\nA_B = 1\nC_D = 2\nNOT_READ = 3\n",
        "shop/app.py": f"{ASKING}def more(conf):\n    return conf['A_B'], conf.get('C_D')\n",
    })  # fmt: skip
    assert {it.name: (it.default, it.doc, it.count) for it in settings(facts)} == {
        "PAGE_SIZE": ("16", "Rows of one page.", 2),
        "CACHE_DIR": ("pages", "", 2),
        "MAIL_HOST": ("None", "", 2),
        "A_B": ("1", "", 2),
        "C_D": ("2", "", 2),
        "NOT_READ": ("3", "", 1),
    }


def test_keys_of_rust_below_others_are_told_of_below_headings_of_these() -> None:
    facts = facts_of({
        "Cargo.toml": "[package]\nname = 'shop'\n[dependencies]\ntoml = '1'\n",
        "src/config.rs": "#[derive(Default, Deserialize)]\nstruct Config<'a> {\n"
        " mail_box: mail::MailConfig<'a>,\n stalls: IndexMap<String, StallConfig<'a>>,\n}\n",
        "src/mail.rs": "#[derive(Deserialize)]\n#[serde(default)]\nstruct MailConfig<'a> {\n"
        " host: &'a str }\nimpl Default for MailConfig<'_> {\n fn default() -> Self {\n"
        '  Self { host: "a" }\n }\n}\n',
        "src/stall.rs": "#[derive(Default, Deserialize)]\nstruct StallConfig<'a> {\n"
        " name: &'a str }\n",
        "docs/config.md": "# Settings\n\n## Mail Box\n\n### Options\n\n| Option | Description |\n"
        "|---|---|\n| `host` | Who sends |\n\n## Till\n\n| Option | Description |\n|---|---|\n"
        "| `name` | Of the till |\n",
    })  # fmt: skip
    assert {it.name: (it.default, it.doc) for it in settings(facts)} == {
        "mail_box.host": ("a", "Who sends"), "stalls.*.name": (None, "")
    }  # fmt: skip


def test_a_file_that_a_document_shows_has_comments_above_its_keys() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "config/config.go": "package config\nimport (\n\"os\"\n\"gopkg.in/yaml.v2\"\n)\n"
        "type Mail struct {\nHost string `yaml:\"host\"`\nPort int `yaml:\"port\"`\n}\n"
        "type Config struct {\nMails []Mail `yaml:\"mail_rooms\"`\n}\n"
        "func Load(text string) (*Config, error) {\nc := &Config{}\n"
        "err := yaml.UnmarshalStrict([]byte(text), c)\nreturn c, err\n}\n"
        "func LoadFile(name string) (*Config, error) {\ncontent, err := os.ReadFile(name)\n"
        "return Load(string(content))\n}\n",
        "docs/configuration.md": "# Configuration\n\n## `<mail_room>`\n\n```yaml\n# Where the\n"
        "# mails go.\n[ host: <string> | default = \"a\" ]\n[ port: <int> ]\n```\n",
    })  # fmt: skip
    assert {it.name: (it.doc, it.default) for it in settings(facts)} == {
        "mail_rooms[].host": ("Where the mails go.", "a"), "mail_rooms[].port": ("", None)
    }  # fmt: skip


def test_a_comment_above_the_only_row_of_a_file_of_settings_says_what_it_means() -> None:
    facts = facts_of({
        "config/app.php": "<?php\nreturn [\n\n    // Rows that one page of the\n"
        "    // shop has. More are on others.\n    'size' => env('PAGE_SIZE', 16),\n\n"
        "    /*\n    |--------\n    | Cache\n    |--------\n    |\n"
        "    | This is where pages are kept.\n    |\n    */\n\n"
        "    'cache' => env('CACHE_DIR', slug(env('SHOP_WORD'))),\n\n"
        "    // All of the mail that is sent\n"
        "    'host' => env('MAIL_HOST'),\n    'port' => env('MAIL_PORT'),\n];\n",
    })  # fmt: skip
    assert {it.name: it.doc for it in settings(facts)} == {
        "CACHE_DIR": "This is where pages are kept. Value of app.cache.",
        "MAIL_HOST": "Value of app.host.",
        "MAIL_PORT": "Value of app.port.",
        "PAGE_SIZE": "Rows that one page of the shop has. More are on others. Value of app.size.",
        "SHOP_WORD": "",
    }


def test_the_first_line_of_a_comment_may_be_a_title() -> None:
    facts = facts_of(
        {".env.example": "# Address of the API\n# It is asked for prices\n# Of coins.\nAPI_URL=\n"}
    )
    assert [it.doc for it in settings(facts)] == [
        "Address of the API. It is asked for prices Of coins."
    ]


def test_a_word_of_the_name_in_the_column_of_defaults_is_none() -> None:
    table = "| Variable | Default | Description |\n| --- | --- | --- |\n"
    facts = facts_of({
        "docs/configuration.md": f"# Configuration\n\n{table}"
        "| `SHOP_DATABASE_URL` | `URL` | Where the data is kept |\n"
        "| `SHOP_LEVEL` | `INFO` | What is logged of it |\n",
        "run.py": "import os\nos.environ['SHOP_DATABASE_URL'], os.environ.get('SHOP_LEVEL')\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "SHOP_DATABASE_URL": None, "SHOP_LEVEL": "INFO",
    }  # fmt: skip


def test_a_cell_of_defaults_is_a_value_also_with_colons_and_as_a_list_or_code_with_spaces() -> None:
    facts = facts_of({
        "docs/environment-variables.md": "# Environment variables\n\n"
        "| Variable | Default | Description |\n| --- | --- | --- |\n"
        "| `SHOP_BIND` | :: | Where it listens |\n"
        '| `SHOP_SCOPES` | ["openid", "mail"] | What is asked for |\n'
        "| `SHOP_TITLE` | `My shop` | What pages are called |\n"
        "| `SHOP_HOST` | the name of the host | How it is reached |\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "SHOP_BIND": "::", "SHOP_SCOPES": '["openid", "mail"]', "SHOP_TITLE": "My shop",
        "SHOP_HOST": None,
    }  # fmt: skip


DEFINED = """\
from tornado.options import define

FILE = 'shop.py'
define("port", default=80, help="where it listens for all callers", type=int)
define("rows", type=int, default=5, help="the rows")
define("conf", default=FILE)
"""


def test_options_that_calls_define_for_all_modules_have_types_defaults_and_readers() -> None:
    facts = facts_of({
        "shop/options.py": DEFINED,
        "shop/app.py": "def start(options):\n    listen(options.port)\n"
        "    return [options.rows] * 12\n" + "    use(options.rows)\n" * 11,
        "docs/config.md": "# Configuration\n\n## rows\n\nHow many rows a page has.\n",
    })  # fmt: skip
    found = {it.name: it for it in settings(facts)}
    assert {name: (it.type, it.default, it.doc, it.count) for name, it in found.items()} == {
        "port": ("int", "80", "where it listens for all callers", 2),
        "rows": ("int", "5", "How many rows a page has.", 13),
        "conf": ("", "shop.py", "", 1),
    }
    assert found["port"].declared == (("shop/options.py", 4),)
    assert found["port"].reads == (("shop/options.py", 4), ("shop/app.py", 2))


def test_calls_of_a_registry_declare_settings_with_their_defaults_and_texts() -> None:
    more = "".join(f'Config.define("ROWS_{it}", {it}, "Rows of part {it}")\n' for it in range(6))
    facts = facts_of({
        "shop/config.py": "from conf import Config\n"
        'Config.define("SHOP_PORT", 80, "Where it listens " + "for callers", "Server")\n'
        'Config.define("SHOP_HOSTS", [], "Allowed hosts")\n'
        'Config.define("SHOP_TILLS", TILLS, "All of the tills")\n'
        f'Config.define("SHOP_NAME", None, "How it is called")\n{more}',
        "shop/errors.py": "".join(
            f'errors.register("E_{it}", {it}, "An error of the till")\n' for it in range(12)
        ),
        "shop/app.py": "def start(config):\n    listen(config.SHOP_PORT)\n",
        "docs/configuration.md": "# Configuration\n\n## SHOP_PORT\n\nThe port of the shop.\n",
    })  # fmt: skip
    rows = {it.name: it for it in settings(facts)}
    assert {name: (it.default, it.doc) for name, it in rows.items() if "ROWS" not in name} == {
        "SHOP_PORT": ("80", "Where it listens for callers"),
        "SHOP_HOSTS": ("[]", "Allowed hosts"),
        "SHOP_TILLS": ("TILLS", "All of the tills"),
        "SHOP_NAME": ("None", "How it is called"),
    }
    assert len(rows) == 10
    port = rows["SHOP_PORT"]
    assert port.declared == (("shop/config.py", 2),)
    assert port.reads == (("shop/config.py", 2), ("shop/app.py", 2))


def test_fewer_calls_than_a_registry_has_declare_nothing() -> None:
    facts = facts_of({
        "shop/config.py": "from conf import Config\n"
        + 'Config.define("SHOP_PORT", 80, "Where it listens")\n' * 9
    })  # fmt: skip
    assert settings(facts) == ()
