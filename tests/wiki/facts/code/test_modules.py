import re
from collections.abc import Mapping

import pytest

from stationmaster.wiki.facts.code import modules as told
from stationmaster.wiki.facts.code.graph import edges
from stationmaster.wiki.facts.code.modules import Module, module_of, modules
from stationmaster.wiki.facts.model import Facts
from tests.wiki.commits import facts_of

BODY = "x = 1\n" * 250


def folders(*names: str, files: int = 4, body: str = BODY) -> dict[str, str]:
    return {f"{name}/file{n}.py": body for name in names for n in range(files)}


def split(contents: Mapping[str, str]) -> dict[str, Module]:
    """Modules by path, after a look at whether every source file is in exactly one."""
    facts = facts_of(contents)
    found = modules(facts)
    wanted = [path for path, each in facts.records.items() if each.file_class == "source"]
    assert sorted(path for each in found for path in each.files) == sorted(wanted)
    assert all(module_of(facts, path) == each.key for each in found for path in each.files)
    assert len({each.key for each in found}) == len({each.name for each in found}) == len(found)
    return {each.path: each for each in found}


def test_folders_below_the_source_are_modules_by_their_own_names() -> None:
    found = split({"pyproject.toml": "[project]\nname = 'shop'\n", "src/shop/__init__.py": BODY,
                   **folders("src/shop/cart", "src/shop/prices")})  # fmt: skip
    assert {path: (each.key, each.name) for path, each in found.items()} == {
        "src/shop": ("modules/shop", "shop"),
        "src/shop/cart": ("modules/cart", "cart"),
        "src/shop/prices": ("modules/prices", "prices"),
    }


def test_a_folder_of_few_lines_belongs_to_the_one_above() -> None:
    found = split({**folders("shop", "shop/cart"), "shop/tiny/__init__.py": "x = 1\n"})
    assert "shop/tiny/__init__.py" in found["shop"].files


def test_few_lines_beside_modules_are_none_of_the_root() -> None:
    found = split({"index.js": "a = 1\n", **folders("lib/cart", "lib/prices"),
                   "lib/utils/tiny.py": "x = 1\n", "side/tiny.py": "x = 1\n"})  # fmt: skip
    assert found["lib"].files == ("lib/utils/tiny.py",)
    assert "side/tiny.py" in found["."].files


def test_a_small_package_of_go_is_a_module_of_its_own() -> None:
    go = "package x\n" + "var a = 1\n" * 60
    found = split({"go.mod": "module example.com/shop\n", "main.go": "package main\n",
                   "cart/cart.go": go, "tiny/tiny.go": "package tiny\n"})  # fmt: skip
    assert "cart" in found
    assert "tiny/tiny.go" in found["."].files


def test_a_large_folder_falls_into_its_own_folders_and_a_small_one_stays_whole() -> None:
    large = [f"shop/large/part{n}" for n in range(11)]
    found = split(folders("shop/small/one", "shop/small/two", "shop", *large))
    assert set(found) == {"shop", "shop/small", *large}


def test_a_large_folder_that_is_mostly_in_large_ones_falls_into_them() -> None:
    large = [f"pkg/part{n}" for n in range(8)]
    crumbs = [f"pkg/tiny{n:02}" for n in range(20)]
    found = split({**folders(*large), **folders(*crumbs, body="x = 1\n" * 20)})
    assert set(found) == {"pkg", *large}


def test_a_large_folder_of_crumbs_stays_whole() -> None:
    crumbs = [f"shop/plugins/p{n:02}" for n in range(20)]
    found = split({**folders("shop"), **folders(*crumbs, body="x = 1\n" * 20)})
    assert set(found) == {"shop", "shop/plugins"}


def test_migrations_belong_to_what_they_migrate_however_many_there_are() -> None:
    found = split(folders("shop", "shop/cart", "shop/cart/sub")
                  | folders("shop/cart/migrations", files=60))  # fmt: skip
    assert set(found) == {"shop", "shop/cart"}


def flat(prefix: str, *others: str) -> dict[str, Module]:
    """Modules of a large flat folder in which many files begin with the same word."""
    return split({**folders("lib", files=30, body="x = 1\n"), **dict.fromkeys(others, BODY),
                  **{f"lib/{prefix}_{n}.py": BODY for n in range(12)},
                  **folders("app")})  # fmt: skip


@pytest.mark.parametrize("called_so", ["lib/http.py", "app/http.py", "https/client.py"])
def test_files_of_a_large_flat_folder_are_grouped_by_a_word_that_something_is_called_by(
    called_so: str,
) -> None:
    found = flat("http", called_so)
    assert found["lib/http*"].name == "lib/http"
    assert len(found["lib/http*"].files) == 12 + (called_so == "lib/http.py")
    assert len(found["lib"].files) == 30


