"""A shell command line as its simple commands: quotes, here-documents and substitutions read.

This is a reader of what a line would run, not a shell: it expands nothing and never fails. Text
that is not well-formed is read as far as it makes sense.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PLAIN = re.compile(r"[^\s;&|<>()'\"\\$`#]+")
_DOUBLE_PLAIN = re.compile(r"[^\"\\$`]+")
_ESCAPED_QUOTES = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
"""The inside of $'…'. It matches everywhere."""
_NESTING_MAX = 24


class Simple(NamedTuple):
    """One simple command: its words without quotes, and what joins it to the next ("" at the end).

    `is_nested`: it runs in a substitution, whose exit code is lost, or in brackets that may not be
    reached. `fed`: the here-documents that it reads.
    """

    words: tuple[str, ...]
    joined_by: str
    is_nested: bool
    fed: list[str]


def split(text: str) -> list[Simple]:
    """The simple commands of a line in the order in which they start to run."""
    reader = _Reader(text)
    while reader.position < len(text):
        reader.commands("", False)
    return reader.simples


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.simples: list[Simple] = []
        self._depth = 0
        self._heredocs: list[tuple[str, bool, list[str]]] = []

    def commands(self, closing: str, nested: bool) -> None:
        """Read commands up to and over the closing character, or to the end of the text."""
        line = _Line(self.simples, nested)
        text = self.text
        while self.position < len(text):
            char = text[self.position]
            if char == closing:
                self.position += 1
                break
            if not self._word_part(char, line):
                self._operator(char, line, nested)
        line.end_command("")

    def _word_part(self, char: str, line: _Line) -> bool:
        plain = _PLAIN.match(self.text, self.position)
        if plain:
            self.position = plain.end()
            line.add(plain.group())
        elif char in "'\"" and line.word == "@" and self._is_before_newline():
            line.add(self._here_string(char))
        elif char == "'":
            line.add(self._single_quoted())
        elif char == '"':
            line.add(self._double_quoted())
        elif char in "\\`" and self._is_before_newline():
            # The command continues in the next line, as PowerShell writes it with the second.
            self.position = self.text.find("\n", self.position) + 1
        elif char == "\\":
            line.add(self._escaped())
        elif char in "$`":
            line.add(self._substitution(char))
        elif char == "#" and line.word is not None:
            self.position += 1
            line.add("#")
        else:
            return False
        return True

    def _operator(self, char: str, line: _Line, nested: bool) -> None:
        text, start = self.text, self.position
        self.position += 1
        if char == "#":
            end = text.find("\n", start)
            self.position = len(text) if end < 0 else end
        elif char == "\n":
            line.end_command("\n")
            self._skip_heredocs()
        elif char.isspace():
            line.end_word()
        elif char in ";&|":
            self._separator(char, line)
        elif char == "<":
            self._input(line)
        elif char == ">":
            self.position += text.startswith((">", "&", "|"), self.position)
            line.redirect()
        elif char == "(":
            self._nest(")", nested or line.is_alternative())
        else:
            # Of a pattern of `case`, or of brackets that are nested too deep.
            line.end_command(";")

    def _separator(self, char: str, line: _Line) -> None:
        following = self.text[self.position : self.position + 1]
        if char == "&" and following == ">":
            self.position += 1
            line.redirect()
            return
        if following == char or (char == "|" and following == "&"):
            self.position += 1
            line.end_command(char * 2 if following == char else "|")
            return
        line.end_command(char)

    def _input(self, line: _Line) -> None:
        text = self.text
        if text.startswith("<<", self.position):
            self.position += 2
            line.redirect()
        elif text.startswith("<", self.position):
            self.position += 1
            is_indented = text.startswith("-", self.position)
            delimiter = re.compile(r"-?[ \t]*(['\"\\]?)([^\s'\";&|<>()]*)['\"]?").match(
                text, self.position
            )
            if delimiter:
                self.position = delimiter.end()
                self._heredocs.append((delimiter.group(2), is_indented, line.fed))
            line.end_word()
        elif text.startswith("(", self.position):
            self.position += 1
            self._nest(")", True)
        else:
            self.position += text.startswith("&", self.position)
            line.redirect()

    def _nest(self, closing: str, nested: bool) -> None:
        if self._depth >= _NESTING_MAX:
            return
        self._depth += 1
        self.commands(closing, nested)
        self._depth -= 1

    def _is_before_newline(self) -> bool:
        return self.text.startswith(("\n", "\r\n"), self.position + 1)

    def _escaped(self) -> str:
        following = self.text[self.position + 1 : self.position + 2]
        self.position += 2
        # A letter needs no escape, so this is a path on Windows.
        return f"\\{following}" if following.isalnum() else following

    def _here_string(self, quote: str) -> str:
        """PowerShell's text of several lines, up to a line that begins with the quote and `@`."""
        start = self.position
        end = self.text.find(f"\n{quote}@", start)
        self.position = len(self.text) if end < 0 else end + 3
        return self.text[start : self.position]

    def _single_quoted(self) -> str:
        start = self.position + 1
        end = self.text.find("'", start)
        end = len(self.text) if end < 0 else end
        self.position = end + 1
        return self.text[start:end]

    def _double_quoted(self) -> str:
        parts: list[str] = []
        self.position += 1
        while self.position < len(self.text):
            plain = _DOUBLE_PLAIN.match(self.text, self.position)
            if plain:
                parts.append(plain.group())
                self.position = plain.end()
                continue
            char = self.text[self.position]
            if char == '"':
                self.position += 1
                break
            if char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                parts.append(following if following in '"\\$`' else f"\\{following}")
                self.position += 2
            else:
                parts.append(self._substitution(char))
        return "".join(parts)

    def _substitution(self, char: str) -> str:
        self.position += 1
        if char == "`":
            self._nest("`", True)
            return ""
        if self.text.startswith("(", self.position):
            self.position += 1
            self._nest(")", True)
            return ""
        if self.text.startswith("'", self.position):
            match = _ESCAPED_QUOTES.match(self.text, self.position + 1)
            assert match is not None
            self.position = match.end() + 1
            return match.group()
        return "$"

    def _skip_heredocs(self) -> None:
        for delimiter, is_indented, fed in self._heredocs:
            rows: list[str] = []
            while self.position < len(self.text):
                end = self.text.find("\n", self.position)
                end = len(self.text) if end < 0 else end
                row = self.text[self.position : end]
                self.position = end + 1
                row = row.lstrip("\t") if is_indented else row
                if row.removesuffix("\r") == delimiter:
                    break
                rows.append(row)
            fed.append("\n".join(rows))
        self._heredocs.clear()


