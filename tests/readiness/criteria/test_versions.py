"""Versions that applications share, toolchains that are pinned, and types that are strict."""

from __future__ import annotations

import pytest

from tests.readiness.criteria.judging import LIBRARY, judged
from tests.support.trees import Content, facts_of

CRATES: dict[str, Content] = {
    "a/Cargo.toml": '[package]\nname = "a"\n',
    "a/src/lib.rs": "fn a() {}\n",
    "b/Cargo.toml": '[package]\nname = "b"\n',
    "b/src/lib.rs": "fn b() {}\n",
}
PACKAGES: dict[str, Content] = {
    "a/package.json": '{"name": "a", "version": "1", "main": "a.js"}',
    "a/a.js": "1\n",
    "b/package.json": '{"name": "b", "version": "1", "main": "b.js"}',
    "b/b.js": "1\n",
}
WHEELS: dict[str, Content] = {
    "a/pyproject.toml": '[project]\nname = "a"\n[build-system]\n',
    "a/a.py": "1\n",
    "b/pyproject.toml": '[project]\nname = "b"\n[build-system]\n',
    "b/b.py": "1\n",
}
RUBY: dict[str, Content] = {"a.gemspec": "Gem::Specification.new", "lib/a.rb": "1\n"}
PHP: dict[str, Content] = {"composer.json": '{"name": "a/a"}', "src/A.php": "<?php\n"}
NET: dict[str, Content] = {"a/A.cs": "class A {}\n"}
NULLABLE = "<PropertyGroup><Nullable>enable</Nullable></PropertyGroup>"
PROJECT = '<Project Sdk="Microsoft.NET.Sdk">{}</Project>'


def poms(parent: str) -> dict[str, Content]:
    """Two modules of Maven below a pom with this inside."""
    inner = "<project><parent><artifactId>p</artifactId></parent><artifactId>{}</artifactId>"
    return {
        "pom.xml": "<project><artifactId>p</artifactId><packaging>pom</packaging>"
        f"<modules><module>a</module><module>b</module></modules>{parent}</project>",
        "a/pom.xml": f"{inner.format('a')}</project>",
        "a/src/main/java/A.java": "class A {}\n",
        "b/pom.xml": f"{inner.format('b')}</project>",
        "b/src/main/java/B.java": "class B {}\n",
    }


