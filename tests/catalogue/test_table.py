"""Rows are checked when they are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest

from stationmaster.catalogue import ecosystems, table
from stationmaster.catalogue.ci import System
from stationmaster.catalogue.repositories import (
    config_files,
    english,
    frameworks,
    import_lines,
    languages,
    layout,
    manifest_forms,
    platforms,
    sql,
    task_files,
    test_names,
    versions,
    work,
)
from stationmaster.catalogue.repositories.expressions import expressions


def test_a_file_of_another_shape_is_named() -> None:
    with pytest.raises(ValueError, match=r"ci\.toml: .*\$\[\.\.\.\]"):
        table.read("ci", dict[str, int])


def test_rows_are_structs_by_their_names() -> None:
    assert table.read("ci", dict[str, System])["travis"].title == "Travis CI"


@pytest.mark.parametrize(
    "decode",
    [
        config_files.config_files,
        ecosystems.ecosystems,
        english.english,
        frameworks.frameworks,
        import_lines.languages,
        languages.languages,
        layout.layout,
        manifest_forms.forms,
        platforms.platforms,
        sql.sql,
        task_files.task_files,
        test_names.conventions,
        versions.versions,
        work.work,
    ],
)
def test_tables_of_repositories_have_the_shape_of_their_structs(
    decode: Callable[[], object],
) -> None:
    assert decode()


def test_every_expression_compiles() -> None:
    subjects = table.read("repositories/expressions", dict[str, dict[str, str]])
    assert all(
        isinstance(expressions(subject)[name], re.Pattern)
        for subject, rows in subjects.items()
        for name in rows
    )


def test_every_language_has_the_grammar_of_its_imports() -> None:
    for ending, language in import_lines.languages().items():
        grammar = import_lines.grammar(ending)
        assert grammar is not None
        assert grammar.language == language


@pytest.mark.parametrize(
    "pattern",
    ["ruff", "*", "ruff*", "*ruff", "@nestjs/*", "*-*-*", "a*a", "a*b*a", "**", "r?ff", "[pr]uff*"],
)
def test_names_match_a_pattern_as_fnmatch_has_it(pattern: str) -> None:
    names = {"ruff", "ruff-lsp", "puff", "@nestjs/core", "a", "aa", "aba", "abba", "a\nb-c-a", ""}
    assert table.matching(names, [pattern]) == {n for n in names if fnmatchcase(n, pattern)}
