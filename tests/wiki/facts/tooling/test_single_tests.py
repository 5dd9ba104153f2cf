"""How one test is run, and what sets tests up."""

from __future__ import annotations

import json

import pytest

from stationmaster.wiki.facts.tooling import single_tests
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_usual import BUILD, SUREFIRE

PYTHON = "class TestCart:\n    def test_adds(self):\n        assert 1\n"
GO = 'package tea\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {}\n'
JAVA = "package tea;\nimport org.junit.jupiter.api.Test;\nclass CartTest {\n    @Test\n" \
       "    void adds() {}\n}\n"  # fmt: skip
JEST, VITEST, PLAYWRIGHT, AVA = (
    json.dumps({"devDependencies": {name: "^1"}})
    for name in ("jest", "vitest", "@playwright/test", "ava")
)
UNITS = (
    "import unittest\nclass CartTest(unittest.TestCase):\n    def test_adds(self):\n        pass\n"
)
SCRIPT = "it('adds', () => {});\n"
ON_PAGE = "import { test } from '@playwright/test';\ntest('adds', async () => {});\n"
XUNIT = "using Xunit;\nclass CartTests {\n    [Fact]\n    public void Adds() {}\n}\n"
UNIT = "<?php\nclass CartTest extends TestCase {\n    public function test_adds() {}\n}\n"


def commands(contents: dict[str, str]) -> list[tuple[str, str]]:
    return [(each.command, each.folder) for each in single_tests.singles(facts_of(contents))]


def test_a_test_of_a_class_for_others_to_extend_is_not_shown() -> None:
    base = UNIT.replace("class CartTest", "abstract class BagTestCase")
    manifest = '{"require-dev": {"phpunit/phpunit": "^11"}}'
    files = {"tests/BagTestCase.php": base, "tests/CartTest.php": UNIT}
    typed = "vendor/bin/phpunit --filter test_adds tests/CartTest.php"
    assert commands({"composer.json": manifest, **files}) == [(typed, ".")]


@pytest.mark.parametrize(
    ("contents", "command", "folder"),
    [
        ({"requirements.txt": "pytest\n", "tests/test_cart.py": PYTHON},
         "pytest tests/test_cart.py::TestCart::test_adds", "."),
        ({"pyproject.toml": "[dependency-groups]\ndev = ['pytest']\n", "uv.lock": "",
          "tests/test_cart.py": PYTHON}, "uv run pytest tests/test_cart.py::TestCart::test_adds",
         "."),
        ({"manage.py": "import django\n", "cart/tests.py": PYTHON},
         "python manage.py test cart.tests.TestCart.test_adds", "."),
        ({"go.mod": "module example.com/tea\n", "cart/cart_test.go": GO},
         "go test ./cart -run '^TestAdds$'", "."),
        ({"server/go.mod": "module example.com/tea\n", "server/cart/cart_test.go": GO},
         "go test ./cart -run '^TestAdds$'", "server"),
        ({"Cargo.toml": '[package]\nname = "tea"\n', "src/cart.rs": "#[test]\nfn adds() {}\n"},
         "cargo test adds", "."),
        ({".rspec": "", "spec/cart_spec.rb": "describe 'cart' do\n  it 'adds' do\n  end\nend\n"},
         "bundle exec rspec spec/cart_spec.rb:2", "."),
        ({"composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}',
          "tests/CartTest.php": UNIT},
         "vendor/bin/phpunit --filter test_adds tests/CartTest.php", "."),
        ({"package.json": JEST, "src/cart.test.js": SCRIPT}, "npx jest src/cart.test.js", "."),
        ({"web/package.json": VITEST, "web/pnpm-lock.yaml": "", "web/src/cart.test.ts": SCRIPT},
         "pnpm exec vitest run src/cart.test.ts", "web"),
        ({"package.json": PLAYWRIGHT, "e2e/cart.spec.ts": ON_PAGE},
         "npx playwright test e2e/cart.spec.ts", "."),
        ({"build.gradle": "", "gradlew": "", "src/test/java/tea/CartTest.java": JAVA},
         "./gradlew test --tests CartTest", "."),
        ({"gradlew": "", "a/b/build.gradle": "", "a/b/src/test/java/tea/CartTest.java": JAVA},
         "./gradlew :a:b:test --tests CartTest", "."),
        ({"pom.xml": "<project/>", "src/test/java/tea/CartTest.java": JAVA},
         "mvn test -Dtest=CartTest", "."),
        ({"package.json": AVA, "test/cart.js": "import test from 'ava';\ntest('adds', t => {});\n"},
         "npx ava test/cart.js", "."),
        ({"package.json": "{}", "test/cart.js":
          "const { test } = require('node:test');\ntest('adds', () => {});\n"},
         "node --test test/cart.js", "."),
        ({"package.json": "{}", "cart.test.ts":
          "import { test } from 'bun:test';\ntest('adds', () => {});\n"},
         "bun test cart.test.ts", "."),
        ({"Gemfile": "gem 'minitest'\n", "test/cart_test.rb":
          "class CartTest < Minitest::Test\n  def test_adds\n  end\nend\n"},
         "bundle exec ruby -Ilib -Itest test/cart_test.rb", "."),
        ({"setup.py": "", "Makefile": "test:\n\tpython -m unittest\n", "tests/test_cart.py": UNITS},
         "python -m unittest tests/test_cart.py", "."),
        ({"mix.exs": "", "test/cart_test.exs": "test\n"}, "mix test test/cart_test.exs", "."),
        ({"test/cart.bats": "@test \"adds\" {\n}\n"}, "bats test/cart.bats", "."),
        ({".busted": "", "spec/cart_spec.lua": "it()\n"}, "busted spec/cart_spec.lua", "."),
        ({"tests/Tea.Tests/Tea.Tests.csproj": "<Project/>", "tests/Tea.Tests/CartTests.cs": XUNIT},
         "dotnet test tests/Tea.Tests --filter CartTests", "."),
    ],
)  # fmt: skip
def test_one_test_is_run_as_its_tool_is_asked_for_it(
    contents: dict[str, str], command: str, folder: str
) -> None:
    assert commands(contents) == [(command, folder)]


