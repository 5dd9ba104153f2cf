"""Which paths are tests: one answer for readiness, wiki and the reading of code."""

from __future__ import annotations

import pytest

from stationmaster.catalogue.repositories.test_names import conventions
from stationmaster.reading.projects.test_files import (
    has_runner_name,
    holds_cases,
    in_tests,
    is_test,
    may_be_test,
)

TESTS = (
    # Python
    "shop/tests.py", "tests.py", "test_shop.py", "shop_test.py", "shop/tests/util.py",
    "conftest.py", "shop/conftest.py",
    # JavaScript and TypeScript
    "src/app.spec.ts", "src/app.test.tsx", "src/button.cy.ts", "src/app_test.ts", "x.test-d.ts",
    "module/Rest/test-api/Fixtures/ApiKeyFixture.php", "src/main/webapp/app/shop.spec.ts",
    "src/main/frontend/shop.test.js",
    "src/__tests__/app.js", "cypress/support/commands.ts", "src/app.specs.js",
    # Go, Rust
    "pkg/server_test.go", "src/tests.rs", "tests/cli.rs", "src/parser/tests/numbers.rs",
    # the JVM
    "src/test/java/com/acme/Helper.java", "src/com/acme/ShopTest.java", "src/com/TestShop.java",
    "ShopITCase.java", "src/commonTest/kotlin/Shop.kt", "src/it/simple/verify.groovy",
    "core/src/ShopSpec.scala",
    # .NET
    "src/ThingShould.cs", "src/Shop.Tests/Helper.cs", "UnitTests/Basket.cs", "src/ShopFacts.cs",
    # PHP, Ruby, Swift, C and C++
    "src/FooCest.php", "src/FooTest.php", "a/basic.phpt", "spec/shop_spec.rb", "test/shop.rb",
    "lib/shop_test.rb", "ShopTests/Helper.swift", "ShopSpec.swift", "src/test_list.c",
    "src/list-test.c", "src/ListTest.cpp", "src/unittest_list.cc", "regress/list.c",
    # others
    "t/basic.t", "lib/basic.t", "t/lib/Helper.pm", "t/t0001-init.sh", "lib/shop_test.exs",
    "src/shop_test.clj", "src/ShopSpec.hs", "lua/shop_spec.lua", "main.tftest.hcl",
    "src/shop_SUITE.erl", "shop_test.dart", "test-shop.R", "shop.bats", "src/test_shop.ml",
)  # fmt: skip
PRODUCT = (
    "src/main/java/com/acme/LoadTest.java", "src/main/kotlin/Test.kt",
    "src/jvmMain/kotlin/PodSpec.kt",
    "src/V1PodSpec.cs", "src/SalesFact.cs", "src/Contests/Contest.cs", "src/Latest.cs",
    "locales/it/common.js", "docs/it/guide.js", "src/t/index.ts", "pkg/util_tests.go",
    "lib/test_support.rb", "src/latest.ts", "src/contest.py", "src/attest.rs", "src/testing.py",
    "src/commands/test.ts", "src/cli/test.rs", "management/commands/test.py", "scripts/test.sh",
    "scripts/run_tests.sh", "test.sh", "src/testimonial.py", "Tester.java", "src/Testimonial.kt",
    "tests", "test", "src/.test", "",
)  # fmt: skip
LANGUAGES = sorted({row.language for row in conventions()})


@pytest.mark.parametrize("path", TESTS)
def test_a_name_or_a_folder_of_tests_makes_a_test(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", PRODUCT)
def test_other_names_and_folders_make_none(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    "path", ["test.py", "a/test.js", "src/cli/test.rs", "scripts/test.sh", "run_tests.sh", "test.c"]
)
def test_a_name_that_says_no_more_than_test_is_for_the_content_to_decide(path: str) -> None:
    assert may_be_test(path)
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("shop/tests.py", "Python"), ("test.py", "Python"), ("src/test/java/a/Shop.java", "Java"),
        ("spec/shop_spec.rb", "Ruby"), ("src/ThingShould.cs", "C#"), ("t/basic.t", "Perl"),
        ("tests/cli.rs", "Rust"), ("test/run.ml", "OCaml"), ("test.sh", "Shell"),
        ("test_shop.nim", "Nim"),
    ],
)  # fmt: skip
def test_cases_stand_in_files_that_runners_take(path: str, language: str) -> None:
    assert holds_cases(path, language)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("conftest.py", "Python"), ("tests/__init__.py", "Python"), ("tests/util.py", "Python"),
        ("spec/spec_helper.rb", "Ruby"), ("spec/shop.rb", "Ruby"), ("shop_test.go", "Python"),
        ("cypress/support/commands.ts", "JavaScript"), ("src/main/java/ShopTest.java", "Java"),
        ("shop.nim", "Nim"), ("tests/" + "a" * 300 + "_test.py", "Python"),
    ],
)  # fmt: skip
def test_what_helps_tests_holds_none(path: str, language: str) -> None:
    assert not holds_cases(path, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_with_the_usual_names_of_a_language_are_tests_or_decided_by_their_content(
    language: str,
) -> None:
    for path in (*TESTS, *PRODUCT):
        if holds_cases(path, language) and has_runner_name(path, language):
            assert is_test(path) or may_be_test(path), path


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("tests", True), ("src/it", True), ("it", True), ("t", True), ("src/t", False),
        ("locales/it", False), ("app/src/main/java/com/acme/test", False), ("ShopUITests", True),
        ("Shop.Tests", True), ("my-e2e", True), ("", False), (".", False),
    ],
)  # fmt: skip
def test_folders_of_tests(folder: str, expected: bool) -> None:
    assert in_tests(folder) is expected
