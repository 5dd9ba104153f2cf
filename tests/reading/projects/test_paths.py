"""Which paths are the product, and which of them tests."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects import policy
from stationmaster.reading.projects.applications import units
from stationmaster.reading.projects.model import Settings
from stationmaster.reading.projects.paths import Products
from stationmaster.reading.projects.reading import products
from stationmaster.reading.projects.test_files import is_test, outside_packages
from tests.support.trees import files_of

WORDS = ("example", "samples", "sample", "demo", "data", "resources", "assets", "stubs",
         "templates", "fixtures", "vendor", "test", "spec", "it", "tools", "docs")  # fmt: skip
LAYOUTS = (
    "src/main/java/com/acme/{}", "app/src/main/kotlin/com/acme/{}", "src/{}/scala/acme/{{}}",
    "src/main/scala-3/{}", "src/commonMain/kotlin/{}", "java/com/acme/{}", "src/com/acme/{}",
    "modules/shop/src/main/groovy/{}/deep",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_of_packages_say_nothing(word: str, layout: str) -> None:
    folder = layout.format("main").format(word) if "{{" in layout else layout.format(word)
    assert Products().reason(f"{folder}/Shop.java") == ""
    assert not is_test(f"{folder}/Shop.java")
    assert not units.is_tooling(folder)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "root", ["src/test/java/com", "app/src/androidTest/kotlin", "src/test/scala"]
)
def test_packages_of_tests_are_tests_whatever_their_names(word: str, root: str) -> None:
    path = f"{root}/{word}/ShopTest.java"
    assert Products().reason(path) == ""
    assert is_test(path)
    assert is_test(f"{root}/{word}/Helper.java")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("java/examples/shop/Main.java", "example"),
        ("src/test/resources/shop.json", "fixture"),
        ("tests/data/shop.json", "fixture"),
        ("spec/resources/user_spec.rb", ""),
        ("tests/data/test_loading.py", ""),
        ("tests/fixtures/test_loading.py", "fixture"),
        ("src/node_modules/x/index.js", "vendored"),
        ("src/main/java/com/acme/__snapshots__/x.txt", "fixture"),
        ("lib/generators/templates/shop_spec.rb", "template"),
        ("javascript/examples/x.js", "example"),
        ("pkgs/shop_example/lib/main.dart", "example"),
        ("pkgs/no_example/lib/main.dart", ""),
        ("internal/view/assets/js/vue.js", "vendored"),
        ("public/jquery-3.6.0.slim.js", "vendored"),
        ("app/static/css/cards-2.1.css", "vendored"),
        ("public/js/site.js", ""),
        ("src/vue.js", ""),
        ("src/reports-2.1.js", ""),
    ],
)  # fmt: skip
def test_folders_outside_packages_say_what_they_hold(path: str, reason: str) -> None:
    assert Products({"", "pkgs/shop_example"}).reason(path) == reason


def test_the_part_outside_packages_ends_at_their_root() -> None:
    assert outside_packages("app/src/main/java/com/acme") == "app/src/main/java"
    assert outside_packages("src/app/examples") == "src/app/examples"
    assert outside_packages(".") == "."


def test_a_whole_project_below_tests_is_test_data_unless_it_is_a_suite() -> None:
    paths = [
        "pyproject.toml", "src/shop/__init__.py",
        "test/ecosystem/airflow/pyproject.toml", "test/ecosystem/airflow/LICENSE",
        "test/ecosystem/airflow/tests/test_x.py", "test/ecosystem/airflow/.env.example",
        "test/sites/one/package.json", "test/sites/one/index.js",
        "tests/browser/package.json", "tests/browser/shop.spec.ts",
        "tests/e2e/package.json", "tests/e2e/run.js",
    ]  # fmt: skip
    assert policy.folders(paths) == {"test/ecosystem/airflow", "test/sites/one"}
    sorter = products(files_of(dict.fromkeys(paths, "")), Settings())
    assert [path for path in paths if sorter.has(path)] == [*paths[:2], *paths[8:]]


def test_examples_are_the_product_where_there_is_nothing_else() -> None:
    alone = products(files_of({"demo/pom.xml": "", "demo/src/main/java/A.java": ""}), Settings())
    beside = products(files_of({"pom.xml": "", "demo/pom.xml": ""}), Settings())
    assert alone.has("demo/pom.xml")
    assert not beside.has("demo/pom.xml")
