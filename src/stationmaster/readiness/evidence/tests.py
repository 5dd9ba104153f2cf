"""The test files of an application, and which of them hold a test."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.catalogue.families import Family, families
from stationmaster.catalogue.table import compiled
from stationmaster.readiness.evidence import configs
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects import test_files
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, is_below

_PROJECT = re.compile(r"(?i)xunit|nunit|mstest|tunit|expecto|microsoft\.net\.test\.sdk")
_READ_MAX = 400
_KEPT_MAX = 2_000


@once
def tests_of(facts: Facts, app: App) -> Sequence[str]:
    """The test files of an application's main language, at most some thousands."""
    language = _language(app)
    start = 0 if app.path == "." else len(app.path) + 1
    paths = [
        path
        for path in _paths(facts, app)
        if test_files.holds_cases(path[start:] if is_below(path, app.path) else path, language)
        and (test_files.is_test(path) or test_files.may_be_test(path))
    ]
    if not paths and language in test_files.INLINE:
        paths = _inline(facts, app, language)
    return paths[:_KEPT_MAX]


def _language(app: App) -> str:
    """The name of its rows in `test_files`."""
    language = app.family or ""
    return _row(language).like or language


def _row(language: str) -> Family:
    return families().get(language, Family())


def _paths(facts: Facts, app: App) -> Sequence[str]:
    """Files of the application, and of separate test projects that refer to it."""
    own = facts.tree.of(app)
    if "dotnet" not in app.ecosystems:
        return own
    separate = [
        path
        for project in test_projects_of(facts, app)
        for path in facts.tree.glob("**/*.cs", "**/*.fs", "**/*.vb", under=folder_of(project))
    ]
    return tuple(dict.fromkeys((*own, *separate)))


def test_projects_of(facts: Facts, app: App) -> Sequence[str]:
    """Projects of tests of .NET that name a project of an application."""
    names = {manifest.path.rpartition("/")[2] for manifest in app.manifests}
    return [
        project
        for project in facts.tree.glob("**/*.csproj", "**/*.fsproj", "**/*.vbproj")
        if (text := facts.tree.text(project))
        and _PROJECT.search(text)
        and any(name in text for name in names)
    ]


def _inline(facts: Facts, app: App, language: str) -> list[str]:
    ending = f".{test_files.INLINE[language]}"
    sources = [path for path in facts.tree.of(app) if path.endswith(ending)][:_READ_MAX]
    sign = compiled(_row(language).test)
    first = next((path for path in sources if sign.search(facts.tree.text(path))), None)
    return [] if first is None else [first]


def first_real(facts: Facts, app: App) -> Place | None:
    """The first test in a test file."""
    places = (_test_in(facts, app, path) for path in tests_of(facts, app)[:_READ_MAX])
    return next((place for place in places if place is not None), None)


def with_tests(facts: Facts, app: App) -> Sequence[str]:
    """The test files that hold a test, of the first some hundreds: others help them."""
    paths = tests_of(facts, app)[:_READ_MAX]
    facts.files.contents.fetch(paths)
    return [path for path in paths if _test_in(facts, app, path)]


def _test_in(facts: Facts, app: App, path: str) -> Place | None:
    pattern = _row(_language(app)).test
    if pattern:
        return configs.line_of(facts, path, compiled(pattern))
    return Place(path) if facts.tree.text(path).strip() else None


def usual(app: App, paths: Sequence[str]) -> int:
    """How many of an application's tests have the names that runners look for by themselves."""
    language = _language(app)
    if language in (*test_files.INLINE, "Swift", "C#"):
        return len(paths)  # They are found by their content.
    return sum(1 for path in paths if test_files.has_runner_name(path, language))
