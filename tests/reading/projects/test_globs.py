"""Patterns of paths, in a time that no pattern of a stranger can stretch."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects.globs import Index, compiled


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a.py", True), ("*.py", "a/b.py", False), ("**/*.py", "a/b.py", True),
        ("**/*.py", "b.py", True), ("a/**/b", "a/b", True), ("a/**/b", "a/x/y/b", True),
        ("a/**", "a/x/y", True), ("a*b*c", "abxbc", True), ("a*b*c", "abxb/c", False),
        ("*a*a", "aba", True), ("**/a*/**/b", "x/ac/d/b", True), ("a[0-9]?.c", "a1x.c", True),
        ("**/x/**/x/y", "x/x/x/y", True), ("**a*b**c", "zabxb/c", True),
    ],
)  # fmt: skip
def test_stars_stay_in_a_name_and_two_of_them_cross_folders(
    pattern: str, path: str, expected: bool
) -> None:
    assert (compiled(pattern).fullmatch(path) is not None) is expected


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 10 + "b", "a" * 4_000), ("**/a/" * 5 + "b", "a/" * 2_000),
        ("**a" * 5 + "b", "a" * 4_000), ("*" * 11, "a"),
    ],
    ids=["stars", "folders", "anything", "too many stars"],
)  # fmt: skip
def test_a_pattern_that_almost_matches_in_many_ways_is_refused_at_once(
    pattern: str, path: str
) -> None:
    assert compiled(pattern).fullmatch(path) is None


@pytest.mark.parametrize("any_case", [False, True])
@pytest.mark.parametrize(
    "pattern",
    [
        "*.py", "**/*.py", "*", "**", "src/*.py", "**/src/*", "**/SRC/*.PY", "src/**/*.py", "a*b",
        "?.py", "**/x/**/*.md", "src/x/y.md", "**/x/y.md", "**/[ab].py", "lib/**/*.py", "a**b",
        "*" * 11,
    ],
)  # fmt: skip
def test_an_index_finds_what_the_expression_of_a_pattern_matches(
    pattern: str, any_case: bool
) -> None:
    paths = ["a.py", "ab", "b.PY", "src/a.py", "src/x/y.md", "src/src/a.py", "Src/c.py", "x/y.md"]
    test = compiled(pattern, any_case=any_case)
    expected = sorted(path for path in paths if test.fullmatch(path))
    assert Index(paths).find((pattern,), any_case=any_case) == expected
