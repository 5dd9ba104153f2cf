"""What people type once the product is installed, by the manifests that say so."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.tooling.programs.declared import programs
from tests.wiki.commits import facts_of

PYTHON = {"shop/__init__.py": "", "shop/cli.py": "def run(): ...\n"}
ENTRIES = "entry_points={'console_scripts': ['sell=shop.cli:run']}"
GEM = "Gem::Specification.new do |s|\n  s.executables = ['sell']\nend\n"
BUILD = "project(shop)\nadd_executable(sell src/main.c)\nadd_executable(sell_test t.c)\n"
CASES = [
    ({**PYTHON, "setup.cfg": "[metadata]\nname = shop\n[options.entry_points]\nconsole_scripts =\n"
      "    sell = shop.cli:run\n\n[options.extras_require]\ndev = a\n"},
     "shop/cli.py", "setup.cfg", 5),
    ({**PYTHON, "setup.py": f"setup(name='shop', {ENTRIES})\n"}, "shop/cli.py", "setup.py", 1),
    ({"package.json": '{\n"name": "shop",\n"bin": {"sell": "./dist/index.js"}}',
      "src/index.ts": "run()\n"}, "src/index.ts", "package.json", 3),
    ({"composer.json": '{"name": "a/shop",\n"bin": ["bin/sell"]}',
      "bin/sell": "#!/usr/bin/env php\n"}, "bin/sell", "composer.json", 2),
    ({"shop.gemspec": GEM.replace("['sell']", "%w[ sell ]"),
      "bin/sell": "#!/usr/bin/env ruby\n"}, "bin/sell", "shop.gemspec", 2),
    ({"shop.gemspec": GEM, "exe/sell": "#!/usr/bin/env ruby\n"}, "exe/sell", "shop.gemspec", 2),
    ({"shop.gemspec": "Gem::Specification.new do |s|\n  s.executables = `git ls-files -- bin/*`"
      ".split.map { |f| File.basename(f) }\nend\n", "bin/sell": "#!/usr/bin/env ruby\n"},
     "bin/sell", "shop.gemspec", None),
    ({"CMakeLists.txt": BUILD, "src/main.c": "int main(void) { return 0; }\n", "t.c": ""},
     "src/main.c", "CMakeLists.txt", 2),
    ({"go.mod": "module example.com/shop\n", "cmd/sell/main.go": "package main\nfunc main() {}\n"},
     "cmd/sell/main.go", "cmd/sell/main.go", None),
    ({"setup.cfg": "[metadata]\nname = shop\n[options]\nscripts =\n    sell\n\nzip_safe = False\n",
      "sell": "#!/usr/bin/env python\n"}, "sell", "setup.cfg", 5),
]  # fmt: skip


@pytest.mark.parametrize(("contents", "path", "manifest", "line"), CASES)
def test_a_manifest_declares_what_is_typed(
    contents: dict[str, str], path: str, manifest: str, line: int | None
) -> None:
    (program,) = programs(facts_of(contents))
    place = program.place
    assert (program.name, program.path, place.path, place.line) == ("sell", path, manifest, line)


@pytest.mark.parametrize(
    ("manifest", "names"),
    [
        ('[[bin]]\nname = "shop-server"\npath = "src/bin/main.rs"\n', ["shop-server", "tool"]),
        ('[[bin]]\nname = "tool"\n', ["main", "tool"]),
        ('autobins = false\n[[bin]]\nname = "tool"\n', ["tool"]),
    ],
)
def test_a_file_of_cargo_is_one_program_however_it_is_declared(
    manifest: str, names: list[str]
) -> None:
    facts = facts_of({
        "Cargo.toml": f'[package]\nname = "shop"\n{manifest}',
        **{f"src/bin/{name}.rs": "fn main() {}\n" for name in ("main", "tool")},
    })  # fmt: skip
    assert sorted(program.name for program in programs(facts)) == names
    assert len({program.path for program in programs(facts)}) == len(names)


def test_programs_of_tools_and_of_packages_that_nobody_publishes_are_not_the_products() -> None:
    def package(name: str, more: str = "") -> str:
        return f'[package]\nname = "{name}"\n{more}'

    main = "fn main() {}\n"
    facts = facts_of({
        "Cargo.toml": package("shop"), "src/main.rs": main,
        "helper/Cargo.toml": package("helper", "publish = false\n"), "helper/src/main.rs": main,
        "tools/pack/Cargo.toml": package("pack"), "tools/pack/src/main.rs": main,
    })  # fmt: skip
    assert [program.name for program in programs(facts)] == ["shop"]


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({".goreleaser.yml": "builds:\n  - binary: sell\n    main: ./cmd\n    goos:\n"}, "sell"),
        ({"Makefile": "build:\n\tgo build -o bin/sell -ldflags='-s' ./cmd\n"}, "sell"),
        ({"Makefile": "build:\n\tgo build -o bin/sell ./cmd/tool\n"}, "shop"),
        ({"Makefile": "build:\n\tgo build -o ${BIN} ./cmd\n"}, "shop"),
        ({}, "shop"),
    ],
)
def test_a_folder_of_go_that_says_nothing_names_no_program(
    files: dict[str, str], name: str
) -> None:
    main = {
        "go.mod": "module example.com/shop/v2\n",
        "cmd/main.go": "package main\nfunc main() {}\n",
    }
    assert [it.name for it in programs(facts_of({**main, **files}))] == [name]


def test_a_program_of_cargo_is_declared_where_its_section_names_it() -> None:
    manifest = (
        '[package]\nhomepage = "https://example.com/shop"\nname = "shop"\n\n'
        '[[bin]]\nname = "shop"\npath = "src/till.rs"\n'
    )
    (program,) = programs(facts_of({"Cargo.toml": manifest, "src/till.rs": "fn main() {}\n"}))
    assert program.place.line == 6
    alone = {"Cargo.toml": manifest.partition("\n\n")[0], "src/main.rs": "fn main() {}\n"}
    (program,) = programs(facts_of(alone))
    assert program.place.line == 3
