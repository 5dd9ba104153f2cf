"""Keys of files of defaults that a program ships."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

PHP = """<?php

return [

    /*
    |------------
    | Open
    |------------
    |
    | Whether the shop is open to all (and not only to its members
    | who have paid.
    |
    | Supported: true, false
    |
    | This can be
    | changed
    | at
    | any
    | time.
    */

    'open' => true,

    'unused' => 1,

    'driver' => env('TILL_DRIVER', 'file'),
];
"""


def test_a_file_of_laravel_has_the_keys_that_the_code_asks_for() -> None:
    facts = facts_of({
        "config/shop.php": PHP,
        "app/Shop.php": "<?php\nreturn config('shop.open') && config('shop.driver');\n",
    })  # fmt: skip
    found = {it.name: (it.doc, it.default, it.reads, it.set_at) for it in settings(facts)}
    assert found["shop.open"] == (
        "Whether the shop is open to all (and not only to its members who have paid.", "true",
        (("app/Shop.php", 2),), (("config/shop.php", 22),),
    )  # fmt: skip
    assert {"shop.unused", "shop.driver"}.isdisjoint(found)
    assert found["TILL_DRIVER"][:2] == ("Value of shop.driver.", "file")


def test_a_file_of_yaml_has_keys_where_the_code_asks_for_half() -> None:
    files = {
        "shop/config_default.yaml": "# Where\nrows: 10\n\ntill:\n    # Whether the till is open to "
        "all.\n    open: yes\n\n    names: [a]\n",
        "shop/run.py": 'from shop import config\n\nuse(config["rows"].get(int))\n'
        'use(config["till"]["open"], config["till"])\n',
    }
    assert {it.name: (it.doc, it.default, it.reads) for it in settings(facts_of(files))} == {
        "rows": ("Where", "10", (("shop/run.py", 3),)),
        "till.open": ("Whether the till is open to all.", "yes", (("shop/run.py", 4),)),
        "till.names": ("", None, (("shop/run.py", 4),)),
    }
    assert not settings(facts_of({**files, "shop/run.py": "use(other)\n"}))


def test_a_file_with_sections_that_the_code_names_has_those_of_which_it_asks_for_half() -> None:
    files = {
        "shop/shoprc": "[main]\n# Whether the till is open to all.\nopen = True\n\n"
        "# Rows of a page, from one to a hundred.\nrows = 10 # of one\n# hidden = 3\n\n"
        "[colors]\nline = '#fff'\n\n[other]\nlast = 1\n",
        "shop/run.py": "from configobj import ConfigObj\n\nconfig = ConfigObj(FOLDER / 'shoprc')\n"
        "use(config['main'].as_bool('open'))\nuse(config.get('main', 'rows'))\n"
        "style(self.config['colors'])\n",
    }
    assert {it.name: (it.doc, it.default, it.reads) for it in settings(facts_of(files))} == {
        "[main] open": ("Whether the till is open to all.", "True", (("shop/run.py", 4),)),
        "[main] rows": ("Rows of a page, from one to a hundred.", None, (("shop/run.py", 5),)),
        "[colors] line": ("", "#fff", (("shop/run.py", 6),)),
    }
    manifest = "[tool]\nrows = 1\n[project]\nname = 'shop'\n"
    asking = "config = tomllib.load('pyproject.toml')\nuse(config['tool']['rows'])\n"
    assert not settings(facts_of({"pyproject.toml": manifest, "shop/run.py": asking}))
    unnamed = files["shop/run.py"].replace("shoprc", "otherrc")
    assert not settings(facts_of({**files, "shop/run.py": unnamed}))


def test_keys_of_json_are_those_of_the_defaults_of_node_config() -> None:
    files = {
        "config/default.json": '{\n  "till": {\n    "rows": 10\n  }\n}\n',
        "run.js": "const config = require('config');\nuse(config.get('till.rows'));\n",
    }
    assert [(it.name, it.default, it.reads) for it in settings(facts_of(files))] == [
        ("till.rows", "10", (("run.js", 2),))
    ]


def test_machines_and_mailboxes_that_a_shipped_file_names_are_not_told() -> None:
    """What code falls back on is told, for it is written for everybody."""
    files = {
        "config/default.json": '{"mail": "ada@till.org", "broker": "a.till.org:90", "rows": 10}\n',
        "shop.js": 'const config = require("config");\nconst mail = config.get("mail");\n'
        'start(config.get("broker"), config.get("rows"), process.env.SHOP || "https://till.org");\n',
    }
    assert {it.name: it.default for it in settings(facts_of(files))} == {
        "SHOP": "https://till.org", "mail": None, "broker": None, "rows": "10",
    }  # fmt: skip
