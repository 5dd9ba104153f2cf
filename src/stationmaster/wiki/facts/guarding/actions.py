"""What actions of Rails ask themselves before they go on: rights of Pundit, and answers that one is
not allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.explaining import margin
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.guarding.filters import going_on
from stationmaster.wiki.facts.guarding.guards import Guard, refusal
from stationmaster.wiki.facts.model import Facts, Spot, query

_AUTHORIZED = re.compile(
    r"(?:@\w+ = )?authorize[ (]\(?(?P<record>[@:]?\w+(?:::\w+)*)"
    r"(?:, (?:query: )?:(?P<query>\w+\?))?(?:, policy_class: (?P<policy>[\w:]+))?\)?"
    r"(?: (?P<condition>(?:if|unless) .{1,160}))?"
)
_ANSWERED = re.compile(
    r"(?P<before>return )?(?P<verb>head|render)\b.*?(?P<after>(?:and|&&) return)?"
    r"(?: (?P<condition>(?:if|unless) (?:(?! (?:if|unless) ).){1,160}))"
)
_BLOCK = re.compile(r"(?:if|unless) .{1,160}")
_INNER = re.compile(r"^[ \t]*+(?:if|unless|elsif|else|case|begin)\b|\bdo\b", re.MULTILINE)
_ENDING = re.compile(r"\breturn\b")
_WORD = re.compile(r"(?:^|_)([a-z0-9])")


def asking(facts: Facts, path: str, holder: str, action: str) -> Iterator[Guard]:
    """The rights that an action demands and the conditions under which it answers that one is not
    allowed, up to where it may end with another answer."""
    symbol, lines = symbol_of(facts, path, f"{holder}.{action}"), lines_of(facts, path)
    last = symbol.end - 1 if symbol else 0
    own = margin(lines[symbol.line]) if symbol and symbol.line < last else ""
    for line in range(symbol.line + 1, last + 1) if symbol and own else ():
        if margin(lines[line - 1]) != own:
            continue
        text = going_on(lines, line)
        if asked := _AUTHORIZED.fullmatch(text):
            yield from _allowed(facts, action, asked)
            continue
        block = ""
        if _BLOCK.fullmatch(text):
            inside = lines[line:last]
            end = next((at for at, it in enumerate(inside) if it.rstrip() == f"{own}end"), 0)
            block = "\n".join(inside[:end])
            block = "" if _INNER.search(block) else block
        answered = _ANSWERED.fullmatch(text)
        status = compiled(middleware().guards.refusing_in_rails).search(block or text)
        if status and block and _ENDING.search(block):
            yield refusal(status[0], text)
        elif status and answered and (answered["before"] or answered["after"]):
            yield refusal(status[0], answered["condition"])
        elif _ENDING.search(text):
            return


def _allowed(facts: Facts, action: str, asked: re.Match[str]) -> Iterator[Guard]:
    """The method of the only policy of Pundit that has the name of a record."""
    record = asked["record"].lstrip("@:")
    name = record if record[:1].isupper() else _WORD.sub(lambda it: it[1].upper(), record)
    policy = (asked["policy"] or f"{name}Policy").replace("::", ".")
    ends = [it for it in _policies(facts) if f".{it.name}".endswith(f".{policy}")]
    query = asked["query"] or f"{action}?"
    for place in types(facts).around(ends[0]) if len(ends) == 1 else ():
        spot = Spot(place[0], f"{place[1]}.{query}")
        if symbol_of(facts, *spot):
            words = f"{ends[0].name.replace('.', '::')}#{query}"
            yield Guard(words, spot, asked["condition"] or "")
            return


@query
def _policies(facts: Facts) -> tuple[Spot, ...]:
    return tuple(
        Spot(path, symbol.qualified)
        for path, file in facts.code.items()
        for symbol in (file.symbols if "/policies/" in path and path.endswith(".rb") else ())
        if symbol.kind == "class" and symbol.name.endswith("Policy")
    )
