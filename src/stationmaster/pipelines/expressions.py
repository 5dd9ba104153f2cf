"""Expressions `${{ … }}` of GitHub's workflows: what they refer to, and whether they can be true.

An expression that cannot be read, is too long or too deep is a call of an unknown function of all
that it names: it may have any value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec

TEXT_MAX = 20_000
TOKENS_MAX = 800
DEPTH_MAX = 40
EMBEDDED_MAX = 1_000
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|[0-9][0-9.]*))"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|(?P<mark>&&|\|\||==|!=|<=|>=|[<>!()\[\],.*]))"
)
_NAMED = re.compile(
    r"(?<![A-Za-z0-9_-])[A-Za-z_][A-Za-z0-9_-]*+(?:\.(?:[A-Za-z_][A-Za-z0-9_-]*|\*))+"
)
_ANSWERS_ONLY = frozenset(
    {"contains", "startswith", "endswith", "hashfiles", "success", "failure", "always", "cancelled"}
)
"""Functions whose answer holds nothing of their arguments' texts."""
_OPERATORS = (("||",), ("&&",), ("==", "!=", "<=", ">=", "<", ">"))
"""By how closely they bind, the loosest first."""
_UNKNOWN = ""
_OWN_REPOSITORY = re.compile(
    r"\$\{\{[^}]{0,200}\b(?:github\.repository|repo\.full_name)\b[^}]{0,200}\}\}"
)


class Literal(msgspec.Struct, frozen=True):
    """A text, a number, true, false or null, as text."""

    text: str


class Reference(msgspec.Struct, frozen=True):
    """Names in lower case, joined by points; `*` is every or a computed member."""

    path: str


class Call(msgspec.Struct, frozen=True):
    """A call; `name` is in lower case, '' for an expression that cannot be read."""

    name: str
    arguments: tuple[Expression, ...]


class Negation(msgspec.Struct, frozen=True):
    """An expression behind `!`."""

    of: Expression


class Binary(msgspec.Struct, frozen=True):
    """Two expressions joined by `&&`, `||` or a comparison such as `==`."""

    operator: str
    left: Expression
    right: Expression


Expression = Literal | Reference | Call | Negation | Binary


class Flow(msgspec.Struct, frozen=True):
    """A value that an expression may return; `is_whole`: with all its members, as JSON."""

    path: str
    is_whole: bool


class _Unreadable(Exception):
    pass


def embedded(text: str) -> list[str]:
    """The insides of the expressions in a text, in its order."""
    insides: list[str] = []
    start = text.find("${{")
    while start >= 0 and len(insides) < EMBEDDED_MAX:
        end = _end(text, start + 3)
        if end is None:
            break
        insides.append(text[start + 3 : end])
        start = text.find("${{", end + 2)
    return insides


@lru_cache(maxsize=2048)
def parse(text: str) -> Expression:
    """An expression's inside; also that of a condition, which needs no braces."""
    inside = text.strip()
    if inside.startswith("${{") and inside.endswith("}}") and inside.count("${{") == 1:
        inside = inside[3:-2]
    try:
        return _Parser(inside).whole()
    except _Unreadable:
        paths = dict.fromkeys(_NAMED.findall(text[:TEXT_MAX].lower()))
        return Call(_UNKNOWN, tuple(Reference(path) for path in list(paths)[:TOKENS_MAX]))


def flows(text: str) -> list[Flow]:
    """The values that the expressions in a text may return."""
    return [flow for inside in embedded(text) for flow in of_expression(parse(inside))]


def of_expression(expression: Expression) -> Iterator[Flow]:
    """The values that one may return: comparisons and tests give only true or false."""
    left = [(expression, False)]
    while left:
        part, is_whole = left.pop()
        if isinstance(part, Reference):
            yield Flow(part.path, is_whole)
        elif isinstance(part, Binary):
            if part.operator in ("&&", "||"):
                left.append((part.right, is_whole))
            if part.operator == "||":
                left.append((part.left, is_whole))
        elif isinstance(part, Call) and part.name not in _ANSWERS_ONLY:
            whole = is_whole or part.name in ("tojson", _UNKNOWN)
            left += [(argument, whole) for argument in reversed(part.arguments)]


def references(expression: Expression) -> Iterator[str]:
    """All that an expression names."""
    left = [expression]
    while left:
        part = left.pop()
        if isinstance(part, Reference):
            yield part.path
        elif isinstance(part, Binary):
            left += [part.right, part.left]
        elif isinstance(part, Negation):
            left.append(part.of)
        elif isinstance(part, Call):
            left += reversed(part.arguments)


