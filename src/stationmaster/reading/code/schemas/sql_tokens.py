"""The words of SQL, statement by statement.

Bodies of functions, comments, the rows of a dump and what a program fills in before a name (such as
`{prefix}orders`) are passed over. Every expression here takes
one step for each character.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.catalogue.repositories.sql import sql

_HOLDERS = frozenset({"map", "list", "set", "frozen", "tuple", "vector", "array", "struct"})
"""Types that name others in `<` and `>`."""
TOKENS_MAX = 400_000
STATEMENT_TOKENS_MAX = 20_000
_PATTERN = r"""
(?P<space>\s++|\$?\{{{{1,2}}[ ]?[\w.]{{1,40}}[ ]?\}}{{1,2}}\.?(?=["`\w]))
|(?P<comment>--[^\n]*+{hash}|/\*(?:.*?\*/|.*))
|(?P<text>{string}'?+)
|(?P<name>"(?:[^"\n]|"")*+"|`[^`\n]*+`|\[[A-Za-z_][^\]\n]{{0,127}}\])
|(?P<word>[^\W\d][\w$#]*+)
|(?P<number>\d[\w.]*+)
|(?P<body>\$\w{{0,60}}\$)
|(?P<sign>.)
"""
_STANDARD = re.compile(_PATTERN.format(hash="", string="'(?:[^']|'')*+"), re.DOTALL | re.VERBOSE)
_MYSQL = re.compile(
    _PATTERN.format(hash=r"|\#[^\n]*+", string=r"'(?:[^'\\]|\\.|'')*+"), re.DOTALL | re.VERBOSE
)
_DOWN = re.compile(
    r"(?im)^[ \t]*--[ \t]*+(?:(?:\+goose[ \t]++|\+migrate[ \t]++|migrate:|![ \t]*+)(down|up)s?\b"
    r"[^\n]{0,200}|(down|up)[ \t]*)$"
)


_TEMPLATE = re.compile(
    r"\{\{-?\s{0,9}(?:[\w.]{1,40}[ \t(]{1,4}){1,3}[\"'`](\w{1,100})[\"'`][ \t)]{0,9}-?\}\}"
)
"""A call of a template with one text, which it makes a name of: `{{ tenant "orders" }}`."""


class Token(NamedTuple):
    """A token; one that `is_quoted`, as a name or a text, is not a word of the language."""

    text: str
    line: int
    is_quoted: bool
    is_name: bool = False


def words(tokens: Sequence[Token]) -> list[str]:
    """The words in upper case; '' for quoted tokens."""
    return ["" if token.is_quoted else token.text.upper() for token in tokens]


def statements(text: str) -> Iterator[list[Token]]:
    """The tokens of each statement, without the sign at its end."""
    text = _TEMPLATE.sub(r"\1", up(text))
    pattern = _MYSQL if "`" in text else _STANDARD
    tokens: list[Token] = []
    position, line, count = 0, 1, 0
    while position < len(text) and count < TOKENS_MAX:
        match = pattern.match(text, position)
        if match is None:
            break
        kind, value = match.lastgroup, match[0]
        start, position = line, match.end()
        if kind == "body":
            closing = text.find(value, position)
            position = len(text) if closing < 0 else closing + len(value)
            value = text[match.start() : position]
        line += value.count("\n")
        if kind in ("space", "comment"):
            continue
        count += 1
        is_end = value == ";" or (kind == "word" and value.upper() == "GO" and _alone(text, match))
        if is_end:
            if tokens:
                yield tokens
            if words(tokens[:1]) == ["COPY"] and words(tokens[-1:]) == ["STDIN"]:
                closing = text.find("\n\\.", position)
                end = len(text) if closing < 0 else closing + 3
                line += text.count("\n", position, end)
                position = end
            tokens = []
        elif len(tokens) < STATEMENT_TOKENS_MAX:
            tokens.append(_token(kind, value, start))
    if tokens:
        yield tokens


def up(text: str) -> str:
    """The forward half of a migration, where both halves are in one file; lines keep their
    numbers."""
    marks = list(_DOWN.finditer(text))
    if not any(_is_down(mark) for mark in marks):
        return text
    kept, position, is_down = [], 0, False
    for mark in marks:
        part = text[position : mark.start()]
        kept.append("\n" * part.count("\n") if is_down else part)
        position, is_down = mark.start(), _is_down(mark)
    part = text[position:]
    kept.append("\n" * part.count("\n") if is_down else part)
    return "".join(kept)


def _is_down(mark: re.Match[str]) -> bool:
    return (mark[1] or mark[2]).lower() == "down"


def _token(kind: str | None, value: str, line: int) -> Token:
    if kind == "name":
        return Token(value[1:-1], line, True, True)
    if kind in ("text", "body"):
        return Token("''", line, True)
    return Token(value, line, False, kind == "word")


def _alone(text: str, match: re.Match[str]) -> bool:
    """Is a word the only one of its line, as T-SQL's `GO` is?"""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return text[start : end if end >= 0 else len(text)].strip().upper() == "GO"


class Words:
    """Reads the tokens of a statement from left to right; `at` is the next one."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        """The next word in upper case, '' at the end; a quoted one is no word of the language."""
        if self.at >= len(self.tokens):
            return ""
        token = self.tokens[self.at]
        return token.text if token.is_quoted else token.text.upper()

    def takes(self, *expected: str) -> bool:
        """True if these words are next; they are then read."""
        tokens = self.tokens[self.at : self.at + len(expected)]
        if words(tokens) != list(expected):
            return False
        self.at += len(expected)
        return True

    def name(self) -> str:
        """A name without the schema that everybody means."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at].is_name:
            parts.append(self.tokens[self.at].text)
            self.at += 1
            if not self.takes("."):
                break
        if len(parts) > 1 and parts[-2].lower() in sql().default_schemas:
            parts = parts[-1:]
        return ".".join(parts[-2:])

    def names(self) -> list[str]:
        """The names that come next, with commas between them; [] without one."""
        listed = [self.name()]
        while self.takes(","):
            listed.append(self.name())
        return [word for word in listed if word]

    def skip_to(self, sign: str) -> None:
        """Go to the next token with this text, or to the end without one."""
        while self.at < len(self.tokens) and self.tokens[self.at].text != sign:
            self.at += 1

    def columns(self) -> tuple[str, ...]:
        """The names in the brackets that come next."""
        return tuple(element[0].text for element in self.elements() if element)

    def elements(self) -> Iterator[list[Token]]:
        """The parts between the commas of the next brackets, which are then read."""
        start, depth = self.at + 1, 0
        while self.at < len(self.tokens):
            text = self.tokens[self.at].text
            is_sign = not self.tokens[self.at].is_quoted
            depth += (text == "(" and is_sign) - (text == ")" and is_sign)
            self.at += 1
            if depth == 0:
                break
        end = self.at - 1 if depth == 0 else self.at
        return iter(split(self.tokens[start:end]))


def split(tokens: list[Token]) -> list[list[Token]]:
    """The parts between commas outside brackets, also outside those of `map<text, int>`."""
    parts: list[list[Token]] = [[]]
    depth = angles = 0
    for token in tokens:
        if not token.is_quoted:
            depth += (token.text == "(") - (token.text == ")")
            if token.text == "<" and parts[-1] and parts[-1][-1].text.lower() in _HOLDERS:
                angles += 1
            elif token.text == ">" and angles:
                angles -= 1
            elif token.text == "," and depth == 0 and angles == 0:
                parts.append([])
                continue
        parts[-1].append(token)
    return [part for part in parts if part]


def type_at(tokens: list[Token]) -> tuple[str, int]:
    """The type at the beginning, and of how many tokens it is made."""
    written = ""
    depth = count = 0
    for token, after in itertools.zip_longest(tokens, tokens[1:]):
        word = "" if token.is_quoted else token.text.upper()
        is_charset = word == "CHARACTER" and after is not None and after.text.upper() == "SET"
        if depth == 0 and (word in sql().after_type or is_charset):
            break
        depth += (token.text == "(") - (token.text == ")")
        is_tight = re.fullmatch(r"[()\[\],.<>]", token.text) or written.endswith(
            ("(", "[", ".", "<")
        )
        written += ("" if is_tight or not written else " ") + token.text
        count += 1
    return written[:60], count