@pytest.mark.parametrize(
    "contents",
    [
        {"package.json": PLAYWRIGHT, "src/cart.test.ts": SCRIPT},
        {"go.mod": "module example.com/tea\n", "a_test.go": "//go:build slow\n\n" + GO},
        {"build.gradle": "plugins { id 'com.android.application' }\n",
         "src/test/java/tea/CartTest.java": JAVA},
        {"package.json": JEST, "src/car$(x)/a.test.js": SCRIPT},
        {"tests/test_cart.py": PYTHON},
        {"setup.py": "", "Makefile": "test:\n\tnosetests\n", "tests/test_cart.py": UNITS},
        {"setup.py": "", "src/tests/test_cart.py": UNITS,
         "Makefile": "test:\n\tpython -m unittest discover -s src/tests\n"},
        {"setup.py": "", "src/tests.py": UNITS, "Makefile": "test:\n\tpython -m unittest\n"},
        {"spec/cart_spec.lua": "it()\n"},
    ],
)  # fmt: skip
def test_what_does_not_run_a_test_for_certain_is_not_told(contents: dict[str, str]) -> None:
    assert commands(contents) == []


def test_a_program_of_python_is_started_as_the_repository_starts_its_tests() -> None:
    makefile = "test:\n\tuv run --extra dev pytest .\n"
    contents = {"pyproject.toml": '[project]\nname = "tea"\ndependencies = ["pytest"]\n',
                "Makefile": makefile, "uv.lock": "", "tests/test_cart.py": PYTHON}  # fmt: skip
    ((command, _),) = commands(contents)
    assert command.startswith("uv run --extra dev pytest tests/test_cart.py")


def test_what_sets_tests_up_and_makes_their_objects_is_known_by_its_name() -> None:
    facts = facts_of({
        "conftest.py": "", "tests/unit/conftest.py": "", "spec/factories/cart.rb": "x = 1\n",
        "spec/factories/tea/pot.rb": "x = 1\n", "app/factories/cart.rb": "x = 1\n",
    })  # fmt: skip
    assert [each.path for each in single_tests.set_up(facts)] == [
        "conftest.py", "tests/unit/conftest.py",
    ]  # fmt: skip
    assert single_tests.factories(facts) == (("spec/factories", 2),)


