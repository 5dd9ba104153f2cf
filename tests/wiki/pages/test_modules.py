"""Which modules have a page."""

from tests.wiki.pages.shops import FILES, pages


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
    assert "It declares `third`." in told
    assert "`rule11.py`" in told


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
