"""Expressions `${{ … }}` of GitHub's workflows: what they refer to, and whether they can be true.

An expression that cannot be read, is too long or too deep is a call of an unknown function of all
that it names: whatever it says may come of it.
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
_UNKNOWN = ""
_OWN_REPOSITORY = re.compile(
    r"\$\{\{[^}]{0,200}\b(?:github\.repository|repo\.full_name)\b[^}]{0,200}\}\}"
)


class Literal(msgspec.Struct, frozen=True):
    """A text, a number, true, false or null, as text."""

    text: str


class Reference(msgspec.Struct, frozen=True):
    """Names in lower case, joined by points; `*` stands for every or a computed member."""

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
    """A value that may come out of an expression; `is_whole`: with all its members, as JSON."""

    path: str
    is_whole: bool


class _Unreadable(Exception):
    pass


def embedded(text: str) -> list[str]:
    """The insides of the expressions in a text, in its order."""
    found: list[str] = []
    start = text.find("${{")
    while start >= 0 and len(found) < EMBEDDED_MAX:
        end = _end(text, start + 3)
        if end is None:
            break
        found.append(text[start + 3 : end])
        start = text.find("${{", end + 2)
    return found


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
    """The values that may come out of the expressions in a text."""
    return [flow for inside in embedded(text) for flow in of_expression(parse(inside))]


def of_expression(expression: Expression) -> Iterator[Flow]:
    """The values that may come out of one: comparisons and tests give only true or false."""
    left = [(expression, False)]
    while left:
        each, is_whole = left.pop()
        if isinstance(each, Reference):
            yield Flow(each.path, is_whole)
        elif isinstance(each, Binary):
            if each.operator in ("&&", "||"):
                left.append((each.right, is_whole))
            if each.operator == "||":
                left.append((each.left, is_whole))
        elif isinstance(each, Call) and each.name not in _ANSWERS_ONLY:
            whole = is_whole or each.name in ("tojson", _UNKNOWN)
            left += [(argument, whole) for argument in reversed(each.arguments)]


def references(expression: Expression) -> Iterator[str]:
    """All that an expression names."""
    left = [expression]
    while left:
        each = left.pop()
        if isinstance(each, Reference):
            yield each.path
        elif isinstance(each, Binary):
            left += [each.right, each.left]
        elif isinstance(each, Negation):
            left.append(each.of)
        elif isinstance(each, Call):
            left += reversed(each.arguments)


Atom = Callable[[Expression], bool | None]
"""What is known of a comparison, a call or a value: true, false, or nothing."""


def truth(expression: Expression, known: Atom) -> bool | None:
    """Whether an expression is true when only some of it is known; None: it depends."""
    if isinstance(expression, Negation):
        inner = truth(expression.of, known)
        return None if inner is None else not inner
    if isinstance(expression, Binary) and expression.operator in ("&&", "||"):
        decisive = expression.operator == "||"
        sides = truth(expression.left, known), truth(expression.right, known)
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if isinstance(expression, Literal):
        return expression.text not in ("", "0", "false", "null")
    return known(expression)


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
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def whole(self) -> Expression:
        """The expression that all tokens make. Raises _Unreadable where some are left over."""
        found = self._either()
        if self._place < len(self._tokens):
            raise _Unreadable
        return found

    def _either(self) -> Expression:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _Unreadable
        found = self._both()
        while self._takes("||"):
            found = Binary("||", found, self._both())
        self._depth -= 1
        return found

    def _both(self) -> Expression:
        found = self._compared()
        while self._takes("&&"):
            found = Binary("&&", found, self._compared())
        return found

    def _compared(self) -> Expression:
        found = self._single()
        while (mark := self._taken("==", "!=", "<=", ">=", "<", ">")) is not None:
            found = Binary(mark, found, self._single())
        return found

    def _single(self) -> Expression:
        negations = 0
        while self._takes("!"):
            negations += 1
        found = self._value()
        if negations > DEPTH_MAX:
            raise _Unreadable
        for _ in range(negations):
            found = Negation(found)
        return found

    def _value(self) -> Expression:
        if self._takes("("):
            found = self._either()
            self._expect(")")
            return found
        kind, token = self._next()
        if kind == "text":
            return Literal(token[1:-1].replace("''", "'"))
        if kind == "number" or (kind == "name" and token.lower() in ("true", "false", "null")):
            return Literal(token.lower())
        if kind != "name":
            raise _Unreadable
        name = token.lower()
        if self._takes("("):
            return self._members_of(Call(name, tuple(self._arguments())))
        return self._members_of(Reference(name))

    def _arguments(self) -> Iterator[Expression]:
        if self._takes(")"):
            return
        while True:
            yield self._either()
            if self._takes(")"):
                return
            self._expect(",")

    def _members_of(self, of: Reference | Call) -> Expression:
        names: list[str] = []
        while True:
            if self._takes("."):
                names.append(self._next()[1].lower())
            elif self._takes("["):
                index = self._either()
                self._expect("]")
                names.append(index.text.lower() if isinstance(index, Literal) else "*")
            else:
                break
        if isinstance(of, Reference):
            return Reference(".".join((of.path, *names)))
        return of

    def _next(self) -> tuple[str, str]:
        if self._place >= len(self._tokens):
            raise _Unreadable
        self._place += 1
        return self._tokens[self._place - 1]

    def _taken(self, *marks: str) -> str | None:
        if self._place < len(self._tokens) and self._tokens[self._place][0] == "mark":
            mark = self._tokens[self._place][1]
            if mark in marks:
                self._place += 1
                return mark
        return None

    def _takes(self, mark: str) -> bool:
        return self._taken(mark) is not None

    def _expect(self, mark: str) -> None:
        if not self._takes(mark):
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
    """Does the `repository` of a checkout mean the repository itself, or the fork that a change
    comes from?"""
    return not named.strip() or _OWN_REPOSITORY.search(named) is not None
