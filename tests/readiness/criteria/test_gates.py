"""What refuses a change that lowers coverage, in each language and service: measuring is none."""

from __future__ import annotations

import pytest

from tests.readiness.criteria.judging import LIBRARY, judged
from tests.support.trees import Content, facts_of

CI = ".github/workflows/ci.yml"
PY: dict[str, Content] = {**LIBRARY, "tests/test_a.py": "def test_a():\n    pass\n"}
JS: dict[str, Content] = {
    "package.json": '{"name": "a", "version": "1.0.0", "main": "a.js"}',
    "a.js": "1\n",
    "a.test.js": "test('a', () => 1)\n",
}
GO: dict[str, Content] = {
    "go.mod": "module example.com/a\n",
    "a.go": "package a\n",
    "a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\n",
}
JAVA: dict[str, Content] = {
    "src/main/java/A.java": "class A {}\n",
    "src/test/java/ATest.java": "class ATest { @Test void a() {} }\n",
}
PHP: dict[str, Content] = {
    "composer.json": '{"name": "a/a"}',
    "src/A.php": "<?php\n",
    "tests/ATest.php": "<?php class ATest { function testA() {} }\n",
}
ELIXIR: dict[str, Content] = {
    "lib/a.ex": "defmodule A do\nend\n",
    "test/a_test.exs": 'test "a" do\nend\n',
}
NET: dict[str, Content] = {
    "src/A/A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    "src/A/A.cs": "class A {}\n",
    "test/A.Tests/ATests.cs": "class ATests { [Fact] void A() {} }\n",
}


def pom(plugin: str, inside: str) -> dict[str, Content]:
    """A build of Maven with one plugin."""
    text = f"<plugin><artifactId>{plugin}</artifactId>{inside}</plugin>"
    build = f"<build><plugins>{text}</plugins></build>"
    return {**JAVA, "pom.xml": f"<project><artifactId>a</artifactId>{build}</project>"}


def net(threshold: str) -> dict[str, Content]:
    """A project of tests with a property of coverlet."""
    project = (
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>'
        f"<Threshold>{threshold}</Threshold></PropertyGroup><ItemGroup>"
        '<PackageReference Include="xunit" />'
        '<ProjectReference Include="..\\..\\src\\A\\A.csproj" /></ItemGroup></Project>'
    )
    return {**NET, "test/A.Tests/A.Tests.csproj": project}


def runs(command: str) -> dict[str, Content]:
    steps = f"    steps:\n      - run: {command}\n"
    return {CI: f"on: push\njobs:\n  a:\n    runs-on: x\n{steps}"}


CHECK = "<executions><execution><goals><goal>check</goal></goals></execution></executions>"
CASES: list[tuple[str, dict[str, Content], str]] = [
    (
        "nyc in package.json",
        {**JS, "package.json": '{"name": "a", "main": "a.js", "nyc": {"check-coverage": true}}'},
        "pass",
    ),
    (
        "nyc that is told not to check",
        {**JS, "package.json": '{"name": "a", "main": "a.js", "nyc": {"check-coverage": false}}'},
        "fail",
    ),
    ("nyc in a file of its own", {**JS, ".nycrc.json": '{"check-coverage": true}'}, "pass"),
    ("coverage.py on the command line", {**PY, **runs("pytest --cov --cov-fail-under=80")}, "pass"),
    (
        "coverage.py in a script that a shell is given",
        {**PY, **runs("bash ci/check"), "ci/check": "coverage report --fail-under=80\n"},
        "pass",
    ),
    (
        "coverage.py in a script that nothing runs",
        {**PY, "ci/check": "coverage report --fail-under=80\n"},
        "fail",
    ),
    ("a threshold on the command line", {**PY, **runs("pytest --cov-threshold=80")}, "pass"),
    ("go-test-coverage", {**GO, ".testcoverage.yml": "threshold:\n  total: 80\n"}, "pass"),
    ("tests of Go alone", GO, "fail"),
    (
        "JaCoCo's check with a rule",
        pom("jacoco-maven-plugin", f"{CHECK}<configuration><rules><rule/></rules></configuration>"),
        "pass",
    ),
    ("JaCoCo's check without a rule", pom("jacoco-maven-plugin", CHECK), "fail"),
    (
        "PIT's threshold",
        pom(
            "pitest-maven",
            "<configuration><mutationThreshold>8</mutationThreshold></configuration>",
        ),
        "pass",
    ),
    (
        "JaCoCo's verification in Gradle",
        {
            **JAVA,
            "build.gradle": "plugins { id 'java' }\njacocoTestCoverageVerification {\n"
            "  violationRules { rule { limit { minimum = 0.8 } } }\n}\n",
        },
        "pass",
    ),
    (
        "JaCoCo's report in Gradle",
        {**JAVA, "build.gradle": "plugins { id 'java' }\njacocoTestReport {\n}\n"},
        "fail",
    ),
    ("coverlet's threshold in a project of tests", net("80"), "pass"),
    ("coverlet's threshold of nothing", net("0"), "fail"),
    ("Infection", {**PHP, "infection.json5": "{minMsi: 80}"}, "pass"),
    ("Infection without a least score", {**PHP, "infection.json5": "{timeout: 1}"}, "fail"),
    (
        "ExCoveralls",
        {
            **ELIXIR,
            "mix.exs": "defmodule A.MixProject do\n  def project, do: [app: :a]\nend\n",
            "coveralls.json": '{"coverage_options": {"minimum_coverage": 80}}',
        },
        "pass",
    ),
    (
        "a check of Codecov by name",
        {**PY, "codecov.yml": "coverage: {status: {patch: {own: {target: 80%}}}}\n"},
        "pass",
    ),
    (
        "a check of Codecov by a word",
        {**PY, "codecov.yml": "coverage: {status: {project: on}}\n"},
        "pass",
    ),
    (
        "a check of Codecov turned off",
        {**PY, "codecov.yml": "coverage: {status: {project: off}}\n"},
        "fail",
    ),
    (
        "the gate of SonarQube that a step waits for",
        {**PY, **runs("sonar-scanner -Dsonar.qualitygate.wait=true")},
        "pass",
    ),
]


@pytest.mark.parametrize(
    ("files", "state"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_least_coverage_that_is_enforced_is_told_from_one_that_is_measured(
    files: dict[str, Content], state: str
) -> None:
    evaluation = judged("test_coverage_thresholds", facts_of(files))

    assert evaluation.state == state, evaluation.rationale