def test_a_function_of_go_sets_up_the_tests_of_its_package_and_no_file_by_its_name() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "till/till_test.go": 'package till\n\nimport "testing"\n\nfunc TestMain(m *testing.M) {}\n',
        "cmd/main_test.go": 'package main\n\nimport "testing"\n\nfunc TestIt(t *testing.T) {}\n',
    })  # fmt: skip
    assert [(it.path, it.line) for it in single_tests.set_up(facts)] == [("till/till_test.go", 5)]


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("tests/unit", "unit"), ("apps/web-e2e/src", "end to end"),
     ("Tea.Integration.Tests", "integration"), ("tests/cart", "")],
)  # fmt: skip
def test_words_of_folders_tell_kinds_of_tests(folder: str, kind: str) -> None:
    assert single_tests.kind_of(folder) == kind


def test_a_test_that_its_build_skips_is_asked_for_where_a_property_runs_it() -> None:
    test = {"src/test/java/tea/CartTest.java": JAVA}
    pom = "<project><properties><skipTests>true</skipTests></properties></project>"
    typed = "mvn test -DskipTests=false -Dtest=CartTest"
    assert commands({"pom.xml": pom, **test}) == [(typed, ".")]
    skip = SUREFIRE.format("<skipTests>true</skipTests>")
    assert commands({"pom.xml": f"<project>{BUILD.format(skip)}</project>", **test}) == []


RUST = "#[test]\nfn adds() {}\n"
CRATE = '[package]\nname = "tea"\n'


@pytest.mark.parametrize(
    ("contents", "typed"),
    [
        ({"native/Cargo.toml": CRATE, "native/src/cart.rs": RUST}, ("cargo test adds", "native")),
        (
            {
                "Cargo.toml": '[package]\nname = "shop"\n[workspace]\nmembers = ["parts/*"]\n',
                "parts/cups/Cargo.toml": CRATE,
                "parts/cups/src/cart.rs": RUST,
            },
            ("cargo test -p tea adds", "."),
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "shop"\n',
                "parts/cups/Cargo.toml": CRATE,
                "parts/cups/src/cart.rs": RUST,
            },
            ("cargo test adds", "parts/cups"),
        ),
        (
            {
                "package.json": json.dumps({"devDependencies": {"vitest": "^1"}}),
                "packages/core/package.json": "{}",
                "packages/core/cart.test.ts": SCRIPT,
            },
            ("npx vitest run packages/core/cart.test.ts", "."),
        ),
        (
            {
                "package.json": json.dumps({"devDependencies": {"vitest": "^1"}}),
                "packages/core/package.json": json.dumps({"scripts": {"test": "vitest"}}),
                "packages/core/cart.test.ts": SCRIPT,
            },
            ("npx vitest run cart.test.ts", "packages/core"),
        ),
        (
            {
                "composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}',
                "bin/phpunit": "",
                "tests/CartTest.php": UNIT,
                "CONTRIBUTING.md": "# Test\n\n```sh\n./bin/phpunit\n```\n",
            },
            ("./bin/phpunit --filter test_adds tests/CartTest.php", "."),
        ),
        (
            {
                "requirements.txt": "pytest\n",
                "tests/test_cart.py": PYTHON,
                "scripts/test": '#!/bin/sh\n# pytest "$@"\n${PREFIX}coverage run -m pytest "$@"\n',
                "CONTRIBUTING.md": "# Test\n\n```sh\nscripts/test\n```\n",
            },
            ("scripts/test tests/test_cart.py::TestCart::test_adds", "."),
        ),
    ],
)
def test_one_test_runs_where_its_tool_is_set_up_with_the_program_of_the_repository(
    contents: dict[str, str], typed: tuple[str, str]
) -> None:
    assert commands(contents) == [typed]


def test_what_runs_in_browsers_by_karma_is_not_run_by_mocha_alone() -> None:
    packages = json.dumps({"devDependencies": {"mocha": "^1", "karma": "^6"}})
    assert commands({"package.json": packages, "test/cart.test.js": SCRIPT}) == []
