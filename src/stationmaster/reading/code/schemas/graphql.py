"""GraphQL's schema language: types, their fields, and what can be asked and done."""

from __future__ import annotations

import re

import msgspec

TOKENS_MAX = 1_000_000
_TOKEN = re.compile(
    r'(?P<space>[\s,\ufeff]++)|(?P<comment>\#[^\n]*+)|(?P<block>"""(?:.*?"""|.*))'
    r'|(?P<text>"(?:[^"\\\n]|\\.)*+"?)|(?P<word>\w++)|(?P<sign>\.\.\.|.)',
    re.DOTALL,
)
KINDS = frozenset({"type", "input", "interface", "enum", "union", "scalar"})
_ROOTS = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}


class Field(msgspec.Struct, frozen=True, array_like=True):
    """`arguments` are their names with types, as written."""

    name: str
    type: str
    line: int
    arguments: tuple[str, ...] = ()
    doc: str = ""
    is_deprecated: bool = False


class Type(msgspec.Struct, frozen=True, array_like=True):
    """`bases` are the interfaces it has, or the members of a union."""

    name: str
    kind: str
    line: int
    end: int
    fields: tuple[Field, ...]
    bases: tuple[str, ...] = ()
    doc: str = ""


class Schema(msgspec.Struct, frozen=True, array_like=True):
    """`roots` gives the types of `query`, `mutation` and `subscription` by these words."""

    types: tuple[Type, ...]
    roots: dict[str, str]


class _Token(msgspec.Struct):
    text: str
    line: int
    kind: str


def read(text: str) -> Schema:
    """The types of a schema and its root types, from the first TOKENS_MAX tokens of a text."""
    tokens: list[_Token] = []
    line = 1
    for count, found in enumerate(_TOKEN.finditer(text)):
        if count > TOKENS_MAX:
            break
        kind, value = found.lastgroup or "", found[0]
        if kind not in ("space", "comment"):
            tokens.append(_Token(value, line, kind))
        line += value.count("\n")
    return _Reading(tokens).run()


class _Reading:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._types: list[Type] = []
        self._roots = dict(_ROOTS)

    def run(self) -> Schema:
        """The types by place, and the root types; queries and unknown words are passed over."""
        doc = ""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind in ("block", "text"):
                doc = _said(token.text)
                self._at += 1
            elif token.text in KINDS and self._kind(1) == "word":
                self._type(doc)
                doc = ""
            elif token.text == "schema":
                self._schema()
            else:
                if token.text == "{":  # A query or something unknown: not of the schema.
                    self._past("{", "}")
                else:
                    self._at += 1
                doc = doc if token.text == "extend" else ""
        return Schema(tuple(self._types), self._roots)

    def _type(self, doc: str) -> None:
        opened = self._tokens[self._at]
        name = self._tokens[self._at + 1].text
        self._at += 2
        bases: list[str] = []
        if self._text() == "implements":
            self._at += 1
            while self._kind() == "word" or self._text() == "&":
                if self._text() != "&":
                    bases.append(self._text())
                self._at += 1
        self._directives()
        if opened.text == "union" and self._text() == "=":
            self._at += 1
            while self._text() == "|" or (
                self._kind() == "word" and (not bases or self._before() == "|")
            ):
                if self._text() != "|":
                    bases.append(self._text())
                self._at += 1
        fields: list[Field] = []
        if self._text() == "{":
            self._at += 1
            fields = self._fields(opened.text)
        last = self._tokens[min(self._at, len(self._tokens)) - 1].line
        self._types.append(
            Type(name, opened.text, opened.line, last, tuple(fields), tuple(bases), doc)
        )

    def _fields(self, kind: str) -> list[Field]:
        fields: list[Field] = []
        doc = ""
        while self._at < len(self._tokens) and self._text() != "}":
            token = self._tokens[self._at]
            self._at += 1
            if token.kind in ("block", "text"):
                doc = _said(token.text)
            elif token.kind == "word":
                arguments = self._arguments()
                type_ = ""
                if kind != "enum" and self._text() == ":":
                    self._at += 1
                    type_ = self._type_name()
                if self._text() == "=":
                    self._at += 1
                    self._value()
                marks = self._directives()
                fields.append(
                    Field(token.text, type_, token.line, arguments, doc, "deprecated" in marks)
                )
                doc = ""
        self._at += 1
        return fields

    def _arguments(self) -> tuple[str, ...]:
        if self._text() != "(":
            return ()
        self._at += 1
        arguments = []
        while self._at < len(self._tokens) and self._text() != ")":
            name = self._tokens[self._at]
            self._at += 1
            if name.kind == "word" and self._text() == ":":
                self._at += 1
                arguments.append(f"{name.text}: {self._type_name()}")
                if self._text() == "=":
                    self._at += 1
                    self._value()
                self._directives()
        self._at += 1
        return tuple(arguments)

    def _type_name(self) -> str:
        told = ""
        while self._text() == "[":
            told += "["
            self._at += 1
        told += self._text()
        self._at += 1
        while self._text() in ("]", "!"):
            told += self._text()
            self._at += 1
        return told

    def _value(self) -> None:
        if self._text() in ("[", "{"):
            self._past(self._text(), {"[": "]", "{": "}"}[self._text()])
        else:
            self._at += 1

    def _directives(self) -> set[str]:
        directives = set()
        while self._text() == "@":
            directives.add(self._text(1))
            self._at += 2
            if self._text() == "(":
                self._past("(", ")")
        return directives

    def _schema(self) -> None:
        self._at += 1
        self._directives()
        if self._text() != "{":
            return
        self._at += 1
        while self._at < len(self._tokens) and self._text() != "}":
            if self._text() in _ROOTS and self._text(1) == ":":
                self._roots[self._text()] = self._text(2)
            self._at += 1

    def _past(self, opens: str, closes: str) -> None:
        depth = 0
        while self._at < len(self._tokens):
            depth += (self._text() == opens) - (self._text() == closes)
            self._at += 1
            if depth == 0:
                return

    def _text(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _kind(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at].kind if at < len(self._tokens) else ""

    def _before(self) -> str:
        return self._tokens[self._at - 1].text


def _said(token: str) -> str:
    """The first line of a description."""
    return " ".join(token.strip('"').strip().partition("\n\n")[0].split())[:300]
