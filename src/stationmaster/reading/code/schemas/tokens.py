"""Tokens of schemas, and a reader that goes over them from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec


class Token(msgspec.Struct):
    """A token. `kind` is the group of the pattern that matches it, `doc` the comment above it."""

    text: str
    line: int
    kind: str
    doc: str = ""


def tokens(pattern: re.Pattern[str], text: str, most: int) -> Iterator[Token]:
    """The first tokens of a text without spaces; comments belong to the next token."""
    line, doc, ended = 1, "", 0
    for count, match in enumerate(pattern.finditer(text)):
        if count > most:
            return
        kind, value = match.lastgroup or "", match[0]
        if kind == "comment":
            words = " ".join(re.sub(r"^[\s/*]+|[\s*/]+$", "", row) for row in value.split("\n"))
            doc = f"{doc} {words}".strip() if ended == line - 1 else words.strip()
            ended = line + value.count("\n")
        elif kind != "space":
            yield Token(value, line, kind, doc if ended in (line - 1, line) else "")
            doc = ""
        line += value.count("\n")


class Tokens:
    """Reads tokens from left to right; `at` is the next one."""

    def __init__(self, pattern: re.Pattern[str], text: str, most: int) -> None:
        self._tokens = list(tokens(pattern, text, most))
        self.at = 0

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, at: int) -> Token:
        return self._tokens[at]

    def between(self, start: int, end: int) -> list[Token]:
        """The tokens from one place up to another."""
        return self._tokens[start:end]

    @property
    def is_over(self) -> bool:
        """Is there no next token?"""
        return self.at >= len(self._tokens)

    def next(self) -> Token:
        """The next token, which is then read."""
        self.at += 1
        return self._tokens[self.at - 1]

    def text(self, ahead: int = 0) -> str:
        """The text of a token from here on, '' behind the end."""
        at = self.at + ahead
        return self._tokens[at].text if at < len(self._tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        """The kind of a token from here on, '' behind the end."""
        at = self.at + ahead
        return self._tokens[at].kind if at < len(self._tokens) else ""

    def takes(self, text: str) -> bool:
        """True if the next token has this text; it is then read."""
        is_next = self.text() == text
        self.at += is_next
        return is_next

    def skip(self) -> None:
        """Skip the next bracket up to its closing one."""
        opens = self.text()
        closes = {"(": ")", "[": "]", "{": "}"}[opens]
        depth = 0
        while not self.is_over:
            depth += (self.text() == opens) - (self.text() == closes)
            self.at += 1
            if depth == 0:
                return
