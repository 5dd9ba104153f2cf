"""A program is called what its manifest says, else what its folder says."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.programs import program_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nsell = "shop.__main__:run"\n'
    'buy = "shop:buy"\n',
    "shop/__init__.py": "from shop._buying import buy\n",
    "shop/_buying.py": "def buy(): ...\n",
    "shop/__main__.py": "def run(): ...\n",
    "tool/Cargo.toml": '[package]\nname = "tool"\n[[bin]]\nname = "rg"\npath = "core/main.rs"\n',
    "tool/core/main.rs": "fn main() {}\n",
    "tool/src/main.rs": "fn main() {}\n",
    "tool/src/args.rs": "struct Args {}\n",
    "tool/src/bin/bat/main.rs": "fn main() {}\n",
    "web/package.json": '{"name": "@shop/web", "bin": "./bin/run.js"}',
    "web/bin/run.js": "run()\n",
    "cmd/till/main.go": "package main\n\nfunc main() {}\n",
    "main.py": "print(1)\n",
    "scripts/seed.py": "print(1)\n",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("shop/__main__.py", "sell"),
        ("shop/_buying.py", "buy"),
        ("tool/core/main.rs", "rg"),
        ("tool/src/main.rs", "tool"),
        ("tool/src/args.rs", "tool"),
        ("tool/src/bin/bat/main.rs", "bat"),
        ("web/bin/run.js", "web"),
        ("cmd/till/main.go", "till"),
        ("main.py", "engine"),
        ("scripts/seed.py", "seed.py"),
    ],
)
def test_a_program_has_the_name_that_people_type(path: str, name: str) -> None:
    assert program_of(facts_of(FILES), path) == name


@pytest.mark.parametrize(
    "manifest",
    [
        {"pyproject.toml": "[project]\nscripts = 3\n"},
        {"pyproject.toml": "[project.scripts]\na = []\nb = 'nowhere:run'\n"},
        {"Cargo.toml": "bin = 3\n[package]\nname = 1\n"},
        {"package.json": '{"bin": [1], "name": {}}'},
        {"package.json": "[]"},
    ],
)
def test_a_manifest_of_another_form_names_nothing(manifest: dict[str, str]) -> None:
    assert program_of(facts_of({**manifest, "app/main.py": "run()\n"}), "app/main.py") == "engine"


def test_a_program_that_the_manifest_declares_begins_a_flow_before_files_of_helpers() -> None:
    body = "    a = 1\n    b = 2\n    return a + b\n"
    begin = "from shop.cart import fill, check\nfrom shop.pay import pay\n\ndef main():\n"
    facts = facts_of(
        {
            "pyproject.toml": '[project.scripts]\nsell = "shop.cli:main"\n',
            "shop/__init__.py": "",
            "shop/cli.py": f"{begin}    fill()\n    pay()\n    return check()\n",
            "shop/draw.py": f"{begin}    check()\n    pay()\n    return fill()\n\n"
            "if __name__ == '__main__':\n    main()\n",
            "shop/cart.py": f"def fill():\n    check()\n{body}\ndef check():\n{body}",
            "shop/pay.py": f"def pay():\n{body}",
        }
    )
    first = flow(facts, flows(facts)[0])
    assert (first.name, first.kind) == ("sell", "program")
    assert first.start == Spot("shop/cli.py", "main")
