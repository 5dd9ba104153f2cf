"""Repositories that are made to cost time are read within seconds of computing."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.children.calling import call
from stationmaster.children.limits import Limits
from stationmaster.pipelines.scanning import scan
from stationmaster.readiness.judging import child
from stationmaster.repos.reading import Source, open_path
from stationmaster.wiki import drafting
from tests.support.repositories import Repository

pytestmark = pytest.mark.attack
LIMITS = Limits(cpu_s=30)
"""Each takes one or two; where work grows with the square of a file's size, it takes hours."""
SIZE = 200_000
RUNS = {
    ".github/workflows/ci.yml": "# ${{ a }} ",
    ".npmrc": "\n",
    "CONTRIBUTING.md": "# a ",
    "Jenkinsfile": '"\\',
    "Makefile": "a",
    "README.md": "# ",
    "build.gradle": "\n",
    "build.sbt": "lazy val a=project ",
    "configure.ac": "\n",
    "docs/x.adoc": "[%a",
    "fly.toml": " \n",
    "go.mod": ".",
    "justfile": "a ",
    "mix.exs": "only:",
    "prisma/schema.prisma": "fields:[",
    "requirements.txt": "\n",
    "src/a.py": '"\\',
    "src/application.properties": "\n",
    "src/b.js": "/*",
    "src/c.rs": '"\\',
    "src/d.go": "a",
    "x.gemspec": ".name=\n",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = Path(tmp_path_factory.mktemp("hostile")) / "a"
    made = Repository(folder)
    runs = {path: run * (SIZE // len(run)) for path, run in RUNS.items()}
    made.commit({**runs, "package.json": "{" + "\n" * 400_000 + "}"})
    with open_path(folder) as snapshot:
        return snapshot.source


def test_readiness(source: Source) -> None:
    made = call(LIMITS, child.judge, source, child.Origin("https://example.com/a"), None)
    assert made.report


def test_ci_scan(source: Source) -> None:
    assert call(LIMITS, scan.of_source, source, scan.Origin("a", None), [], 0.0).commit


def test_wiki(source: Source) -> None:
    assert call(LIMITS, drafting.written, source, None, "a", None, False).pages
