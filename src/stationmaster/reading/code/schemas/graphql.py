"""GraphQL's schema language: types, their fields, queries and mutations."""

from __future__ import annotations

import re

import msgspec

from stationmaster.reading.code.schemas.tokens import Tokens

TOKENS_MAX = 1_000_000
_TOKEN = re.compile(
    r'(?P<space>[\s,\ufeff]++)|(?P<comment>\#[^\n]*+)|(?P<block>"""(?:.*?"""|.*))'
    r'|(?P<text>"(?:[^"\\\n]|\\.)*+"?)|(?P<word>\w++)|(?P<sign>\.\.\.|.)',
    re.DOTALL,
)
KINDS = frozenset({"type", "input", "interface", "enum", "union", "scalar"})
_VALUES = ("word", "text")
_ROOTS = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}


class Field(msgspec.Struct, frozen=True, array_like=True):
    """A field; `arguments` are names with types, as written, and `marks` its directives."""

    name: str
    type: str
    line: int
    arguments: tuple[str, ...] = ()
    doc: str = ""
    marks: tuple[str, ...] = ()

    @property
    def is_deprecated(self) -> bool:
        """Is it marked so?"""
        return any(mark.startswith("@deprecated") for mark in self.marks)


class Type(msgspec.Struct, frozen=True, array_like=True):
    """A type; `bases` are its interfaces, or the members of a union."""

    name: str
    kind: str
    line: int
    end: int
    fields: tuple[Field, ...]
    bases: tuple[str, ...] = ()
    doc: str = ""


class Schema(msgspec.Struct, frozen=True, array_like=True):
    """The types of a schema; `roots` are those of `query`, `mutation` and `subscription`, by these
    words."""

    types: tuple[Type, ...]
    roots: dict[str, str]


def read(text: str) -> Schema:
    """The types of a schema and its root types, from the first TOKENS_MAX tokens of a text."""
    return _Reading(Tokens(_TOKEN, text, TOKENS_MAX)).run()


class _Reading:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._types: list[Type] = []
        self._roots = dict(_ROOTS)

    def run(self) -> Schema:
        """The types by place, and the root types; queries and unknown words are skipped."""
        tokens, doc = self._tokens, ""
        while not tokens.is_over:
            token = tokens[tokens.at]
            if token.kind in ("block", "text"):
                doc = _doc(tokens.next().text)
            elif token.text in KINDS and tokens.kind(1) == "word":
                self._type(doc)
                doc = ""
            elif tokens.takes("schema"):
                self._schema()
            else:
                if token.text == "{":  # A query or something unknown: not of the schema.
                    tokens.skip()
                else:
                    tokens.next()
                doc = doc if token.text == "extend" else ""
        return Schema(tuple(self._types), self._roots)

    def _type(self, doc: str) -> None:
        tokens = self._tokens
        opened, name = tokens.next(), tokens.next().text
        bases: list[str] = []
        if tokens.takes("implements"):
            while tokens.kind() == "word" or tokens.text() == "&":
                if not tokens.takes("&"):
                    bases.append(tokens.next().text)
        self._directives()
        if opened.text == "union" and tokens.takes("="):
            is_open = True
            while tokens.text() == "|" or (tokens.kind() == "word" and is_open):
                is_open = tokens.takes("|")
                if not is_open:
                    bases.append(tokens.next().text)
        fields = self._fields(opened.text) if tokens.takes("{") else []
        last = tokens[min(tokens.at, len(tokens)) - 1].line
        self._types.append(
            Type(name, opened.text, opened.line, last, tuple(fields), tuple(bases), doc)
        )

    def _fields(self, kind: str) -> list[Field]:
        tokens, fields, doc = self._tokens, [], ""
        while not tokens.is_over and tokens.text() != "}":
            token = tokens.next()
            if token.kind in ("block", "text"):
                doc = _doc(token.text)
            elif token.kind == "word":
                arguments = self._arguments()
                type_ = self._type_name() if kind != "enum" and tokens.takes(":") else ""
                self._value()
                marks = self._directives()
                fields.append(Field(token.text, type_, token.line, arguments, doc, marks))
                doc = ""
        tokens.at += 1
        return fields

    def _arguments(self) -> tuple[str, ...]:
        tokens, arguments = self._tokens, []
        if not tokens.takes("("):
            return ()
        while not tokens.is_over and tokens.text() != ")":
            name = tokens.next()
            if name.kind == "word" and tokens.takes(":"):
                arguments.append(f"{name.text}: {self._type_name()}")
                self._value()
                self._directives()
        tokens.at += 1
        return tuple(arguments)

    def _type_name(self) -> str:
        name = ""
        while self._tokens.takes("["):
            name += "["
        name += self._tokens.text()
        self._tokens.at += 1
        while self._tokens.text() in ("]", "!"):
            name += self._tokens.next().text
        return name

    def _value(self) -> None:
        """Skip a default, if one is next."""
        if self._tokens.takes("="):
            if self._tokens.text() in ("[", "{"):
                self._tokens.skip()
            else:
                self._tokens.at += 1

    def _directives(self) -> tuple[str, ...]:
        tokens, marks = self._tokens, list[str]()
        while tokens.takes("@"):
            start = tokens.at
            tokens.at += 1
            if tokens.text() == "(":
                tokens.skip()
            written, before = "@", ""
            for token in tokens.between(start, tokens.at):
                is_next = before in _VALUES and token.kind in _VALUES
                written += f"{', ' if is_next else ''}{token.text}{' ' * (token.text == ':')}"
                before = token.kind
            marks.append(written)
        return tuple(marks)

    def _schema(self) -> None:
        self._directives()
        is_open = self._tokens.takes("{")
        while is_open and self._tokens.text() not in ("", "}"):
            if self._tokens.text() in _ROOTS and self._tokens.text(1) == ":":
                self._roots[self._tokens.text()] = self._tokens.text(2)
            self._tokens.at += 1


def _doc(token: str) -> str:
    """The first line of a description."""
    return " ".join(token.strip('"').strip().partition("\n\n")[0].split())[:300]