Atom = Callable[[Expression], bool | None]
"""What is known of a comparison, a call or a value: true, false, or nothing."""


def truth(expression: Expression, atom: Atom) -> bool | None:
    """Whether an expression is true when only some of it is known; None: it depends."""
    if isinstance(expression, Negation):
        inner = truth(expression.of, atom)
        return None if inner is None else not inner
    if isinstance(expression, Binary) and expression.operator in ("&&", "||"):
        decisive = expression.operator == "||"
        sides = truth(expression.left, atom), truth(expression.right, atom)
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if isinstance(expression, Literal):
        return expression.text not in ("", "0", "false", "null")
    return atom(expression)


def _end(text: str, place: int) -> int | None:
    """Where the braces close, beyond texts in quotes."""
    while True:
        close, quote = text.find("}}", place), text.find("'", place)
        if close < 0:
            return None
        if quote < 0 or close < quote:
            return close
        after = text.find("'", quote + 1)
        if after < 0:
            return close
        place = after + 1


class _Parser:
    """Recursive descent, no deeper than DEPTH_MAX."""

    def __init__(self, text: str) -> None:
        if len(text) > TEXT_MAX:
            raise _Unreadable
        self._tokens = [*_tokens(text), ("end", "")]
        self._place = 0
        self._depth = 0

    def whole(self) -> Expression:
        """The expression that all tokens make. Raises _Unreadable where some are left over."""
        expression = self._joined(0)
        if self._tokens[self._place][0] != "end":
            raise _Unreadable
        return expression

    def _joined(self, level: int) -> Expression:
        """Of operators that bind as these or closer: `||`, then `&&`, then comparisons."""
        if level == len(_OPERATORS):
            return self._single()
        self._depth += level == 0
        if self._depth > DEPTH_MAX:
            raise _Unreadable
        left = self._joined(level + 1)
        while (mark := self._taken(*_OPERATORS[level])) is not None:
            left = Binary(mark, left, self._joined(level + 1))
        self._depth -= level == 0
        return left

    def _single(self) -> Expression:
        negations = 0
        while self._taken("!"):
            negations += 1
        value = self._value()
        if negations > DEPTH_MAX:
            raise _Unreadable
        for _ in range(negations):
            value = Negation(value)
        return value

    def _value(self) -> Expression:
        if self._taken("("):
            inner = self._joined(0)
            self._expect(")")
            return inner
        kind, token = self._next()
        if kind == "text":
            return Literal(token[1:-1].replace("''", "'"))
        if kind == "number" or (kind == "name" and token.lower() in ("true", "false", "null")):
            return Literal(token.lower())
        if kind != "name":
            raise _Unreadable
        if self._taken("("):
            call = Call(token.lower(), tuple(self._arguments()))
            self._members()
            return call
        return Reference(".".join((token.lower(), *self._members())))

    def _arguments(self) -> Iterator[Expression]:
        if self._taken(")"):
            return
        yield self._joined(0)
        while not self._taken(")"):
            self._expect(",")
            yield self._joined(0)

    def _members(self) -> list[str]:
        """The names behind dots and in brackets; `*` for a computed one."""
        names: list[str] = []
        while (mark := self._taken(".", "[")) is not None:
            if mark == ".":
                names.append(self._next()[1].lower())
            else:
                index = self._joined(0)
                self._expect("]")
                names.append(index.text.lower() if isinstance(index, Literal) else "*")
        return names

    def _next(self) -> tuple[str, str]:
        kind, token = self._tokens[self._place]
        if kind == "end":
            raise _Unreadable
        self._place += 1
        return kind, token

    def _taken(self, *marks: str) -> str | None:
        kind, token = self._tokens[self._place]
        if kind != "mark" or token not in marks:
            return None
        self._place += 1
        return token

    def _expect(self, mark: str) -> None:
        if self._taken(mark) is None:
            raise _Unreadable


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, count, end = 0, 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        count += 1
        if match is None or count > TOKENS_MAX:
            raise _Unreadable
        kind = match.lastgroup or ""
        yield kind, match[kind]
        place = match.end()


def is_own_repository(named: str) -> bool:
    """Does the `repository` of a checkout mean the repository itself, or the fork of a change?"""
    return not named.strip() or _OWN_REPOSITORY.search(named) is not None
