"""Variables whose names a literal has that a loop goes through."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

NAMES = {"SHOP_ROWS", "SHOP_OPEN"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'import os\n\nNAMES = ["SHOP_ROWS", "SHOP_OPEN"]\n\n\ndef f():\n'
         "    for name in NAMES:\n        use(os.environ.get(name))\n"),
        ("a.js", 'const NAMES = ["SHOP_ROWS", "SHOP_OPEN"];\n'
         "const first = NAMES.find((name) => process.env[name]);\n"),
        ("b.ts", "const TABLE: Record<string, string> = { SHOP_ROWS: 'rows', SHOP_OPEN: 'open' };\n"
         "for (const [name, key] of Object.entries(TABLE)) {\n  use(key, process.env[name]);\n}\n"),
        ("a.rs", 'use std::env;\n\nfn f() -> Option<String> {\n    let names = ["SHOP_ROWS", '
         '"SHOP_OPEN"];\n    env::var(names[0]).ok().or_else(|| env::var(names[1]).ok())\n}\n'),
        ("b.rs", 'const NAMES: &[&str] = &["SHOP_ROWS", "SHOP_OPEN"];\n\nfn f() {\n'
         "    NAMES.iter().find_map(|name| std::env::var(name).ok());\n}\n"),
        ("a.go", 'package a\n\nimport "os"\n\nvar names = []string{"SHOP_ROWS", "SHOP_OPEN"}\n\n'
         "func f() {\n\tfor _, name := range names {\n\t\tuse(os.Getenv(name))\n\t}\n}\n"),
        ("a.rb", 'NAMES = ["SHOP_ROWS", "SHOP_OPEN"].freeze\nNAMES.each do |name|\n'
         "  use(ENV[name])\nend\n"),
        ("a.php", "<?php\n$names = ['SHOP_ROWS', 'SHOP_OPEN'];\nforeach ($names as $name) {\n"
         "    use_it(getenv($name));\n}\n"),
    ],
)  # fmt: skip
def test_a_loop_asks_for_each_name(path: str, text: str) -> None:
    assert {it.name for it in settings(facts_of({path: text})) if it.reads} == NAMES


def test_a_table_of_another_file_has_the_defaults_beside_it() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/const.py": "DEFAULT_SETTINGS = {'rows': 10,\n                    'open': ALL,\n"
        "                    'names': []}\n\nVARIABLES = {'SHOP_ROWS': 'rows',\n"
        "             'SHOP_OPEN': 'open',\n             'SHOP_NAMES': 'names'}\n"
        "OTHER = {'SHOP_OTHER': 'rows'}\n",
        "shop/conf.py": "import os\nfrom . import const\n\n\ndef read():\n"
        "    return {key: value(name, key)\n            for name, key in const.VARIABLES.items()\n"
        "            if name in os.environ}\n\n\ndef other(it):\n    return it in os.environ\n",
    })  # fmt: skip
    assert {it.name: (it.default, it.reads) for it in settings(facts) if it.kind == "env"} == {
        "SHOP_ROWS": ("10", (("shop/conf.py", 8),)),
        "SHOP_OPEN": (None, (("shop/conf.py", 8),)),
        "SHOP_NAMES": ("[]", (("shop/conf.py", 8),)),
    }


def test_what_is_no_list_of_names_says_nothing() -> None:
    text = (
        'import os\n\nNAMES = ["SHOP_ROWS", other()]\n\n\ndef f():\n    for name in NAMES:\n'
        "        use(os.environ.get(name))\n"
    )
    assert not settings(facts_of({"a.py": text}))
