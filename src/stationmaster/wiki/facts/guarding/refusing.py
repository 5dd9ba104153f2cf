"""Conditions under which a handler of PHP itself answers 401 or 403."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.code.explaining import indent
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.guarding.guards import Guard, refusal
from stationmaster.wiki.facts.model import Facts

_SHOWN_MAX = 160
_CONDITION_MAX = 1000
"""Letters of a condition, also over lines."""
_IF = re.compile(r"^([ \t]+)if ?\(", re.MULTILINE)
_DENIED = re.compile(r"!\s?([^\s&|?=<]{1,160})")
_LEAVING = re.compile(r"(?:return|abort|throw)\b")
_REFUSED = re.compile(
    r"[\s,(](40[13])\s{0,40}[,)]|\bHTTP_(UNAUTHORIZED|FORBIDDEN)\b"
    r"|\bthrow\s{1,20}new\s{1,20}\\?(?:\w+\\)*+(\w*(?:Auth|Access|Forbidden|Denied|Permission)\w*)"
)
_CODES = {"UNAUTHORIZED": "401", "FORBIDDEN": "403"}


class _Branch(NamedTuple):
    """A condition, and the statement by which its block leaves the method; '' for none."""

    condition: str
    leaving: str
    start: int
    end: int


def refusing(facts: Facts, path: str, handler: Symbol, known: Sequence[Guard]) -> Iterator[Guard]:
    """The answers of 401 and 403 that a method gives by itself at once or at its end, with their
    conditions, without those that ask a guard which is known."""
    body = "\n".join(lines_of(facts, path)[handler.line : handler.end - 1])
    inner = min(map(indent, filter(str.strip, body.split("\n")[1:])), default=0)
    names = [guard.name.partition("(")[0] + "(" for guard in known if "(" in guard.name]
    branches = [*_branches(body, inner)]
    for branch in branches:
        is_known = any(name in branch.condition for name in names)
        if not is_known and (name := _refused(branch.leaving)):
            yield refusal(name, f"if {one_line(branch.condition, _SHOWN_MAX)}")
    rest = body
    for branch in reversed(branches):
        rest = rest[: branch.start] + rest[branch.end :]
    name = _refused(_last(rest, inner))
    if name and len(branches) == 1 and branches[0].leaving and rest.count("return") < 2:
        condition = one_line(branches[0].condition, _SHOWN_MAX)
        denied = _DENIED.fullmatch(condition)
        yield refusal(name, f"if {denied[1]}" if denied else f"unless {condition}")


def _branches(body: str, inner: int) -> Iterator[_Branch]:
    """The conditions of a method that are within no other statement."""
    for match in _IF.finditer(body):
        closed = _closed(body, match.end())
        if len(match[1]) != inner or not closed:
            continue
        condition, after = body[match.end() : closed - 1], body[closed:]
        if after.lstrip().startswith("{"):
            block, sign, _ = after.partition(f"\n{match[1]}}}")
            end = closed + len(block) + len(sign)
            yield _Branch(condition, _last(block.partition("{")[2]), match.start(), end)
        else:
            statement, _, _ = after.partition(";")
            leaving = statement.strip() if _LEAVING.match(statement.strip()) else ""
            yield _Branch(condition, leaving, match.start(), closed + len(statement) + 1)


def _closed(text: str, start: int) -> int:
    """Where the bracket is closed that is open at a place; 0 for too far away."""
    depth = 1
    for at, sign in enumerate(text[start : start + _CONDITION_MAX], start + 1):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return at
    return 0


def _last(block: str, inner: int = 0) -> str:
    """The last statement of a block, if that leaves the method."""
    lines = [line for line in block.split("\n") if line.strip()]
    indents = [*map(indent, lines)]
    outer = inner or min(indents, default=0)
    for at in range(len(lines) - 1, -1, -1):
        text = lines[at].strip()
        if indents[at] == outer and not text.startswith((")", "]", "}")):
            return "\n".join(lines[at:]).strip() if _LEAVING.match(text) else ""
    return ""


def _refused(statement: str) -> str:
    """What a statement answers, or raises, that refuses a request; '' for anything else."""
    match = _REFUSED.search(statement)
    return (match[1] or _CODES.get(match[2], match[3])) if match else ""
