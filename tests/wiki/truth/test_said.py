"""What documents, recipes and manifests of a small repository say, and what a wiki makes of it."""

from __future__ import annotations

from textwrap import dedent

from stationmaster.wiki.facts.code.overview import parts
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.decisions import decisions
from stationmaster.wiki.facts.texts.drift import drifts
from stationmaster.wiki.facts.tooling.tasks import best, tasks
from tests.wiki.commits import facts_of


def tree(**files: str) -> Facts:
    return facts_of({path: dedent(text).lstrip("\n") for path, text in files.items()})


def test_quiet_recipes_of_just_are_recipes() -> None:
    facts = tree(**{
        "Justfile": "@default: test\n\n@test *options: init\n  pytest\n\n@init:\n  uv sync\n",
        "CONTRIBUTING.md": "Run `just test` and `just init`, never `just missing`.\n",
    })  # fmt: skip
    assert [each.name for each in drifts(facts)] == ["just missing"]


def test_code_by_indentation_is_code_and_an_item_of_a_list_is_none() -> None:
    facts = tree(**{
        "README.md": """
            # Shop

            To start it:

                ./gradlew bootRun

            - An item

                ./gradlew test
        """,
        "build.gradle": "plugins { id 'java' }\n",
    })  # fmt: skip
    run = best(facts, "run")
    assert run is not None
    assert (run.text, run.place.line) == ("./gradlew bootRun", 5)
    assert tasks(facts, "test") == ()


def test_a_target_builds_only_if_what_it_leads_to_builds() -> None:
    facts = tree(**{
        "Makefile": "test:\n\tpytest\n\nlint:\n\truff check --fix .\n\nall: lint test\n",
        "shop.py": "",
    })  # fmt: skip
    assert tasks(facts, "build") == ()
    facts = tree(**{"Makefile": "all: shop\n\nshop: shop.c\n\tcc -o shop shop.c\n", "shop.c": ""})
    assert [each.text for each in tasks(facts, "build")] == ["make all"]


def test_what_a_small_part_needs_is_no_way_to_begin() -> None:
    python = {f"shop/part{number}.py": "" for number in range(8)}
    facts = tree(**python, **{
        "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
        "package.json": '{"name": "shop-pages", "private": true}',
        "shop/static/page.js": "",
        "CONTRIBUTING.md": """
            ```
            npm install
            black --version
            playwright install
            pip install -e .
            ```
        """,
    })  # fmt: skip
    begin = best(facts, "install")
    assert begin is not None
    assert begin.text == "pip install -e ."
    assert [each.text for each in tasks(facts, "format")] == []


def test_parts_need_what_their_own_manifests_name() -> None:
    crate = '[package]\nname = "{}"\nversion = "1.0.0"\n'
    facts = tree(**{
        "Cargo.toml": crate.format("app") + '[[bin]]\nname = "app"\npath = "main.rs"\n'
        '[dependencies]\nsearch = { path = "search" }\n'
        'extra = { path = "extra", optional = true }\n'
        '[dev-dependencies]\nprinter = { path = "printer" }\n'
        '[workspace]\nmembers = ["search", "extra", "printer", "base"]\n',
        "main.rs": "fn main() {}\n",
        "search/Cargo.toml": crate.format("search")
        + '[dependencies]\nbase = { path = "../base" }\n',
        **{f"{name}/Cargo.toml": crate.format(name) for name in ("extra", "printer", "base")},
        **{f"{name}/src/lib.rs": "" for name in ("search", "extra", "printer", "base")},
    })  # fmt: skip
    known = {each.name: each for each in parts(facts)}
    app = known["app"]
    assert (app.uses, app.may_use, app.develops_with) == (("search",), ("extra",), ("printer",))
    assert known["search"].uses == ("base",)


def test_a_library_and_tests_that_parts_share_make_none_of_them_need_another() -> None:
    def project(*named: str, sdk: str = "Microsoft.NET.Sdk") -> str:
        needs = "".join(f'<ProjectReference Include="..\\{it}\\{it}.csproj" />' for it in named)
        return f'<Project Sdk="{sdk}"><ItemGroup>{needs}</ItemGroup></Project>'

    web = "Microsoft.NET.Sdk.Web"
    facts = tree(**{
        "Site/Site.csproj": project("Core", "Admin", sdk=web), "Site/Program.cs": "class A {}\n",
        "Api/Api.csproj": project("Core", sdk=web), "Api/Program.cs": "class B {}\n",
        "Admin/Admin.csproj": project("Core", sdk=web), "Admin/Program.cs": "class C {}\n",
        "Core/Core.csproj": project(), "Core/Order.cs": "class Order {}\n",
        "tests/SiteTests/SiteTests.csproj": project("../Site", "../Api"),
        "tests/SiteTests/SiteTests.cs": "class D {}\n",
    })  # fmt: skip
    assert {it.name: it.uses for it in parts(facts)} == {
        "Admin": (), "Api": (), "Site": ("Admin",)
    }  # fmt: skip


def test_templates_are_no_decisions_and_lead_nowhere() -> None:
    facts = tree(**{
        "docs/decisions/ADR-000-template.md": "# ADR: Title\n\nStatus: draft\n\n[x](NNN.md)\n",
        "docs/decisions/ADR-001-start.md": "# ADR-001: Begin\n\nStatus: accepted\n",
        "shop.py": "",
    })  # fmt: skip
    assert [(each.title, each.status) for each in decisions(facts)] == [("Begin", "accepted")]
    assert drifts(facts) == ()