ENFORCER = (
    "<build><plugins><plugin><artifactId>maven-enforcer-plugin</artifactId><configuration><rules>"
    "<dependencyConvergence/></rules></configuration></plugin></plugins></build>"
)
MEMBERS = '[workspace]\nmembers = ["*"]\n'
CASES: list[tuple[str, str, dict[str, Content], str]] = [
    (
        "version_drift_detection",
        "of a workspace of Cargo",
        {**CRATES, "Cargo.toml": f'{MEMBERS}[workspace.dependencies]\nserde = "1"\n'},
        "pass",
    ),
    (
        "version_drift_detection",
        "of a workspace that shares none",
        {**CRATES, "Cargo.toml": MEMBERS},
        "fail",
    ),
    (
        "version_drift_detection",
        "of a catalogue of Gradle",
        {**PACKAGES, "gradle/libs.versions.toml": "[versions]\n"},
        "pass",
    ),
    (
        "version_drift_detection",
        "of a parent pom",
        poms("<dependencyManagement></dependencyManagement>"),
        "pass",
    ),
    ("version_drift_detection", "of the enforcer", poms(ENFORCER), "pass"),
    ("version_drift_detection", "of poms that share none", poms(""), "fail"),
    (
        "version_drift_detection",
        "of a workspace of uv",
        {
            **WHEELS,
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["a", "b"]\n',
            "uv.lock": "1\n",
        },
        "pass",
    ),
    (
        "version_drift_detection",
        "of groups of Renovate",
        {**PACKAGES, "renovate.json": '{"packageRules": [{"groupName": "all"}]}'},
        "pass",
    ),
    (
        "version_drift_detection",
        "of groups of Dependabot",
        {
            **PACKAGES,
            ".github/dependabot.yml": "updates:\n  - package-ecosystem: npm\n"
            "    groups: {all: {patterns: ['*']}}\n",
        },
        "pass",
    ),
    (
        "version_drift_detection",
        "of Dependabot without groups",
        {**PACKAGES, ".github/dependabot.yml": "updates:\n  - package-ecosystem: npm\n"},
        "fail",
    ),
    (
        "strict_typing",
        "of mypy in a table",
        {
            **LIBRARY,
            "pyproject.toml": '[project]\nname = "a"\n[tool.mypy]\nstrict = true\n',
            "Makefile": "types:\n\tmypy src\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of mypy in a file",
        {
            **LIBRARY,
            "mypy.ini": "[mypy]\ndisallow_untyped_defs = True\ndisallow_incomplete_defs = yes\n",
            "Makefile": "types:\n\tmypy src\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of mypy for one module",
        {
            **LIBRARY,
            "mypy.ini": "[mypy]\npretty = True\n[mypy-a.*]\nstrict = True\n",
            "Makefile": "types:\n\tmypy src\n",
        },
        "fail",
    ),
    (
        "strict_typing",
        "of mypy on the command line",
        {**LIBRARY, "Makefile": "types:\n\tmypy --strict src\n"},
        "pass",
    ),
    (
        "strict_typing",
        "of Pyright",
        {
            **LIBRARY,
            "pyrightconfig.json": '{"typeCheckingMode": "strict"}',
            "Makefile": "types:\n\tpyright\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of Pyright by default",
        {
            **LIBRARY,
            "pyrightconfig.json": '{"typeCheckingMode": "basic"}',
            "Makefile": "types:\n\tpyright\n",
        },
        "fail",
    ),
    (
        "strict_typing",
        "of PHPStan's level",
        {
            **PHP,
            "phpstan.neon": "parameters:\n  level: 8\n",
            "Makefile": "types:\n\tphpstan analyse\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of PHPStan's low level",
        {
            **PHP,
            "phpstan.neon": "parameters:\n  level: 5\n",
            "Makefile": "types:\n\tphpstan analyse\n",
        },
        "fail",
    ),
    (
        "strict_typing",
        "of PHPStan's strict rules",
        {
            **PHP,
            "phpstan.neon": "includes: [vendor/phpstan/phpstan-strict-rules/rules.neon]\n",
            "Makefile": "types:\n\tphpstan analyse\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of PHPStan by a file that a command names",
        {
            **PHP,
            "tools/stan.neon": "parameters:\n  level: max\n",
            "Makefile": "types:\n\tphpstan analyse -c tools/stan.neon\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of Psalm",
        {**PHP, "psalm.xml": '<psalm errorLevel="1"></psalm>', "Makefile": "types:\n\tpsalm\n"},
        "pass",
    ),
    (
        "strict_typing",
        "of Psalm's high level",
        {**PHP, "psalm.xml": '<psalm errorLevel="4"></psalm>', "Makefile": "types:\n\tpsalm\n"},
        "fail",
    ),
    (
        "strict_typing",
        "of Sorbet",
        {
            **RUBY,
            "lib/a.rb": "# typed: strict\n",
            "sorbet/config": "--dir\n.\n",
            "Makefile": "types:\n\tsrb tc\n",
        },
        "pass",
    ),
    (
        "strict_typing",
        "of Sorbet in few files",
        {
            **RUBY,
            "lib/a.rb": "# typed: true\n",
            "sorbet/config": "--dir\n.\n",
            "Makefile": "types:\n\tsrb tc\n",
        },
        "fail",
    ),
    (
        "strict_typing",
        "of nullable types in .NET",
        {**NET, "a/a.csproj": PROJECT.format(NULLABLE)},
        "pass",
    ),
    ("strict_typing", "of .NET without them", {**NET, "a/a.csproj": PROJECT.format("")}, "fail"),
    ("strict_typing", "of F#", {"a/a.fsproj": PROJECT.format(""), "a/A.fs": "let a = 1\n"}, "pass"),
    ("strict_typing", "of what nothing checks", LIBRARY, "skipped"),
]


@pytest.mark.parametrize(
    ("criterion", "files", "state"),
    [(criterion, files, state) for criterion, _, files, state in CASES],
    ids=[f"{criterion} {what}" for criterion, what, _, _ in CASES],
)
def test_what_counts_for_a_criterion_on_versions_and_types(
    criterion: str, files: dict[str, Content], state: str
) -> None:
    evaluation = judged(criterion, facts_of(files))

    assert evaluation.state == state, evaluation.rationale
