"""Which modules have a page."""

import pytest

from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.pages.explaining import Shown, shown
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of
from tests.wiki.pages.shops import FILES, LONG, pages


def test_translations_are_one_module_without_a_page() -> None:
    words = "<?php\nreturn [\n" + "    'a' => 'Words',\n" * 250 + "];\n"
    texts = {
        f"lang/{own}{n}/{name}.php": words
        for own in "ab"
        for n in range(15)
        for name in ("forms", "mail", "setup")
    }
    told = pages({**FILES, **texts})
    assert not [key for key in told if key.startswith("modules/lang")]
    assert "| lang | " in told["architecture"]
    assert "modules/cart" in told


def test_what_many_files_have_in_common_is_told_once() -> None:
    rule = "def match(command):\n    return {n}\n\n\ndef fix(command):\n    return match(command)\n"
    rules = {f"shop/rules/rule{n}.py": rule.format(n=n) + "x = 1\n" * 30 for n in range(12)}
    rules["shop/rules/rule3.py"] += "\n\ndef third():\n    return 3\n"
    told = pages({**FILES, **rules, "shop/rules/__init__.py": ""})["modules/rules"]
    assert "Most of the 13 files declare `fix` (12 files) and `match` (12 files), as" in told
    assert "def match(command):\n    return " in told
    assert told.count("`match`") == 1
    assert "`rule11.py`" in told


def test_a_module_of_components_says_which() -> None:
    row = "<script>\nexport default {\n  name: 'x',\n}\n</script>\n\n<template>\n"
    row += "<p>a</p>\n" * 40 + "</template>\n"
    files = {f"shop/pages/parts/Part{n}.vue": row for n in range(5)}
    files["shop/pages/state.js"] = "export const limits = [1]\n" * 20
    told = pages({**FILES, **files})
    key = next(key for key in told if key.startswith("modules/") and "pages" in key)
    assert "## Components\n\n- `shop/pages/parts`: `Part0.vue`, `Part1.vue`" in told[key]


def test_migrations_are_no_central_types() -> None:
    past = "<?php\nclass AddTill{0} extends Migration\n{{\n    /** Reverses it all. */\n"
    past += "    public function down()\n    {{\n        $a = 1;\n    }}\n}}\n"
    files = {f"database/migrations/{n}_add_till.php": past.format(n) for n in range(9)}
    files["database/Seeds.php"] = (
        "<?php\nclass Seeds\n{\n    /** Fills the till. */\n    public function run()\n    {\n"
        "        $a = 1;\n    }\n}\n" + "// x\n" * 250
    )
    told = pages({**FILES, **files})["modules/database"]
    assert "| `run()` | Fills the till. |" in told
    assert "Reverses it all" not in told


def test_a_module_leads_to_what_goes_through_several_of_its_functions() -> None:
    body = "    a = 1\n    b = 2\n    return a + b\n"
    oven = "def {}():\n    {}()\n    {}()\n" + body
    found = pages({
        "pyproject.toml": '[project]\nname = "oven"\n[project.scripts]\noven = "oven.run:main"\n',
        "oven/__init__.py": "",
        "oven/run.py": "from oven.heat.fire import light\n\n\ndef main():\n    light()\n" + body,
        "oven/heat/__init__.py": "",
        "oven/heat/fire.py": oven.format("light", "gas", "spark")
        + "\n\n" + "\n\n".join(f"def {name}():\n{body}" for name in ("gas", "spark")),
        **{f"oven/heat/part{n}.py": f"from oven.heat.fire import gas\n\n\ndef p{n}():\n{body}"
           for n in range(5)},
        **{f"oven/rack/part{n}.py": f"def r{n}():\n{body}" for n in range(6)},
    })  # fmt: skip
    held = [page for key, page in found.items() if key.startswith("modules/") and "`light`" in page]
    assert len(held) == 1
    assert "[How the program oven works](../concepts/how-oven.md)" in held[0]


def test_what_every_type_has_is_not_listed() -> None:
    text = (
        "class Oven:\n    def __init__(self, size):\n        self.size = size\n\n"
        '    def heat(self):\n        """Make it hot for bread."""\n        return 1\n' + LONG
    )
    body = pages({**FILES, "shop/oven/bake.py": text, "shop/oven/a.py": "x = 1\n"})
    assert "Make it hot for bread." in body["modules/oven"]
    assert "__init__" not in body["modules/oven"].replace("__init__.py", "")


def described(files: dict[str, str], path: str, name: str) -> Shown:
    facts = facts_of(files)
    symbol = shown(Page(facts, "modules/shop", "shop"), facts, Spot(path, name))
    assert symbol is not None
    return symbol