class _Line:
    """The command under construction."""

    def __init__(self, simples: list[Simple], nested: bool) -> None:
        self.word: str | None = None
        self.fed: list[str] = []
        self._commands = simples
        self._nested = nested
        self._words: list[str] = []
        self._is_target = False

    def add(self, part: str) -> None:
        """Append a piece to the current word, or begin one with it."""
        self.word = part if self.word is None else self.word + part

    def is_alternative(self) -> bool:
        """Is the next command reached only if the one before failed?"""
        return not self._words and bool(self._commands) and self._commands[-1].joined_by == "||"

    def redirect(self) -> None:
        """The next word names a file, and a number just before was a descriptor."""
        if self.word is not None and self.word.isdigit():
            self.word = None
        self.end_word()
        self._is_target = True

    def end_word(self) -> None:
        """Add the current word to the command; the name of a redirect's file is left out."""
        if self.word is None:
            return
        if self._is_target:
            self._is_target = False
        else:
            self._words.append(self.word)
        self.word = None

    def end_command(self, joined_by: str) -> None:
        """Add the command to those found; `joined_by` is the operator behind it."""
        self.end_word()
        self._is_target = False
        if self._words:
            command = Simple(tuple(self._words), joined_by, self._nested, self.fed)
            self._commands.append(command)
            self._words, self.fed = [], []
        elif joined_by and self._commands and self._commands[-1].joined_by == "":
            # A closing bracket ended the command; what follows the bracket joins it.
            self._commands[-1] = self._commands[-1]._replace(joined_by=joined_by)
