"""How source files import modules: `import_lines.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from stationmaster.catalogue.table import Row, lazy_table


class _Files(Row, frozen=True):
    endings: tuple[str, ...]
    comments: str
    imports: tuple[str, ...]
    by_lines: bool = False


class _Table(Row, frozen=True):
    comments: dict[str, str]
    files: dict[str, _Files]


class Grammar(NamedTuple):
    """What is a comment in files of a language, and what imports a module there."""

    language: str
    comments: re.Pattern[str]
    imports: re.Pattern[str]


_table = lazy_table("repositories/import_lines", _Table)


@cache
def languages() -> dict[str, str]:
    """The languages of files by their endings, in lower case."""
    return {end: language for language, row in _table().files.items() for end in row.endings}


def grammar(ending: str) -> Grammar | None:
    """That of files with an ending, in lower case."""
    language = languages().get(ending)
    return None if language is None else _grammar(language)


@cache
def _grammar(language: str) -> Grammar:
    row = _table().files[language]
    imports = re.compile("|".join(row.imports), re.MULTILINE if row.by_lines else 0)
    return Grammar(language, re.compile(_table().comments[row.comments]), imports)
