from __future__ import annotations

import pytest

from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.trees import Content, facts_of

TEST = "def test_a():\n    pass\n"
PLACEHOLDER = 'echo \\"Error: no test specified\\" && exit 1'
PY: dict[str, Content] = {**LIBRARY, "tests/test_a.py": TEST}
GO: dict[str, Content] = {"go.mod": "module example.com/a\n", "a.go": "package a\n",
                          "a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\n"}  # fmt: skip
RUST: dict[str, Content] = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "fn a() {}\n"}
RUBY: dict[str, Content] = {"a.gemspec": "Gem::Specification.new", "lib/a.rb": "1\n",
                            "spec/a_spec.rb": "describe(1) { it {} }\n"}  # fmt: skip
NET: dict[str, Content] = {
    "src/A/A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>', "src/A/A.cs": "class A {}\n",
    "test/A.Tests/A.Tests.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>'
    '<PackageReference Include="xunit" /><ProjectReference Include="..\\..\\src\\A\\A.csproj" />'
    "</ItemGroup></Project>", "test/A.Tests/ATests.cs": "class ATests { [Fact] void A() {} }\n",
}  # fmt: skip


def js(rest: str = "", **files: str) -> dict[str, Content]:
    package = f'{{"name": "a", "version": "1.0.0", "main": "a.js"{rest}}}'
    return {"package.json": package, "a.js": "1\n", "a.test.js": "test('a', () => 1)\n", **files}


