import json

from stationmaster.wiki.pages.testing import plan
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.tooling.test_single_tests import JAVA
from tests.wiki.facts.tooling.test_tests import CONTENTS, declared
from tests.wiki.facts.tooling.test_usual import BUILD, SUREFIRE

MAKEFILE = "test:\n\tpytest\n"
WORKFLOW = "name: CI\non: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: pytest -q}]\n"
ALL = {**CONTENTS, "Makefile": MAKEFILE, ".github/workflows/ci.yml": WORKFLOW,
       "requirements-dev.txt": "pytest>=8\n"}  # fmt: skip


def page(contents: dict[str, str]) -> str:
    facts = declared(contents)
    (planned,) = plan(facts)
    return written(facts, planned.write, planned.subject, planned.key)


def test_it_says_where_tests_are_and_the_command_for_them() -> None:
    assert "Tests are in `tests/unit` and `tests`. `make test` runs them." in page(ALL)


def test_a_command_of_one_suite_is_said_to_run_that_alone() -> None:
    scripts = {"unit-test": "phpunit --testsuite unit", "coverage": "phpunit"}
    contents = {
        "composer.json": json.dumps({"name": "a/b", "scripts": scripts}),
        "src/Cart.php": "<?php\nclass Cart {}\n",
        "tests/CartTest.php": "<?php\nclass CartTest extends TestCase {}\n",
    }
    assert "`composer unit-test` runs the unit tests." in page(contents)


def test_a_command_of_a_folder_is_said_to_run_its_tests_alone() -> None:
    manifest = "[project]\nname='shop'\n[dependency-groups]\ndev = ['pytest>=8']\n"
    contents = {**CONTENTS, "web/Makefile": MAKEFILE, "pyproject.toml": manifest}
    assert "`make test` runs those of `web`." in page(contents)


def test_a_command_of_one_language_is_not_said_to_run_tests_in_another() -> None:
    contents = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "README.md": "# Shop\n\n## Development\n\n```sh\ncargo test\n```\n",
        ".github/workflows/ci.yml": WORKFLOW.replace("pytest -q", "cargo test --all"),
        "e2e/package.json": '{"devDependencies": {"@playwright/test": "^1"}}',
        "src/lib.rs": "#[test]\nfn sums() {}\n",
        **{f"e2e/tests/{name}.spec.ts": "test('x', () => {})\n" for name in "abcde"},
    }
    assert "`cargo test` runs those of the source files." in page(contents)
    contents["tests/api.rs"] = "#[test]\nfn asks() {}\n"
    assert "`cargo test` runs those in Rust and of the source files." in page(contents)


def test_a_command_that_selects_tests_is_not_said_to_run_all() -> None:
    guide = "# Work\n\n```sh\npython manage.py test shop.tests\n```\n"
    told = page({"manage.py": "", "CONTRIBUTING.md": guide, "shop/tests/test_till.py": "x = 1\n"})
    assert "`python manage.py test shop.tests` runs some of them." in told


def test_a_tool_and_its_set_up_are_one_row() -> None:
    told = page(ALL)
    assert "| `pytest` | `>=8` | [`requirements-dev.txt:1`]" in told
    assert told.count("pytest` |") == 1


def test_folders_of_tests_have_the_modules_that_they_reach_and_pipelines_their_command() -> None:
    told = page(ALL)
    assert "| `tests/unit` | unit | Python | cart |" in told
    assert "| CI | `t` | `pytest -q` |" in told


def test_it_says_how_one_test_is_run_and_what_fixtures_and_services_there_are() -> None:
    services = "    services: {postgres: {image: 'postgres:16'}}\n    steps:"
    told = page({
        **ALL,
        ".github/workflows/ci.yml": WORKFLOW.replace("    steps:", services),
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef shop():\n"
        '    """An empty shop."""\n    return 1\n',
    })  # fmt: skip
    assert "The pipeline starts PostgreSQL (" in told
    assert "| pytest | `pytest tests/unit/" in told
    assert "Tests are set up in [`tests/conftest.py`]" in told
    assert "those of a `conftest.py` are there for all tests in its folder and below." in told
    assert "| `shop` | An empty shop. |" in told


