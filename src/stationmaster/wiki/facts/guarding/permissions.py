"""Permissions that views of Django REST framework list: expressions of them, lists of single
actions, and methods that choose them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.guarding.guards import Guard, declared
from stationmaster.wiki.facts.model import Facts, Spot

_CHOOSING = "get_permissions"
_LISTED = re.compile(r"permission_classes\s*+=(?!=)")
_ACTION = re.compile(r"@(?:\w{1,40}\.)?action\(")
_HEAD_MAX = 20
"""Lines of decorators."""
_DEPTH_MAX, _LENGTH_MAX = 8, 160
"""Brackets within brackets of an expression, and its letters."""
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")
_CHOICE = re.compile(r"[|~]|\b(?:if|not|or)\b")
_QUOTED = re.compile(r"[\"'](\w{1,80})[\"']")
_BY_ACTION = re.compile(r"(?:el)?if self\.action (?:==|in) [^:]{1,400}:")
_USUAL = re.compile(r"return super\(.{0,80}\)\.get_permissions\(\)")
_STANDARD = frozenset({"list", "create", "retrieve", "update", "partial_update", "destroy"})


def listed(facts: Facts, path: str, text: str) -> Iterator[Guard]:
    """The guards of a list as a file writes it. All of them are asked; of those that are combined
    by "or" and "not" the expression is one guard."""
    for part in _parts(text, _DEPTH_MAX):
        bare = _TEXT.sub("", part)
        names = (it for it in dict.fromkeys(_DOTTED.findall(bare)) if not iskeyword(it))
        guards = [Guard(name, declared(facts, path, name)) for name in names]
        if _CHOICE.search(bare):
            yield Guard(one_line(part, _LENGTH_MAX), None, parts=tuple(guards))
        else:
            yield from guards


def _parts(text: str, depth: int) -> Iterator[str]:
    """What is asked independently: the parts of a list, and of expressions joined by "and"."""
    text = text.strip()
    while text.startswith(("(", "[")) and _closing(text) == len(text) - 1:
        text = text[1:-1].strip()
    for signs in (",+", "|", "&"):
        ends = [at for at, sign in _outside(text) if sign in signs]
        if ends and (signs == "|" or not depth):
            break
        if ends:
            for start, end in zip((-1, *ends), (*ends, len(text)), strict=True):
                yield from _parts(text[start + 1 : end], depth - 1)
            return
    if text:
        yield text


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """The signs of a text that are not in brackets, with their places."""
    depth = 0
    for at, sign in enumerate(text):
        depth -= sign in ")]"
        if not depth:
            yield at, sign
        depth += sign in "(["


def _closing(text: str) -> int:
    """The place of the bracket that closes the first."""
    return next((at for at, sign in _outside(text) if sign in ")]"), -1)


def of_action(facts: Facts, path: str, handler: Symbol) -> tuple[Guard, ...] | None:
    """The guards that the decorator of an action lists, which replace those of its class; None
    where it lists none."""
    if "action" not in (mark.rpartition(".")[2] for mark in handler.marks):
        return None
    head = "\n".join(lines_of(facts, path)[max(handler.line - _HEAD_MAX, 0) : handler.line])
    start = max((match.end() for match in _ACTION.finditer(head)), default=len(head))
    for argument in arguments_from(head, start):
        if match := _LISTED.match(argument):
            return tuple(listed(facts, path, argument[match.end() :]))
    return None


def choosing(facts: Facts, path: str, holder: str, handler: Symbol) -> Guard | None:
    """The method of a class, or of what it builds on, that chooses the permissions of a handler;
    None where it leaves them as they are listed."""
    for where, name in types(facts).around((path, holder)):
        method = symbol_of(facts, where, f"{name}.{_CHOOSING}")
        if method is not None:
            lines = lines_of(facts, where)[method.line : method.end]
            is_usual = _leaves(lines, handler)
            return None if is_usual else Guard(method.qualified, Spot(where, method.qualified))
    return None


def _leaves(lines: Sequence[str], handler: Symbol) -> bool:
    """Does a method choose only for actions that it names, and not for what a handler does?"""
    written = [line.strip() for line in lines if line.strip()]
    asked = [line for line in written if re.match(r"(?:(?:el)?if|else|for|while|try)\b", line)]
    named = {name for line in asked for name in _QUOTED.findall(line)}
    actions = {handler.name} if handler.kind == "method" else _STANDARD
    is_by_name = all(_BY_ACTION.match(line) and "not in" not in line for line in asked)
    is_last = bool(written) and _USUAL.match(written[-1]) is not None
    return is_last and is_by_name and bool(asked) and named.isdisjoint(actions)
