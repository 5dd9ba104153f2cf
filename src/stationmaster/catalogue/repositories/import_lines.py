"""How source files import modules: `import_lines.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from stationmaster.catalogue.table import Row, read


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


@cache
def grammars() -> dict[str, Grammar]:
    """By the endings of files, in lower case."""
    table = read("repositories/import_lines", _Table)
    comments = {name: re.compile(pattern) for name, pattern in table.comments.items()}
    by_ending = {}
    for language, row in table.files.items():
        imports = re.compile("|".join(row.imports), re.MULTILINE if row.by_lines else 0)
        grammar = Grammar(language, comments[row.comments], imports)
        by_ending.update(dict.fromkeys(row.endings, grammar))
    return by_ending
