"""A program is called what its manifest says, else what its folder says."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.programs import program_of
from stationmaster.wiki.facts.code.work import begins, commands
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.facts.tooling.programs.declared import programs
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


def test_what_a_program_loads_belongs_to_it_and_what_only_tests_load_to_none() -> None:
    flags = 'package {}\n\nimport "flag"\n\nvar n = flag.Int("{}", 2, "how many")\n'
    main = 'package main\n\nimport "example.com/till/cli"\n\nfunc main() { cli.Run() }\n'
    test = 'package cli\n\nimport "example.com/till/testutil"\n\nfunc TestRun() { testutil.Do() }\n'
    files = {
        "go.mod": "module example.com/till/v2\n",
        "cmd/till/main.go": main.replace("till/cli", "till/v2/cli"),
        "cmd/wrap/main.go": main.replace("till/cli", "till/v2/cli"),
        "_examples/s3/main.go": "package main\n\nfunc main() {}\n",
        "internal/cmd/gen/main.go": "package main\n\nfunc main() {}\n",
        "cli/run.go": flags.format("cli", "coins") + "func Run() {}\n",
        "cli/run_test.go": test.replace("till/", "till/v2/"),
        "testutil/do.go": flags.format("testutil", "slow") + "func Do() {}\n",
    }
    facts = facts_of(files, name="wrap")
    assert [it.name for it in programs(facts)] == ["wrap", "till"]
    assert [(it.program, it.options[0].names) for it in commands(facts)] == [("wrap", ("-coins",))]


def test_of_two_programs_that_load_a_file_it_belongs_to_the_one_whose_folder_it_is_in() -> None:
    sending = 'package cmd\n\nimport flag "github.com/spf13/pflag"\n\nfunc Run() {\n'
    sending += '\tflag.String("to", "", "Whom to send to")\n\tflag.Parse()\n}\n'
    imports = (
        'package main\n\nimport "example.org/till/send/cmd"\n\nfunc main() {\n\tcmd.Run()\n}\n'
    )
    facts = facts_of(
        {
            "go.mod": "module example.org/till\n\ngo 1.22\n",
            "main.go": imports,
            "send/main.go": imports,
            "send/cmd/cmd.go": sending,
        }
    )
    assert [(it.program, it.path) for it in commands(facts)] == [("send", "send/cmd/cmd.go")]


def test_a_script_that_only_loads_another_file_is_followed_into_it() -> None:
    files = {
        "package.json": '{"name": "till", "bin": {"till-dev": "bin/dev", "till": "bin/till"}}',
        "bin/till": ("100755", "#!/usr/bin/env node\nrequire('../lib/CLI.js');\n"),
        "bin/dev": ("100755", "#!/usr/bin/env node\nrequire('../lib/Dev.js');\n"),
        "lib/Dev.js": "const pay = require('./pay');\npay();\n",
        "lib/CLI.js": "const commander = require('commander');\nconst pay = require('./pay');\n"
        "commander.command('add').action(pay);\ncommander.parse();\npay();\n",
        "lib/pay.js": "module.exports = function pay() { count(); };\nfunction count() {}\n",
    }
    facts = facts_of(files, name="till")
    assert [(it.program, it.below, it.words) for it in commands(facts)] == [
        ("till", "till", ("add",))
    ]  # fmt: skip
    made = [flow(facts, key) for key in flows(facts)]
    assert [(it.name, it.kind, it.start.path) for it in made][:2] == [
        ("till", "program", "lib/CLI.js"), ("till-dev", "program", "lib/Dev.js"),
    ]  # fmt: skip


def test_a_command_of_another_program_is_called_with_it_and_what_only_tries_a_file_is_none() -> (
    None
):
    points = "entry_points={\n    'celery.commands': [\n        'till = shop.till:run',\n    ],\n}"
    facts = facts_of({
        "setup.py": f"from setuptools import setup\nsetup(name='shop', {points})\n",
        "shop/__init__.py": "", "shop/till.py": "from shop.coins import count\n\ndef run(): ...\n",
        "shop/coins.py": "def count(): ...\n\nif __name__ == '__main__':\n    count()\n",
        "shop/empty.py": "def clear(): ...\n\nif __name__ == '__main__':\n    clear()\n",
    })  # fmt: skip
    (program,) = programs(facts)
    assert (program.name, program.path, program.place.line) == ("celery till", "shop/till.py", 4)
    assert [it.path for it in begins(facts)] == ["shop/empty.py"]
    facts = facts_of({"setup.py": "setup(entry_points={'distutils.commands': ['a = b:c']})\n"})
    assert not programs(facts)


def test_a_file_that_only_a_tag_of_its_own_builds_is_a_script_beside_the_program() -> None:
    flags = 'import "flag"\n\nfunc main() {{ flag.Bool("{}", false, "Do.") }}\n'
    files = {
        "go.mod": "module example.com/engine\n",
        "build.go": "//go:build tools\n\npackage main\n" + flags.format("fast"),
        "cmd/engine/main.go": "//go:build !man\n\npackage main\n" + flags.format("loud"),
        "cmd/engine/unix.go": "//go:build linux || (darwin && cgo)\n\npackage main\n",
        "cmd/engine/man.go": "//go:build man && linux\n\npackage main\n" + flags.format("pages"),
    }
    facts = facts_of(files)
    assert [(it.name, it.path) for it in programs(facts)] == [("engine", "cmd/engine/main.go")]
    assert [(it.name, it.kind, it.path) for it in begins(facts)] == [
        ("engine", "main", "cmd/engine/main.go"),
        ("build.go", "script", "build.go"),
        ("man.go", "script", "cmd/engine/man.go"),
    ]
    rows = {it.program: (it.options[0].names, it.is_beside) for it in commands(facts)}
    assert rows == {
        "engine": (("-loud",), False),
        "build.go": (("-fast",), True),
        "man.go": (("-pages",), True),
    }


def test_commands_of_structs_are_below_those_that_hold_them_in_other_files() -> None:
    kong = 'import "github.com/alecthomas/kong"\n'
    files = {
        "go.mod": "module example.com/engine\n",
        "cmd/engine/main.go": "package main\n"
        'import ("github.com/alecthomas/kong"; "example.com/engine/cmd/engine/cli")\n'
        'type CLI struct {\n Home string `help:"Where."`\n Cli cli.CLI `cmd:"" help:"All."`\n}\n'
        "func main() { var it CLI; kong.Parse(&it) }\n",
        "cmd/engine/cli/cli.go": f"package cli\n{kong}"
        'type CLI struct {\n Key string `help:"Opens."`\n Show show `cmd:"" help:"Shows."`\n'
        ' Debug debug `cmd:"" help:"Tries."`\n}\n',
        "cmd/engine/cli/show.go": f"package cli\n{kong}"
        'type show struct {\n Coins struct{} `cmd:"" help:"Shows coins."`\n}\n',
        "cmd/engine/cli/debug.go": "package cli\n"
        'type debug struct {\n File struct{} `cmd:"" help:"Shows a file."`\n}\n'
        'type unused struct {\n Never struct{} `cmd:"" help:"Nobody holds it."`\n}\n',
    }
    rows = [(it.below, it.words, [o.names[-1] for o in it.options])
            for it in commands(facts_of(files))]  # fmt: skip
    assert rows == [
        ("", (), ["--home"]),
        ("engine", ("cli",), ["--key"]),
        ("engine", ("cli", "debug"), []),
        ("engine", ("cli", "debug", "file"), []),
        ("engine", ("cli", "show"), []),
        ("engine", ("cli", "show", "coins"), []),
    ]


def test_neither_what_cargo_runs_to_build_nor_web_assembly_is_a_program() -> None:
    facts = facts_of(
        {
            "Cargo.toml": '[package]\nname = "shop"\nbuild = "src/make.rs"\n'
            '[workspace]\nmembers = ["signs"]\n',
            "src/main.rs": "fn main() {}\n",
            "src/make.rs": "fn main() {}\n",
            "signs/Cargo.toml": '[package]\nname = "signs"\n',
            "signs/.cargo/config.toml": '[build]\ntarget = "wasm32-wasip1"\n',
            "signs/src/main.rs": "register_plugin!(Sign);\n\nstruct Sign;\n",
        }
    )
    assert [(it.name, it.path) for it in begins(facts)] == [("shop", "src/main.rs")]
    assert [it.name for it in programs(facts)] == ["shop"]
    kinds = {app.name: app.kinds for app in facts.tree.project.apps}
    assert kinds == {"shop": {"cli"}, "signs": {"library"}}
