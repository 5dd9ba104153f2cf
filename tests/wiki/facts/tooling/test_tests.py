from collections.abc import Mapping

import pytest

from stationmaster.reading.code import model
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import tests as told
from stationmaster.wiki.facts.tooling.tests import Area, area_of
from tests.wiki.commits import facts_of

BODY = "def f():\n    return 1\n" * 120
CONTENTS = {
    "pyproject.toml": "[project]\nname='shop'\n[tool.pytest.ini_options]\naddopts='-q'\n",
    "shop/__init__.py": "",
    **{f"shop/{name}/m{n}.py": BODY for name in ("cart", "mail") for n in range(4)},
    "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef shop():\n    pass\n",
    "tests/unit/test_cart.py": "from shop.cart import m0\n\ndef test_a():\n    pass\n",
    "tests/unit/test_more.py": "from shop.cart import m1\n\ndef test_b():\n    pass\n",
    "tests/data/one.json": "{}",
}


def declared(contents: Mapping[str, str]) -> Facts:
    """With the tests that the reader of the language would find."""
    facts = facts_of(contents)
    for path, said in facts.code.items():
        if path.startswith("tests/unit"):
            said.tests = (model.Test("test_a", 3),)
        elif path.endswith("conftest.py"):
            said.tests = (model.Test("shop", 4, "fixture"),)
    return facts


@pytest.fixture(scope="module")
def facts() -> Facts:
    return declared(CONTENTS)


@pytest.mark.parametrize(("path", "area"), [
    ("tests/test_a.py", "tests"), ("tests/unit/deep/test_a.py", "tests/unit"),
    ("core/src/test/java/a/B.java", "core/src/test/java"), ("src/a/b/c.test.ts", "src/a"),
    ("main_test.go", "."),
])  # fmt: skip
def test_tests_lie_in_areas(path: str, area: str) -> None:
    assert area_of(path) == area


def test_areas_are_counted_by_files(facts: Facts) -> None:
    assert [each for each in told.areas(facts) if each.path == "tests/unit"] == [
        Area("tests/unit", ("Python",), 2)
    ]


def test_a_test_reaches_the_modules_of_the_files_that_it_imports(facts: Facts) -> None:
    (found,) = told.reach(facts)
    assert (found.area, found.module, found.files) == ("tests/unit", "modules/cart", 2)
    assert told.of_module(facts, "modules/cart") == (
        "tests/unit/test_cart.py", "tests/unit/test_more.py",
    )  # fmt: skip


def test_fixtures_are_found_with_their_lines(facts: Facts) -> None:
    (fixture,) = told.fixtures(facts)
    assert (fixture.name, fixture.place.path) == ("shop", "tests/conftest.py")
    assert told.fixture_folders(facts) == (("tests/data", 1),)


def test_folders_of_what_tests_call_are_no_folders_of_tests() -> None:
    body = "test('adds', () => {});\n"
    contents = {"package.json": "{}", "lib/a.js": "export const a = 1;\n",
                "test/helpers/run.js": "export const run = 1;\n", "test/io/a.js": body}  # fmt: skip
    assert [each.path for each in told.areas(facts_of(contents))] == ["test/io"]
    tested = {**contents, "test/helpers/run.js": body}
    assert [each.path for each in told.areas(facts_of(tested))] == ["test/helpers", "test/io"]


def test_a_package_of_two_builds_is_reached_as_far_as_they_depend_on_one_another() -> None:
    code = "package tea.utils;\nclass {} {{\n" + "    void f() {{}}\n" * 40 + "}}\n"
    needs = "<dependency><groupId>a</groupId><artifactId>{}</artifactId></dependency>"
    pom = "<project><groupId>a</groupId><artifactId>{}</artifactId><dependencies>{}" \
          "</dependencies></project>"  # fmt: skip
    contents = {
        "core/pom.xml": pom.format("core", ""), "shop/pom.xml": pom.format("shop", ""),
        **{f"core/src/main/java/tea/utils/A{n}.java": code.format(f"A{n}") for n in range(4)},
        **{f"shop/src/main/java/tea/utils/B{n}.java": code.format(f"B{n}") for n in range(4)},
        "core/src/test/java/tea/utils/ATest.java": "package tea.utils;\nclass ATest {}\n",
    }  # fmt: skip
    alone = {each.module for each in told.reach(facts_of(contents))}
    asked = {**contents, "core/pom.xml": pom.format("core", needs.format("shop"))}
    both = {each.module for each in told.reach(facts_of(asked))}
    assert len(alone) == 1
    assert len(both) == 2
    assert alone < both


def test_tests_belong_to_the_one_folder_that_theirs_is_named_after() -> None:
    body = "test('adds', () => {});\n"
    code = "".join(f"export const a{n} = {n};\n" for n in range(400))
    contents = {
        "package.json": "{}", "index.js": code,
        **{f"lib/{name}/{n}.js": code for name in ("kill", "io") for n in range(4)},
        "test/kill/signal.js": f"import '../../index.js';\n{body}", "test/unit/io/read.js": body,
        "test/help/a.js": body,
    }  # fmt: skip
    reached = {(each.area, each.module) for each in told.reach(facts_of(contents))}
    assert ("test/kill", "modules/lib") in reached
    assert ("test/unit", "modules/lib") in reached
    assert all(area != "test/help" for area, _ in reached)
    twice = {**contents, **{f"web/kill/{n}.js": code for n in range(4)}}
    modules = {each.module for each in told.reach(facts_of(twice)) if each.area == "test/kill"}
    assert modules == {"modules/engine"}


def test_a_folder_in_which_no_runner_finds_a_test_is_no_place_of_tests() -> None:
    facts = facts_of(
        {
            "shop.rb": "",
            "test/cart_test.rb": "class CartTest < Minitest::Test\nend\n",
            "test/internal/config/routes.rb": "Rails.application.routes.draw do\nend\n",
        }
    )
    assert [area.path for area in told.areas(facts)] == ["test"]


def test_templates_of_a_generator_are_not_what_tests_work_on() -> None:
    names = ("config.yml.tt", "cart.rb.tt", "till.rb.tt")
    paths = [f"lib/generators/shop/templates/{name}" for name in names]
    facts = facts_of({"shop.gemspec": "", **dict.fromkeys(paths, "x\n")})
    assert {facts.records[path].file_class for path in paths} == {"template"}
    assert told.fixture_folders(facts) == ()
