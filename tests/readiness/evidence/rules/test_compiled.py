"""Which rules of the linters of Go, Rust, C++, the JVM, Ruby, .NET, Swift, Elixir, PHP are on."""

from __future__ import annotations

import pytest

from stationmaster.readiness.evidence.rules import LINTERS
from tests.support.trees import Content, facts_of

GO: dict[str, Content] = {"go.mod": "module example.com/a\n", "a.go": "package a\n"}
RUST: dict[str, Content] = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "fn a() {}\n"}
CPP: dict[str, Content] = {"CMakeLists.txt": "project(a)\n", "a.cpp": "int a;\n"}
RUBY: dict[str, Content] = {"Gemfile": 'gem "rubocop"\n', "a.rb": "1\n"}
SWIFT: dict[str, Content] = {"Package.swift": 'let package = Package(name: "a")\n'}
ELIXIR: dict[str, Content] = {
    "mix.exs": "defmodule A do\n  def project, do: [app: :a]\n  defp deps do\n"
    '    [{:credo, "~> 1.7"}]\n  end\nend\n',
    "lib/a.ex": "1\n",
}
PHP: dict[str, Content] = {"composer.json": '{"name": "a/a"}', "src/A.php": "<?php\n"}
NET: dict[str, Content] = {"a.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>', "A.cs": "1\n"}
CI = ".github/workflows/ci.yml"
DESIGN = "category/java/design.xml"


def maven(*plugins: str) -> dict[str, Content]:
    """A build that runs these plugins."""
    named = "".join(f"<plugin><artifactId>{name}</artifactId></plugin>" for name in plugins)
    build = f"<build><plugins>{named}</plugins></build>"
    pom = f"<project><artifactId>a</artifactId>{build}</project>"
    return {"pom.xml": pom, "src/main/java/A.java": "class A {}\n"}


def runs(command: str) -> dict[str, Content]:
    steps = f"    steps:\n      - run: {command}\n"
    return {CI: f"on: push\njobs:\n  a:\n    runs-on: x\n{steps}"}


def golangci(settings: str) -> dict[str, Content]:
    return {**GO, ".golangci.yml": f"linters:\n{settings}"}


def rubocop(settings: str, **others: str) -> dict[str, Content]:
    return {**RUBY, ".rubocop.yml": settings, **others}


def detekt(settings: str) -> dict[str, Content]:
    return {
        "build.gradle.kts": 'plugins { id("io.gitlab.arturbosch.detekt") version "1" }\n',
        "src/main/kotlin/A.kt": "class A\n",
        "config/detekt/detekt.yml": settings,
    }


def checkstyle(module: str) -> dict[str, Content]:
    rules = f'<module name="Checker">\n<module name="TreeWalker">\n{module}</module></module>'
    return {**maven("maven-checkstyle-plugin"), "config/checkstyle.xml": rules}


def pmd(rule: str) -> dict[str, Content]:
    return {**maven("maven-pmd-plugin"), "pmd.xml": f"<ruleset>\n{rule}\n</ruleset>"}


COMPLEX = '<module name="com.acme.CyclomaticComplexity"/>'
CASES: list[tuple[str, str, str, dict[str, Content], str | None]] = [
    (
        "golangci-lint",
        "unused",
        "by default where it runs",
        {**GO, **runs("golangci-lint run")},
        f"{CI}:6",
    ),
    ("golangci-lint", "gocyclo", "off by default", {**GO, **runs("golangci-lint run")}, None),
    ("golangci-lint", "unused", "where nothing runs it", GO, None),
    ("golangci-lint", "gocyclo", "enabled", golangci("  enable: [gocyclo]\n"), ".golangci.yml"),
    ("golangci-lint", "unused", "disabled", golangci("  disable: [unused]\n"), None),
    ("golangci-lint", "dupl", "with all", golangci("  default: all\n"), ".golangci.yml"),
    ("golangci-lint", "unused", "with none", golangci("  disable-all: true\n"), None),
    ("golangci-lint", "unused", "by default", golangci("  enable: [dupl]\n"), ".golangci.yml"),
    (
        "golangci-lint",
        "dupl",
        "in TOML",
        {**GO, ".golangci.toml": '[linters]\nenable = ["dupl"]\n'},
        ".golangci.toml",
    ),
    (
        "clippy",
        "clippy.todo",
        "in the crate",
        {**RUST, "Cargo.toml": '[package]\nname = "a"\n[lints.clippy]\ntodo = "deny"\n'},
        "Cargo.toml",
    ),
    (
        "clippy",
        "clippy.todo",
        "allowed",
        {**RUST, "Cargo.toml": '[package]\nname = "a"\n[lints.clippy]\ntodo = "allow"\n'},
        None,
    ),
    (
        "clippy",
        "rust.unused",
        "with a priority",
        {
            **RUST,
            "Cargo.toml": '[package]\nname = "a"\n[lints.rust]\n'
            'unused = {level = "warn", priority = 1}\n',
        },
        "Cargo.toml",
    ),
    (
        "clippy",
        "clippy.todo",
        "in an attribute",
        {**RUST, "src/lib.rs": "//! A.\n#![deny(clippy::todo, missing_docs)]\n"},
        "src/lib.rs:2",
    ),
    (
        "clang-tidy",
        "readability-a",
        "by a pattern",
        {**CPP, ".clang-tidy": "Checks: 'readability-*'\n"},
        ".clang-tidy",
    ),
    (
        "clang-tidy",
        "readability-a",
        "excluded later",
        {**CPP, ".clang-tidy": "Checks: '*,-readability-a'\n"},
        None,
    ),
    ("clang-tidy", "readability-a", "without a file", CPP, None),
    (
        "checkstyle",
        "CyclomaticComplexity",
        "of any package",
        checkstyle(COMPLEX),
        "config/checkstyle.xml:3",
    ),
    ("checkstyle", "FileLength", "that is not listed", checkstyle(COMPLEX), None),
    (
        "checkstyle",
        "CyclomaticComplexity",
        "that no build runs",
        {**maven(), "config/checkstyle.xml": COMPLEX},
        None,
    ),
    (
        "pmd",
        f"{DESIGN}/NPathComplexity",
        "by name",
        pmd(f'<rule ref="{DESIGN}/NPathComplexity"/>'),
        "pmd.xml:2",
    ),
    (
        "pmd",
        f"{DESIGN}/NPathComplexity",
        "by its category",
        pmd(f'<rule ref="{DESIGN}"/>'),
        "pmd.xml:2",
    ),
    (
        "pmd",
        f"{DESIGN}/NPathComplexity",
        "that is excluded",
        pmd(f'<rule ref="{DESIGN}"><exclude name="NPathComplexity"/></rule>'),
        None,
    ),
    (
        "detekt",
        "complexity/LongMethod",
        "by default",
        detekt("style:\n  active: true\n"),
        "build.gradle.kts:1",
    ),
    (
        "detekt",
        "complexity/LongMethod",
        "that is on",
        detekt("complexity:\n  LongMethod:\n    active: true\n"),
        "config/detekt/detekt.yml",
    ),
    (
        "detekt",
        "complexity/LongMethod",
        "that is off",
        detekt("complexity:\n  LongMethod:\n    active: false\n"),
        None,
    ),
    (
        "detekt",
        "complexity/LongMethod",
        "of a group that is off",
        detekt("complexity:\n  active: false\n"),
        None,
    ),
    (
        "rubocop",
        "Metrics/MethodLength",
        "by default",
        rubocop("AllCops: {NewCops: enable}\n"),
        ".rubocop.yml",
    ),
    (
        "rubocop",
        "Metrics/MethodLength",
        "that is off",
        rubocop("Metrics/MethodLength: {Enabled: false}\n"),
        None,
    ),
    (
        "rubocop",
        "Metrics/MethodLength",
        "of a department that is off",
        rubocop("Metrics: {Enabled: false}\n"),
        None,
    ),
    (
        "rubocop",
        "Metrics/MethodLength",
        "where all are off",
        rubocop("AllCops: {DisabledByDefault: true}\n"),
        None,
    ),
    (
        "rubocop",
        "Metrics/MethodLength",
        "that another file configures",
        rubocop("inherit_from: cops.yml\n", **{"cops.yml": "Metrics/MethodLength: {Max: 9}\n"}),
        "cops.yml",
    ),
    (
        "dotnet-analyzers",
        "CA1502",
        "with a severity",
        {**NET, ".editorconfig": "[*.cs]\ndotnet_diagnostic.CA1502.severity = warning\n"},
        ".editorconfig:2",
    ),
    (
        "dotnet-analyzers",
        "CA1502",
        "that is silent",
        {**NET, ".editorconfig": "[*.cs]\ndotnet_diagnostic.CA1502.severity = none\n"},
        None,
    ),
    (
        "dotnet-analyzers",
        "dotnet_naming_",
        "by the beginning of a key",
        {**NET, ".editorconfig": "[*.cs]\ndotnet_naming_rule.a.severity = error\n"},
        ".editorconfig:2",
    ),
    (
        "swiftlint",
        "todo",
        "by default",
        {**SWIFT, ".swiftlint.yml": "line_length: 9\n"},
        ".swiftlint.yml",
    ),
    (
        "swiftlint",
        "todo",
        "that is off",
        {**SWIFT, ".swiftlint.yml": "disabled_rules: [todo]\n"},
        None,
    ),
    (
        "swiftlint",
        "unused_declaration",
        "of the analyzer",
        {**SWIFT, ".swiftlint.yml": "analyzer_rules: [unused_declaration]\n"},
        ".swiftlint.yml",
    ),
    (
        "swiftlint",
        "todo",
        "besides the only ones",
        {**SWIFT, ".swiftlint.yml": "only_rules: [file_length]\n"},
        None,
    ),
    ("credo", "Refactor.CyclomaticComplexity", "by default", ELIXIR, "mix.exs:4"),
    (
        "credo",
        "Refactor.CyclomaticComplexity",
        "that is off",
        {**ELIXIR, ".credo.exs": "{Credo.Check.Refactor.CyclomaticComplexity, false}\n"},
        None,
    ),
    (
        "credo",
        "Design.TagTODO",
        "of a file that turns off another",
        {**ELIXIR, ".credo.exs": "{Credo.Check.Refactor.CyclomaticComplexity, false}\n"},
        ".credo.exs",
    ),
    (
        "phpmd",
        "codesize",
        "in a file",
        {**PHP, "phpmd.xml": '<ruleset>\n<rule ref="rulesets/codesize.xml"/></ruleset>'},
        "phpmd.xml:2",
    ),
    (
        "phpmd",
        "codesize",
        "on the command line",
        {**PHP, **runs("phpmd src text codesize,naming")},
        f"{CI}:6",
    ),
    ("phpmd", "codesize", "that nothing names", {**PHP, **runs("phpmd src text naming")}, None),
]


@pytest.mark.parametrize(
    ("linter", "rule", "files", "place"),
    [(linter, rule, files, place) for linter, rule, _, files, place in CASES],
    ids=[f"{linter} {rule} {how}" for linter, rule, how, _, _ in CASES],
)
def test_a_rule_is_on_where_its_configuration_or_a_default_says_so(
    linter: str, rule: str, files: dict[str, Content], place: str | None
) -> None:
    facts = facts_of(files)

    at = LINTERS[linter](facts, facts.project.apps[0], rule)

    assert (None if at is None else str(at)) == place
