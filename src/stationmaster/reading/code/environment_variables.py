"""Environment variables that source files read, by their parsers; used by readiness.

Only files with a word by which a language reads one are parsed: a few of a hundred. The calling
process has its own limits, so files are parsed here; none of them is large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stationmaster.catalogue import code
from stationmaster.reading.code import languages
from stationmaster.reading.code.schemas import env

SIZE_MAX = 128 * 1024
"""Bytes of a file that is parsed."""
BYTES_MAX = 4 * 2**20
"""Of all of them: some three seconds; later files are left out."""
_WORDS = code.table("shared.environment.words", dict[str, tuple[str, ...]])


class Variable(NamedTuple):
    """A variable that is read at a place. `line` counts from 1."""

    path: str
    line: int
    name: str


def reads(path: str) -> bool:
    """True for a file, by its name, in which a parser finds the variables that it reads."""
    return languages.of_path(path) in _WORDS


def variables(texts: Iterable[tuple[str, str]]) -> Iterator[Variable]:
    """The variables that files read, in their order; `texts` are paths and contents."""
    size = 0
    for path, text in texts:
        language = languages.of_path(path)
        words = _WORDS.get(language, ())
        if len(text) > SIZE_MAX or not any(word in text for word in words):
            continue
        size += len(text)
        if size > BYTES_MAX:
            return
        # Loads grammars, which most repositories need not.
        from stationmaster.reading.code import reading

        for setting in reading.declarations(language, text.encode()).settings:
            is_whole = "{" not in setting.name and not env.is_pattern(setting.name)
            if setting.kind == "env" and is_whole:
                yield Variable(path, setting.line, setting.name)