def test_the_comment_of_an_overridden_method_is_not_that_of_the_override() -> None:
    base = (
        "package org.shop;\npublic interface Till {\n  /** Counts the coins of a day. */\n"
        "  int count(int day);\n}\n"
    )
    made = (
        "package org.shop;\n@Deprecated\npublic class SmallTill implements Till {\n"
        "  /** {@inheritDoc} */\n  @Override\n  public int count(int day) {\n    return day;\n  }\n"
        "  /** Opens the drawer by hand. */\n  @Deprecated\n  public void open() {\n    go();\n"
        "  }\n}\n"
    )
    folder = "src/main/java/org/shop"
    files = {f"{folder}/Till.java": base, f"{folder}/SmallTill.java": made}
    small = described(files, f"{folder}/SmallTill.java", "SmallTill")
    assert small.kind == "deprecated class"
    assert "Counts the coins" not in small.table
    assert "| Deprecated. Opens the drawer by hand. |" in small.table
    assert small.others == "`int count(int day)`"


@pytest.mark.parametrize(("path", "text"), [
    ("src/main/java/org/shop/Paid.java", "package org.shop;\npublic @interface Paid {\n"
     "  /** What it costs, in cents. */\n  int value();\n}\n"),
    ("src/main/kotlin/org/shop/Paid.kt", "package org.shop\n/** What must be paid. */\n"
     "annotation class Paid(\n  val value: Int,\n  val tax: Int,\n)\n"),
])  # fmt: skip
def test_types_that_mark_declarations_are_annotations(path: str, text: str) -> None:
    assert described({path: text}, path, "Paid").kind == "annotation"


def test_fields_of_typescript_are_no_methods() -> None:
    text = (
        "export class Till {\n  coins: Array<number> = [\n    1,\n    2,\n  ];\n"
        "  /** Of one day. */\n  count = (day: number) => {\n    return day;\n  };\n"
        "  open() {\n    return 1;\n  }\n}\n"
    )
    till = described({"src/till.ts": text}, "src/till.ts", "Till")
    assert "`open()`" in till.others
    assert "count = (" in till.table
    assert "coins" not in till.others


def test_what_a_type_builds_on_has_its_place_where_several_are_called_so() -> None:
    base = "class Base:\n    def run(self):\n        return {}\n"
    files = {
        "shop/till/base.py": base.format(1), "shop/oven/base.py": base.format(2),
        "shop/till/small.py": "from shop.till.base import Base\n\n\nclass Small(Base):\n"
        '    """A till for children."""\n',
    }  # fmt: skip
    small = described(files, "shop/till/small.py", "Small")
    assert small.bases == "`Base` ([`shop/till/base.py:1-3`](source:shop/till/base.py#L1-L3))"


def test_methods_of_go_are_called_without_what_they_are_of() -> None:
    method = "func (c *Cart) {0}({1}) int {{\n\treturn 1\n}}\n\n"
    long = ", ".join(f"part{n} map[string]int" for n in range(6))
    text = "package shop\n\ntype Cart struct {\n\ta int\n}\n\n" + method.format("Size", "")
    text += "// Empty removes all of it.\n" + method.format("Empty", "")
    cart = described({"go.mod": "module shop\n", "cart.go": text + method.format("Fill", long)},
                     "cart.go", "Cart")  # fmt: skip
    assert cart.others == "`Size() int`, `Fill(…)`"


def test_a_name_that_several_files_declare_does_not_say_what_they_hold() -> None:
    state = "export const state = {}\nexport const {} = 1\n" + "x()\n" * 90
    files = {f"store/{name}.js": state.replace("const {}", f"const {name}s")
             for name in ("user", "page", "site")}  # fmt: skip
    files |= {f"store/{name}.js": "export const state = {}\n" + "x()\n" * 90 for name in "ab"}
    body = pages({**FILES, **files})["modules/store"]
    assert "`state`" not in body


def test_a_module_of_what_is_left_does_not_say_that_it_lies_in_the_root() -> None:
    part = "def f{0}():\n    return {0}\n\n\ndef g{0}():\n    return {0}\n" + "x = 1\n" * 30
    paths = ("docs/conf.py", "docker/run.py", "tasks/a/make.py", "tasks/b/t.py", "setup.py")
    bodies = pages({**FILES, **{path: part.format(n) for n, path in enumerate(paths)}})
    assert "Its code is 4 files that belong to no other module." in bodies["modules/root"]


def test_scripts_of_which_only_settings_are_known_have_no_page() -> None:
    script = "\n".join(f"const a{n} = process.env.TILL_{n}" for n in range(8))
    files = {f"scripts/send{n}.mjs": script + "\nsend(a1)" * 250 for n in range(6)}
    told = pages({**FILES, **files, "package.json": '{"name": "web"}'})
    assert "TILL_1" in told["configuration"]
    assert "modules/scripts" not in told
    assert "| scripts | " in told["architecture"]