def test_without_tests_there_is_no_such_page() -> None:
    assert list(plan(facts_of({"a.py": "x = 1\n"}))) == []


def test_a_file_of_tests_is_enough_for_the_page() -> None:
    told = page({
        "src/main/java/shop/Cart.java": "package shop;\npublic class Cart {}\n",
        "src/test/java/shop/CartTest.java": "package shop;\nimport org.junit.jupiter.api.Test;\n"
        "class CartTest {\n    @Test\n    void adds() {}\n}\n",
    })  # fmt: skip
    assert "Tests are in `src/test/java`." in told


def test_examples_of_one_test_stand_apart_from_what_runs_all() -> None:
    guide = "```sh\npytest\npytest tests/test_cart.py::test_total\n```\n"
    told = page({"CONTRIBUTING.md": guide, "tests/test_cart.py": "def test_total(): pass\n"})
    whole, _, one = told.partition("## Run one test")
    assert "test_cart.py::test_total" not in whole
    assert "| `pytest tests/test_cart.py::test_total` | [`CONTRIBUTING.md:3`]" in one


def test_tests_that_no_build_of_maven_runs_are_said_to_be_skipped() -> None:
    skip = BUILD.format(SUREFIRE.format("<skip>true</skip>"))
    parent = "<parent><groupId>a</groupId><artifactId>tea</artifactId></parent>"
    contents = {
        "pom.xml": f"<project><modules><module>shop</module></modules>\n{skip}</project>",
        "shop/pom.xml": f"<project>{parent}<artifactId>shop</artifactId></project>",
        "shop/src/test/java/tea/CartTest.java": JAVA,
    }
    told = page(contents)
    assert "`mvn test` skips them." in told
    assert "## Run one test" not in told
    runs = {**contents, "pom.xml": contents["pom.xml"].replace("<skip>true", "<skip>false")}
    assert "`mvn test` runs them." in page(runs)
    assert "skips" not in page(runs)


def test_a_job_is_told_with_its_matrix_and_when_alone_a_step_of_it_runs() -> None:
    job = (
        "name: CI\non: push\njobs:\n  t:\n    runs-on: ${{ matrix.os }}\n    strategy:\n"
        "      matrix:\n        os: [linux, mac]\n        node: [22, 24]\n{}    steps:\n"
        "      - run: npm run lint\n        if: matrix.os == 'linux'\n      - run: pytest -q\n"
    )
    told = page({**ALL, ".github/workflows/ci.yml": job.replace("{}", "")})
    words = "It runs for every combination of `os` (`linux`, `mac`) and `node` (`22`, `24`)"
    assert f"{words}.\n" in told
    assert "| `npm run lint` | `matrix.os == 'linux'` |" in told
    more = "        include: [{os: win, node: 24}]\n"
    adds = page({**ALL, ".github/workflows/ci.yml": job.replace("{}", more)})
    assert f"{words}; its file adds to these or leaves some out." in adds


def test_the_same_command_of_many_parts_is_one_row() -> None:
    names = ("cup", "pot", "tray", "urn")
    contents = {f"{name}/Makefile": "test:\n\tprove -r t\n" for name in names}
    scripts = {f"{name}/t/a.test.js": "test('x', () => {});\n" for name in names}
    told = page(contents | scripts)
    assert "Its parts have commands of their own for them." in told
    assert "| `make test` | `cup`, `pot`, `tray` and 1 more | `prove -r t` |" in told


def test_a_command_for_tests_of_go_that_there_are_none_of_is_not_offered() -> None:
    contents = {
        "go.mod": "module x.org/shop\n",
        "main.go": "package main\n\nfunc main() {}\n",
        "Makefile": "test:\n\tgo test ./...\n",
        "web/package.json": '{"name": "web", "devDependencies": {"cypress": "15.0.0"}}',
        "web/cypress.config.js": "module.exports = {};\n",
        "web/cypress/e2e/cart.cy.js": "it('sells', () => { cy.visit('/'); });\n",
    }
    told = page(contents)
    assert "```sh\nnpx cypress run\n```" in told
    assert "```sh\nmake test\n```" not in told
