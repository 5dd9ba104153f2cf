import pytest

from stationmaster.wiki.facts.tooling import prerequisites
from tests.wiki.commits import facts_of


def told(contents: dict[str, str]) -> list[tuple[str, str, str, int | None]]:
    return [
        (each.tool, each.version, each.places[0].path, each.places[0].line)
        for each in prerequisites.needs(facts_of(contents))
    ]


@pytest.mark.parametrize(
    ("path", "content", "tool", "version", "line"),
    [
        ("pyproject.toml", "[project]\nname='x'\nrequires-python = '>=3.11'\n",
         "Python", ">=3.11", 3),
        ("setup.cfg", "[metadata]\nname=x\n[options]\npython_requires = >=3.9\n",
         "Python", ">=3.9", 4),
        ("package.json", '{"name": "x",\n"engines": {\n"node": ">=20"}}', "Node.js", ">=20", 3),
        ("package.json", '{"packageManager": "pnpm@9.1.0+sha512.00ff"}', "pnpm", "9.1.0", 1),
        ("go.mod", "module example.com/x\n\ngo 1.22\n", "Go", "1.22", 3),
        ("Cargo.toml", "[package]\nname='x'\nrust-version = '1.80'\n", "Rust", "1.80", 3),
        ("rust-toolchain.toml", "[toolchain]\nchannel = 'stable'\n", "Rust toolchain", "stable", 2),
        ("pom.xml", "<project>\n<properties>\n<java.version>17</java.version>\n</properties>\n"
         "<artifactId>x</artifactId></project>", "Java", "17", 3),
        ("pom.xml", "<project>\n<properties>\n<java.least>21</java.least>\n</properties>\n<build>"
         "<plugins><plugin><configuration><release>${java.least}</release></configuration></plugin>"
         "</plugins></build><artifactId>x</artifactId></project>", "Java", "21", 3),
        ("build.gradle.kts", "kotlin {\n  jvmToolchain(21)\n}\n", "Java", "21", 2),
        ("build.gradle", "sourceCompatibility = JavaVersion.VERSION_1_8\n", "Java", "1.8", 1),
        ("composer.json", '{"name": "a/x", "require": {"php": "^8.2"}}', "PHP", "^8.2", 1),
        ("Gemfile", "source 'x'\nruby '3.3.0'\n", "Ruby", "3.3.0", 2),
        ("shop.gemspec", "Gem::Specification.new do |s|\n  s.name = 'shop'\n"
         "  s.required_ruby_version = '>= 2.7.0'\nend\n", "Ruby", ">= 2.7.0", 3),
        (".ruby-version", "3.3.0\n", "Ruby", "3.3.0", 1),
        (".nvmrc", "v20\n", "Node.js", "v20", 1),
        (".tool-versions", "# tools\nnodejs 20.1.0\n", "Node.js", "20.1.0", 2),
        ("mise.toml", "[tools]\ngo = '1.22'\n", "Go", "1.22", 2),
        ("global.json", '{"sdk":\n{"version": "8.0.100"}}', ".NET SDK", "8.0.100", 2),
        ("Package.swift", "// swift-tools-version:5.9\n", "Swift", "5.9", 1),
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\n", "CMake", "3.20", 1),
    ],
)  # fmt: skip
def test_versions_are_those_that_a_file_asks_for(
    path: str, content: str, tool: str, version: str, line: int
) -> None:
    assert told({path: content}) == [(tool, version, path, line)]


def test_tests_and_texts_that_are_no_versions_ask_for_nothing() -> None:
    contents = {
        "tests/pyproject.toml": "[project]\nname='x'\nrequires-python = '>=2'\n",
        ".nvmrc": "see the wiki page of our team for the version of today\n",
        "pyproject.toml": "[project]\nname='x'\nrequires-python = '`rm`'\n",
    }
    assert told(contents) == []


def test_the_tool_that_is_asked_for_at_the_root_comes_first() -> None:
    contents = {"a/package.json": '{"engines": {"node": "20"}}', "go.mod": "module x.com/y\ngo 1.2"}
    assert [each[0] for each in told(contents)] == ["Go", "Node.js"]


def test_workflows_tell_the_versions_that_they_set_up_where_they_are_plain() -> None:
    workflow = """on: push
jobs:
  test:
    runs-on: x
    steps:
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - uses: actions/setup-node@v4
        with: {node-version: "${{ matrix.node }}"}
"""
    found = prerequisites.in_workflows(facts_of({".github/workflows/ci.yml": workflow}))
    assert [(each.tool, each.version, each.places[0].line) for each in found] == [
        ("Python", "3.12", 6)
    ]


def test_versions_of_a_matrix_are_those_of_the_job_that_sets_them_up() -> None:
    workflow = """on: push
jobs:
  lint:
    strategy: {matrix: {ruby: ["3.4"]}}
    steps: []
  test:
    strategy:
      matrix:
        ruby: [{version: "2.7"}, {version: "3.3"}]
        include:
          - ruby: {version: jruby-9.4}
    steps:
      - uses: ruby/setup-ruby@v1
        with: {ruby-version: "${{ matrix.ruby.version }}"}
"""
    found = prerequisites.in_workflows(facts_of({".github/workflows/ci.yml": workflow}))
    assert [(each.tool, each.version) for each in found] == [("Ruby", "2.7, 3.3, jruby-9.4")]
