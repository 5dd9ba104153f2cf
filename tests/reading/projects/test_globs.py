"""Patterns of paths, in a time that no pattern of a stranger can stretch."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects.globs import compiled


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
