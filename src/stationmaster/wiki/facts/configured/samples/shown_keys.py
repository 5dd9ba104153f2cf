"""Keys as files of settings show them: with the comment above, also where they are commented out,
and below the section or the keys that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from stationmaster.reading.code.explaining import is_of_all

REMARK = re.compile(r"[ \t]*(?:#+|;+|//+)[ \t]*(\S.{0,300})")
_OF_BLOCK = re.compile(r"[ \t]*/?\*{1,9}/?[ \t]*(.{0,300})")
_BETWEEN = re.compile(r"[ \t]*(?:#|;|//)[ \t]*")
"""Behind the first paragraph of a comment."""
_WORDS_MIN = 3
"""Of a paragraph that is no heading."""
_OF_FILE = re.compile(r"(?i)copyright|licen[cs]e|\bthis file\b|configuration file")
_RULE = re.compile(r"[^\w\s]{3,}+(?:\*/)?")
_KEY = re.compile(
    r"([ \t]*(?:- ?)?)(?:\[ {0,4})?[\"']?([A-Za-z_][\w.-]{1,99})[\"']?(?:\[\])?[ \t]*(?:=|:(?!:))"
)
_KEPT_OUT = re.compile(
    r"()[ \t]*(?:#|;|//) ?([A-Za-z_][\w.-]{1,99})(?:\[\])?[ \t]*="
    r"(?!=|[^\n]{0,200}\s[/|,]\s?\w{1,60}=)"
)
"""None that is one of several behind each other, which tell of something."""
_DEFINED = re.compile(
    r"()[ \t]*+(?:(?:#|//)[ \t]*+)?(?:defined\([^()\n]{1,100}\)[ \t]*+(?:or|\|\|)[ \t]*+)?"
    r"define\([ \t]*+[\"']([A-Za-z_]\w{1,99})[\"'][ \t]*,"
)
_BEHIND = re.compile(r"[^\n]{0,300}?;[ \t]*(?://|#)[ \t]*(\S.{0,300})")
"""What is said behind a constant of PHP."""
_SECTION = re.compile(r"[ \t]*(?:[#;] ?)?\[{1,2}([\w.\" -]{1,100})\]{1,2}[ \t]*")
_DEFAULT = re.compile(r"\|[ \t]*default[ \t]*=[ \t]*(\"[^\"\n]{1,60}\"|[^\s\]]{1,60})")
"""The default of a key that a document shows in brackets, as those of Prometheus do."""
_HEADING = re.compile(r"(?i)[\w /-]{0,60}\b(?:settings?|options?|configurations?|parameters?)")
_GROUP_MAX = 20
"""Keys below another that are looked at."""
_OF_INI = -1
"""How far in the keys of a section stand, less one."""


class Shown(NamedTuple):
    """A key at a line; `words` are those of the comment above, '' for none, and it `is_out` where
    it is commented out itself."""

    holders: tuple[str, ...]
    name: str
    words: str
    default: str | None
    line: int
    is_out: bool


def shown_keys(lines: Sequence[str], start: int = 1) -> Iterator[Shown]:
    """The keys of a file, the first line of which is `start`. A comment above several keys, with
    none between them, that is not on the first alone is left out."""
    keys = [*_keys(lines, start)]
    for at, (key, is_below) in enumerate(keys):
        near = zip(keys[at + 1 : at + 1 + _GROUP_MAX], count(key.line + 1), strict=False)
        names = [it.name for (it, _), line in near if it.line == line]
        yield key._replace(words="") if is_below and is_of_all(key.words, key.name, names) else key


def _keys(lines: Sequence[str], start: int) -> Iterator[tuple[Shown, bool]]:
    """Also whether each has a comment above."""
    holders: list[tuple[int, str]] = []
    remarks: list[str] = []
    is_over = False
    for number, line in enumerate(lines, start):
        defined = _DEFINED.match(line) if "define(" in line else None
        key = defined or _KEY.match(line) or _KEPT_OUT.match(line)
        head = _SECTION.fullmatch(line)
        remark = REMARK.fullmatch(line) or _OF_BLOCK.fullmatch(line)
        if head and (line.lstrip()[0] == "[" or (holders and holders[0][0] == _OF_INI)):
            holders, remarks, is_over = [(_OF_INI, head[1])], [], False
        elif key:
            holders = [it for it in holders if it[0] < len(key[1])]
            default = _DEFAULT.search(line)
            behind = _BEHIND.fullmatch(line, key.end()) if defined else None
            if remarks[1:] and _HEADING.fullmatch(remarks[0]):
                remarks = remarks[1:]
            words = " ".join(remarks) or (behind[1] if behind else "")
            shown = Shown(
                tuple(name for _, name in holders),
                key[2],
                words,
                default[1].strip("\"'") if default else None,
                number,
                REMARK.fullmatch(line) is not None,
            )
            yield shown, bool(remarks)
            holders.append((len(key[1]), key[2]))
            remarks, is_over = [], False
        elif remark and not _RULE.fullmatch(line.strip()):
            # Nothing stands in the first and the last line of a block.
            words = remark[1].removesuffix("*/").rstrip()
            remarks += [words] if words and not is_over else []
        elif is_over or (_BETWEEN.fullmatch(line) and _says_what(remarks)):
            is_over = bool(line.strip())
            remarks = remarks if is_over else []
        else:
            remarks = []  # A rule stands below a heading.


def _says_what(remarks: Sequence[str]) -> bool:
    """Is the first paragraph of a comment no heading, and not on the file?"""
    words = " ".join(remarks)
    return len(words.split()) >= _WORDS_MIN and not _OF_FILE.search(words)