@pytest.mark.parametrize(
    ("prefix", "others"),
    [("tokyo", ()), ("use", ("app/use.py",)), ("2024", ("2024/a.py",))],
)
def test_a_beginning_that_is_no_word_of_the_project_makes_no_module(
    prefix: str, others: tuple[str, ...]
) -> None:
    assert not [path for path in flat(prefix, *others) if path.endswith("*")]


def test_a_central_file_of_the_source_is_a_module_of_its_own() -> None:
    around = {f"shop/part{n}.py": "import shop.core\n" for n in range(9)}
    found = split({"shop/core.py": BODY, **around})
    assert found["shop/core.py"].key == "modules/core"
    assert len(found["shop"].files) == 9


def test_packages_are_named_with_the_unit_that_they_are_built_with() -> None:
    found = split({
        "packages/one/pyproject.toml": "[project]\nname = 'one'\n",
        "packages/two/pyproject.toml": "[project]\nname = 'two'\n",
        **folders("packages/one/src/one/api", "packages/one/src/one/db", "packages/two/src/two"),
    })  # fmt: skip
    assert {each.name: each.unit for each in found.values()} == {
        "one/api": "packages/one", "one/db": "packages/one", "two": "packages/two",
    }  # fmt: skip


def test_more_folders_than_pages_are_put_together_until_they_fit() -> None:
    many = [f"lib/group{n % 13}/part{n}" for n in range(300)]
    found = split(folders(*many, files=1))
    assert 1 < len(found) <= told.MODULES_MAX


@pytest.mark.parametrize("name", ["aux", "ünïcode wörds", "UPPER", "...", "a" * 200])
def test_keys_are_plain_and_lie_in_one_folder_whatever_a_folder_is_called(name: str) -> None:
    found = split({**folders("shop/upper", f"shop/{name}"), "main.py": BODY})
    for each in found.values():
        tail = each.key.removeprefix("modules/")
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,100}", tail)
        assert tail != "aux"


def test_a_commit_without_source_has_no_modules() -> None:
    assert modules(facts_of({"README.md": "# Nothing\n"})) == ()


def test_a_new_file_in_one_folder_changes_no_name_of_another() -> None:
    base = {"shop/__init__.py": BODY, **folders("shop/cart", "shop/prices")}

    def keys(facts: Facts) -> set[str]:
        return {each.key for each in modules(facts)}

    assert keys(facts_of(base)) == keys(facts_of({**base, "shop/cart/more.py": BODY}))


def test_a_piece_of_a_package_is_used_by_those_who_name_something_of_it() -> None:
    """Files of one package that are a module by their names: others import the package."""
    body = "package core\n" + "// A remark.\n" * 30
    user = 'package {0}\n\nimport "example.com/shop/core"\n' + "// A remark.\n" * 60
    facts = facts_of(
        {
            "go.mod": "module example.com/shop\n",
            "core/field.go": body + "type Field interface{}\n",
            **{f"core/field_{n}.go": body + f"type Field{n} struct{{}}\n" for n in range(6)},
            **{f"core/x{n}.go": body + f"type X{n} struct{{}}\n" for n in range(40)},
            "forms/forms.go": user.format("forms") + "var a = core.Field3{}\n",
            "jobs/jobs.go": user.format("jobs") + "func run(x core.X1) { x.Field() }\n",
            "all/all.go": user.format("all").replace('"ex', '_ "ex') + "var b = 1\n",
        }
    )
    names = {each.key: each.name for each in modules(facts)}
    assert sorted((names[each.start], names[each.end]) for each in edges(facts)) == [
        ("all", "core"),
        ("forms", "core/field"),
        ("jobs", "core"),
    ]


def test_a_file_that_only_makes_packages_register_themselves_is_a_module() -> None:
    body = "package {}\n" + "var a = 1\n" * 60
    facts = facts_of(
        {
            "go.mod": "module example.com/shop\n",
            "http/http.go": body.format("http"),
            "http/gzip/gzip.go": body.format("gzip") + 'import "example.com/shop/http"\n',
            "http/standard/imports.go": 'package standard\nimport _ "example.com/shop/http/gzip"\n',
        }
    )
    names = {each.key: each.path for each in modules(facts)}
    assert [(names[each.start], names[each.end]) for each in edges(facts)] == [
        ("http/gzip", "http"),
        ("http/standard", "http/gzip"),
    ]
