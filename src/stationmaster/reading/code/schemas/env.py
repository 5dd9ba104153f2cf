"""Example files of environment variables: names and their comments, never a value."""

from __future__ import annotations

import re
from typing import NamedTuple

from stationmaster.reading.code.explaining import paragraph_of, with_deprecation

LINES_MAX = 5_000
_TITLE_WORDS = 6
_KEY = re.compile(r"^\s*(?:#\s?)?(?:export\s+)?([A-Z][A-Z0-9_]{1,99})\s*=(?!=)")
_COMMENT = re.compile(r"^\s*#+\s?(.*)$")
_OF_FILE = re.compile(r"(?i)\bthis file\b|\.env\b")
"""Words of a paragraph that is about the whole file."""
_FILE = re.compile(
    r"(?:.{0,60}\.)?env\.(?:[\w-]{1,30}\.)?(?:example|sample|template|dist|defaults)"
    r"|(?i:example|sample|template|default)\.env|env\.(?:example|sample|template)"
    r"|\.env-(?:example|sample|template)"
    r"|\.env\.(?:example|sample|template)\.[\w-]{1,30}"
)


_PATTERN = re.compile(r"[A-Z][A-Z0-9_]{2,60}(?:<\w{1,60}>[A-Z0-9_]{0,60}){1,4}")
_HOLE = re.compile(r"<\w+>")


class EnvVariable(NamedTuple):
    """A variable; `doc` is the paragraph on it of the comment above, `is_set` without a comment
    sign before it."""

    name: str
    line: int
    doc: str
    is_set: bool


def is_pattern(name: str) -> bool:
    """Is a name a pattern of several variables: `SHOP_<name>_URL`?"""
    return _PATTERN.fullmatch(name) is not None


def pattern(name: str) -> re.Pattern[str]:
    """The expression for variables of a pattern, and its form in documents: `SHOP_$NAME_URL`."""
    return re.compile(r"[\w$<>{}*\[\]-]{0,60}?".join(map(re.escape, _HOLE.split(name))))


def _joined(lines: list[str]) -> str:
    """The lines of a comment, the first of which may be a title."""
    first, *rest = lines or [""]
    is_title = len(first.split()) <= _TITLE_WORDS and first[-1:].isalnum()
    sign = "." if is_title and rest and rest[0][:1].isupper() else ""
    return " ".join((f"{first}{sign}", *rest))


def _doc(above: list[list[str]], name: str) -> str:
    """What the paragraphs of a comment say of a variable."""
    paragraphs = [it for it in above if it]
    own = [it for it in paragraphs if it is above[-1] or not _OF_FILE.search(" ".join(it))]
    meaning = paragraph_of(list(map(_joined, own)), name)[:300]
    return with_deprecation(meaning, "\n\n".join("\n".join(it) for it in paragraphs))


def is_example(path: str) -> bool:
    """Is a file a template to be copied, and so without real secrets?"""
    return _FILE.fullmatch(path.rpartition("/")[2]) is not None


def read(text: str) -> tuple[EnvVariable, ...]:
    """The variables by line; a repeated one counts where it is set, else at its first place."""
    by_name: dict[str, EnvVariable] = {}
    above: list[list[str]] = [[]]
    for number, line in enumerate(text.split("\n")[:LINES_MAX], 1):
        key = _KEY.match(line)
        if key:
            is_set = not line.lstrip().startswith("#")
            if key[1] not in by_name or (is_set and not by_name[key[1]].is_set):
                by_name[key[1]] = EnvVariable(key[1], number, _doc(above, key[1]), is_set)
            above = [[]]
        elif comment := _COMMENT.match(line):
            words = comment[1].strip(" #=-*")
            if words:
                above[-1].append(words)
            elif above[-1]:
                above.append([])
        else:
            above = [[]]
    return tuple(sorted(by_name.values(), key=lambda variable: variable.line))