CASES: list[tuple[str, str, dict[str, Content], str]] = [
    ("unit_tests_exist", "by name", PY, "pass"),
    ("unit_tests_exist", "of a Django application", {**LIBRARY, "shop/tests.py": TEST}, "pass"),
    ("unit_tests_exist", "in a file called test", {**LIBRARY, "test.py": TEST}, "pass"),
    ("unit_tests_exist", "in a command called test", {**LIBRARY, "test.py": "run()\n"}, "fail"),
    ("unit_tests_exist", "that are empty", {**LIBRARY, "tests/test_a.py": "\n"}, "fail"),
    ("unit_tests_exist", "that are data", {**LIBRARY, "tests/fixtures/test_a.py": TEST}, "fail"),
    *(("unit_tests_exist", f"in a package called {word}",
       {"pom.xml": "<project><artifactId>a</artifactId></project>",
        f"src/main/java/com/{word}/demo/A.java": "class A {}\n",
        f"src/test/java/com/{word}/demo/ATests.java": "class ATests { @Test void a() {} }\n"},
       "pass") for word in ("example", "samples", "data", "resources", "assets", "stubs",
                            "templates", "vendor", "fixtures")),
    ("unit_tests_exist", "of a project that tests read",
     {**LIBRARY, "test/ecosystem/x/pyproject.toml": "[project]\nname = 'x'\n",
      "test/ecosystem/x/LICENSE": "MIT", "test/ecosystem/x/tests/test_x.py": TEST}, "fail"),
    ("test_naming_conventions", "beside what helps them",
     {"pom.xml": "<project><artifactId>a</artifactId></project>", "src/main/java/A.java": "",
      "src/test/java/ATests.java": "class ATests { @Test void a() {} }\n",
      "src/test/java/Shop.java": "class Shop {}\n"}, "pass"),
    ("flaky_test_detection", "of a project that tests read",
     {**PY, "test/ecosystem/x/pyproject.toml":
      "[project]\nname = 'x'\ndependencies = ['pytest-rerunfailures']\n"}, "fail"),
    ("unit_tests_exist", "within Rust's code",
     {**RUST, "src/lib.rs": "#[cfg(test)]\nmod tests {}\n"}, "pass"),
    ("unit_tests_exist", "nowhere in Rust's code", RUST, "fail"),
    ("unit_tests_exist", "in a project beside it", NET, "pass"),
    ("unit_tests_exist", "of documents", {"README.md": "# x\n"}, "skipped"),
    ("unit_tests_runnable", "by a script", js(', "scripts": {"test": "vitest"}'), "pass"),
    ("unit_tests_runnable", "by npm's placeholder",
     js(f', "scripts": {{"test": "{PLACEHOLDER}"}}'), "fail"),
    ("unit_tests_runnable", "by what a document says",
     {**GO, "AGENTS.md": "Run `go test ./...` first.\n"}, "pass"),
    ("unit_tests_runnable", "by another language's command",
     {**js(), "README.md": "```\ngo test ./...\n```\n"}, "fail"),
    ("unit_tests_runnable", "without tests", {**LIBRARY, "tox.ini": "[tox]\n"}, "fail"),
    ("unit_tests_runnable", "by a configured runner", {**PY, "tox.ini": "[tox]\n"}, "pass"),
    ("test_coverage_thresholds", "that is measured",
     {**PY, "pyproject.toml": '[project]\nname="trains"\n[tool.coverage.run]\nbranch=true\n'},
     "fail"),
    ("test_coverage_thresholds", "of coverage.py",
     {**PY, "pyproject.toml": '[project]\nname="trains"\n[tool.coverage.report]\nfail_under=80\n'},
     "pass"),
    ("test_coverage_thresholds", "of a script's script",
     {**PY, "README.md": "```\nscripts/test\n```\n", "scripts/test": "#!/bin/sh\nscripts/cover\n",
      "scripts/cover": "#!/bin/sh\n${PREFIX}coverage report --fail-under=100\n"}, "pass"),
    ("test_coverage_thresholds", "of SimpleCov that starts",
     {**RUBY, "spec/spec_helper.rb": "SimpleCov.start\n# SimpleCov.minimum_coverage 90\n"},
     "fail"),
    ("test_coverage_thresholds", "of SimpleCov",
     {**RUBY, "spec/spec_helper.rb": "SimpleCov.start do\n  minimum_coverage 90\nend\n"}, "pass"),
    ("test_coverage_thresholds", "of Jest in a comment",
     js(**{"jest.config.js": "// coverageThreshold: {}\n"}), "fail"),
    ("test_coverage_thresholds", "of Jest",
     js(**{"jest.config.js": "module.exports = {coverageThreshold: {global: {lines: 9}}}"}),
     "pass"),
    ("test_coverage_thresholds", "of Codecov for information",
     {**PY, "codecov.yml": "coverage: {status: {project: {default: {informational: true}}}}\n"},
     "fail"),
    ("test_coverage_thresholds", "of Codecov",
     {**PY, "codecov.yml": "coverage: {status: {project: {default: {target: 80%}}}}\n"}, "pass"),
    ("test_coverage_thresholds", "without tests", LIBRARY, "skipped"),
    ("interactive_qa_exists", "of a library", LIBRARY, "skipped"),
    ("interactive_qa_exists", "with a step that tries it",
     {**SERVICE, "README.md": "```\nnpm start\n```\n\n```\ncurl localhost:80\n```\n"}, "pass"),
    ("interactive_qa_exists", "without such a step",
     {**SERVICE, "README.md": "```\nnpm start\n```\n"}, "not_evaluated"),
    ("integration_tests_exist", "in a folder",
     {**LIBRARY, "tests/integration/test_a.py": TEST}, "pass"),
    ("integration_tests_exist", "of a feature of that name",
     {**PY, "src/trains/integrations/slack.py": "x = 1\n"}, "fail"),
    ("integration_tests_exist", "by requests", {**RUBY, "spec/requests/a_spec.rb": "it {}\n"},
     "pass"),
    ("integration_tests_exist", "by a build tag",
     {**GO, "b_test.go": "//go:build integration\n\npackage a\n\nfunc TestB(t *testing.T) {}\n"},
     "pass"),
    ("integration_tests_exist", "of Cargo", {**RUST, "tests/all.rs": "#[test]\nfn a() {}\n"},
     "pass"),
    ("test_naming_conventions", "as usual", GO, "pass"),
    ("test_naming_conventions", "without tests", LIBRARY, "skipped"),
    ("test_naming_conventions", "of few",
     js(**{f"__tests__/{name}.js": "test(1)\n" for name in "abcd"}), "fail"),
    ("test_isolation", "in parallel",
     {**GO, "a_test.go": "package a\n\nfunc TestA(t *testing.T) { t.Parallel() }\n"}, "pass"),
    ("test_isolation", "one after the other", GO, "fail"),
    ("test_isolation", "by a dependency",
     {**PY, "pyproject.toml": '[project]\nname="trains"\n[dependency-groups]\n'
      'dev=["pytest-xdist"]\n'}, "pass"),
    ("test_isolation", "in Jest", js(', "devDependencies": {"jest": "30"}'), "pass"),
    ("test_isolation", "in Jest, in band",
     js(', "devDependencies": {"jest": "30"}, "scripts": {"test": "jest --runInBand"}'), "fail"),
    ("test_performance_tracking", "by durations",
     {**PY, "pytest.ini": "[pytest]\naddopts = --durations=10\n"}, "pass"),
    ("test_performance_tracking", "by coverage alone",
     {**PY, ".github/workflows/ci.yml": "on: push\njobs: {a: {runs-on: x, steps: "
      "[{uses: codecov/codecov-action@v5}]}}\n"}, "fail"),
    ("flaky_test_detection", "by retries",
     js(**{"playwright.config.ts": "export default {retries: process.env.CI ? 2 : 0}\n"}), "pass"),
    ("flaky_test_detection", "by none",
     js(**{"playwright.config.ts": "export default {retries: 0}\n"}), "fail"),
    ("flaky_test_detection", "without tests", LIBRARY, "skipped"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "case", "contents", "state"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
def test_testing(name: str, case: str, contents: dict[str, Content], state: str) -> None:
    evaluation = judged(name, facts_of(contents))

    assert evaluation.state == state, evaluation.rationale


def test_a_gate_counts_where_no_application_lacks_it() -> None:
    evaluation = judged("test_coverage_thresholds", facts_of({
        **{f"one/{path}": content for path, content in PY.items()},
        **{f"two/{path}": content for path, content in LIBRARY.items()},
        "one/.coveragerc": "[report]\nfail_under = 90\n",
    }))  # fmt: skip

    assert (evaluation.numerator, evaluation.denominator) == (1, 2)
