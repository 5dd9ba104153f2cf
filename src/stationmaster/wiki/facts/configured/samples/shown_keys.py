"""Keys as files of settings show them: with the comment above, also where they are commented out,
and below the section or the keys that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from stationmaster.reading.code.explaining import indent, is_of_all, paragraph_of, with_deprecation

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
_NO_KEYS = r"(?!(?:defaults?|examples?|format|hints?|note|see|todo|types?|usage|values?):)"
_OUT_OF_YAML = re.compile(
    rf"([ \t]*)# ?{_NO_KEYS}"
    r"([a-z][\w.-]{2,99}):[ \t]+(?:[^\s#\"'\[{][^\s]*|\"[^\"]*\"|'[^']*'|\[[^\]]*\])[ \t]*(?:#.*)?"
)
"""One with a value, and no words."""
_OPENED = re.compile(r"[ \t]*# ?[a-z][\w.-]{2,99}:[ \t]*")
_DEEPER = re.compile(r"[ \t]*#[ \t]{2,}\S[^\n]*")
"""Of one that is left out with all that it holds."""
LEFT_OUT = re.compile(
    rf"{_NO_KEYS}[a-z][\w.-]{{0,99}}:[ \t]+"
    r"(?:[^\s\"'\[{]\S*+|\"[^\"]*\"|'[^']*'|\[.*)[ \t]*"
    r"|-[ \t]+(?:[a-z][\w.-]{0,99}:[ \t]+)?[\[{\"'].*"
)
"""A line of YAML that a comment takes out."""
RULES = re.compile(r"^[ \t]*[-=+*~#_]{3,}[ \t]*|(?<![ \t])[ \t]*+[-=+*~#_]{3,}+[ \t]*$")
_ADDRESS = re.compile(r"https?://\S+")
_DEFINED = re.compile(
    r"()[ \t]*+(?:(?:#|//)[ \t]*+)?(?:defined\([^()\n]{1,100}\)[ \t]*+(?:or|\|\|)[ \t]*+)?"
    r"define\([ \t]*+[\"']([A-Za-z_]\w{1,99})[\"'][ \t]*,"
)
_BEHIND = re.compile(r"[^\n]{0,300}?;[ \t]*(?://|#)[ \t]*(\S.{0,300})")
"""What is said behind a constant of PHP."""
_BESIDE = re.compile(
    r"(?:[^\"'#\n]{0,200}|[^#\n]{0,80}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'))"
    r"[ \t]#+[ \t]+(\w\S* \S.{0,300})"
)
"""What is said behind a value."""
_SECTION = re.compile(r"[ \t]*(?:[#;] ?)?\[{1,2}([\w.\" -]{1,100})\]{1,2}[ \t]*")
_DEFAULT = re.compile(r"\|[ \t]*default[ \t]*=[ \t]*(\"[^\"\n]{1,60}\"|[^\s\]]{1,60})")
"""The default of a key that a document shows in brackets, as those of Prometheus do."""
_STATED = re.compile(
    r"(?i)\bdefaults?(?: value)?(?: is| to|:)? "
    r"(?:(`{1,2})([^`\n]{1,60})\1|\"([^\"\n]{1,60})\"|([\d.]*\d|true|false))"
    r"(?=[.:]?(?:[)\n]|$)|\. )"
)
"""The default that a comment states."""
_VALUE = re.compile(
    r"[ \t]*[\"']?[\w.-]{1,99}[\"']?[ \t]*[:=][ \t]*(?:([\"'])([^\"'\n]{1,80})\1"
    r"|(?!(?:null|~)\s*$)([^\s\"'\[{#;&*|>!%<][^#\n\"']{0,80}))[ \t]*(?:#[^\n]{0,300})?"
)
"""A key of a file with its value."""
_TITLE_WORDS = 6
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


def value_of(line: str) -> str:
    """What a key of a line has, without quotes; '' for nothing, and for more than one value."""
    value = _VALUE.fullmatch(line)
    return (value[2] or value[3]).strip() if value else ""


def shown_keys(
    lines: Sequence[str], start: int = 1, *, is_yaml: bool = False, is_example: bool = False
) -> Iterator[Shown]:
    """The keys of a file, the first line of which is `start`. A comment above several keys, with
    none between them, that is not on the first alone is left out, and in an example one behind a
    value, which is on that."""
    keys = [*_keys(lines, start, is_yaml, is_example)]
    for at, (key, is_below, stated) in enumerate(keys):
        near = zip(keys[at + 1 : at + 1 + _GROUP_MAX], count(key.line + 1), strict=False)
        inside = (*key.holders, key.name)
        names = [it.name for (it, *_), line in near if it.line == line and it.holders != inside]
        is_of_several = is_below and is_of_all(_ADDRESS.sub("", key.words), key.name, names)
        if is_of_several:
            key = key._replace(words="")
        elif key.default is None:
            key = key._replace(default=stated)
        yield key


def _keys(
    lines: Sequence[str], start: int, is_yaml: bool, is_example: bool
) -> Iterator[tuple[Shown, bool, str | None]]:
    """Also whether each has a comment above, and the default that its comment states."""
    holders: list[tuple[int, str]] = []
    remarks: list[list[str]] = [[]]
    column = -1
    for at, line in enumerate(_used(lines) if is_yaml else lines):
        left_out = (_OUT_OF_YAML.fullmatch if is_yaml else _KEPT_OUT.match)(line)
        defined = _DEFINED.match(line) if "define(" in line else None
        key = defined or _KEY.match(line) or left_out
        head = _SECTION.fullmatch(line)
        remark = REMARK.fullmatch(line) or _OF_BLOCK.fullmatch(line)
        if head and (line.lstrip()[0] == "[" or (holders and holders[0][0] == _OF_INI)):
            holders, remarks = [(_OF_INI, head[1])], [[]]
        elif key:
            holders = [it for it in holders if it[0] < len(key[1])]
            column = line.rfind("#", key.end())
            beside = _BEHIND if defined else _BESIDE
            behind = None if is_example and not defined else beside.fullmatch(line, key.end())
            default, words = _DEFAULT.search(line), _meaning(remarks, key[2])
            words = words or (behind[1] if behind else "")
            shown = Shown(
                tuple(name for _, name in holders),
                key[2],
                words,
                default[1].strip("\"'") if default else None,
                start + at,
                REMARK.fullmatch(line) is not None,
            )
            yield shown, any(remarks), _stated(remarks, behind)
            holders.append((len(key[1]), key[2]))
            remarks = [[]]
        elif remark and column == indent(line):
            continue  # It goes on with what is said behind the value above.
        elif remark and not _RULE.fullmatch(line.strip()):
            column = -1
            # Nothing stands in the first and the last line of a block.
            words = RULES.sub("", remark[1].removesuffix("*/").rstrip())
            is_other = LEFT_OUT.fullmatch(remark[1]) or (remark[1] and not words)
            remarks = [[]] if is_other else remarks
            remarks[-1] += [words] if words and not is_other else []
        elif _BETWEEN.fullmatch(line):
            remarks += [[]] if remarks[-1] else []
        else:
            remarks = [[]]  # A rule stands below a heading.


def _used(lines: Sequence[str]) -> Iterator[str]:
    """Lines of YAML, empty where they are left out with what they hold, and without words where
    they show what else the key below may be."""
    is_left_out = False
    for at, line in enumerate(lines):
        below = lines[at + 1 : at + 1 + _GROUP_MAX]
        is_opened = _OPENED.fullmatch(line) and _DEEPER.fullmatch("".join(below[:1]))
        is_left_out = bool(is_opened or (is_left_out and _DEEPER.fullmatch(line)))
        other = _OUT_OF_YAML.fullmatch(line)
        following = next((key[2] for it in below if other and (key := _KEY.match(it))), "")
        yield "" if is_left_out else "#" if other and other[2] == following else line


def _meaning(remarks: Sequence[Sequence[str]], name: str) -> str:
    """What the paragraphs of a comment say of a key, without what is on the file or on more."""
    paragraphs = [[*it] for it in remarks if it]
    for it in paragraphs:
        it[:1] = [] if it[1:] and _HEADING.fullmatch(it[0]) else it[:1]
    words = [" ".join(it).removesuffix(":") for it in paragraphs]
    sentences = [it for it in words if len(it.split()) >= _WORDS_MIN and not _OF_FILE.search(it)]
    if sentences[1:] and len(sentences[0].split()) <= _TITLE_WORDS and sentences[0][-1].isalnum():
        sentences[:2] = [f"{sentences[0]}. {sentences[1]}"]
    meaning = paragraph_of(sentences or words[-1:], name)
    return with_deprecation(meaning, "\n\n".join(map("\n".join, remarks)))


def _stated(remarks: Sequence[Sequence[str]], behind: re.Match[str] | None) -> str | None:
    """The default that the words of a comment state, where these state one."""
    words = "\n".join((*map(" ".join, remarks), behind[1] if behind else ""))
    stated = {it[2] or it[3] or it[4] for it in _STATED.finditer(words)}
    return stated.pop() if len(stated) == 1 else None
