"""The test files of an application, and which of them hold a test."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects import test_files
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import is_below

_LIKE = {"Kotlin": "Java", "Scala": "Java", "Groovy": "Java"}
_CONTENT: dict[str, re.Pattern[str]] = {
    "Rust": re.compile(
        r"#\[(?:\w{1,40}::)?(?:test|test_case|rstest|quickcheck)\b|#\[cfg\(test\)\]"
    ),
    "Zig": re.compile(r"(?m)^test\b"),
    "D": re.compile(r"(?m)^[ \t]*unittest\b"),
    "Python": re.compile(r"\bdef test|\bclass \w{0,60}Test|\bTestCase\b|>>> "),
    "JavaScript": re.compile(r"\b(?:it|test|describe|suite|Deno\.test|bench|expectType|assert)\b"),
    "Go": re.compile(r"(?m)^func (?:Test|Benchmark|Example|Fuzz)|ginkgo|\bsuite\b"),
    "Ruby": re.compile(
        r"\b(?:describe|it|test|should|def test_|class \w{1,80}Test|feature|context)\b"
    ),
    "PHP": re.compile(r"function test|@test|#\[Test|\b(?:it|test)\(|--TEST--|Cest|function \w"),
    "Elixir": re.compile(r"\btest\b|\bproperty\b|doctest"),
    "Java": re.compile(
        r"@\w{0,40}Test\b|@Property|\btest\(|\bTestCase\b|should|FunSpec|Spec\b|fun "
    ),
}
"""What a test file says, where an empty or generated one would say nothing."""
_PROJECT = re.compile(r"(?i)xunit|nunit|mstest|tunit|expecto|microsoft\.net\.test\.sdk")
_READ_MAX = 400
_KEPT_MAX = 2_000


def tests_of(facts: Facts, app: App) -> Sequence[str]:
    """The test files of an application's main language, at most some thousands."""
    return facts.remembered(f"tests of {app.path}", lambda: tuple(_find(facts, app)))


def _find(facts: Facts, app: App) -> list[str]:
    language = _language(app)
    start = 0 if app.path == "." else len(app.path) + 1
    found = [
        path
        for path in _paths(facts, app)
        if test_files.holds_cases(path[start:] if is_below(path, app.path) else path, language)
        and (test_files.is_test(path) or test_files.is_perhaps(path))
    ]
    if not found and language in test_files.INLINE:
        found = _inline(facts, app, language)
    return found[:_KEPT_MAX]


def _language(app: App) -> str:
    """The name of its rows in `test_files`."""
    language = family(app) or ""
    return _LIKE.get(language, language)


def _paths(facts: Facts, app: App) -> Sequence[str]:
    """Files of the application, and of test projects beside it that refer to it."""
    own = facts.tree.of(app)
    if "dotnet" not in app.ecosystems:
        return own
    names = {manifest.path.rpartition("/")[2] for manifest in app.manifests}
    beside = [
        path
        for project in facts.tree.glob("**/*.csproj", "**/*.fsproj", "**/*.vbproj")
        if (text := facts.tree.text(project))
        and _PROJECT.search(text)
        and any(name in text for name in names)
        for path in facts.tree.glob(
            "**/*.cs", "**/*.fs", "**/*.vb", under=project.rpartition("/")[0] or "."
        )
    ]
    return tuple(dict.fromkeys((*own, *beside)))


def _inline(facts: Facts, app: App, language: str) -> list[str]:
    ending = f".{test_files.INLINE[language]}"
    sources = [path for path in facts.tree.of(app) if path.endswith(ending)][:_READ_MAX]
    sign = _CONTENT[language]
    first = next((path for path in sources if sign.search(facts.tree.text(path))), None)
    return [] if first is None else [first]


def first_real(facts: Facts, app: App) -> Place | None:
    """The first test in a test file."""
    found = (_test_in(facts, app, path) for path in tests_of(facts, app)[:_READ_MAX])
    return next((place for place in found if place is not None), None)


def with_tests(facts: Facts, app: App) -> Sequence[str]:
    """The test files that hold a test, of the first some hundreds: others help them."""
    return [path for path in tests_of(facts, app)[:_READ_MAX] if _test_in(facts, app, path)]


def _test_in(facts: Facts, app: App, path: str) -> Place | None:
    sign = _CONTENT.get(_language(app))
    text = facts.tree.text(path)
    if sign is None:
        return Place(path) if text.strip() else None
    at = sign.search(text)
    return None if at is None else Place(path, text.count("\n", 0, at.start()) + 1)


def usual(app: App, paths: Sequence[str]) -> int:
    """How many of an application's tests have the names that runners look for by themselves."""
    language = _language(app)
    if language in (*test_files.INLINE, "Swift", "C#"):
        return len(paths)  # They are found by what they say.
    return sum(1 for path in paths if test_files.is_usual(path, language))
