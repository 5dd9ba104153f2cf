"""What the configuration of Spring Security or of Symfony says of requests by their paths, or by
annotations of handlers that it collects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.bodies import Condition
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.comments import asked_at, numbered
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.interfaces import symfony
from stationmaster.wiki.facts.model import Facts, query

_OPENING = "permitAll"
_GIVEN = r"\b%s\s*+=\s*+(?:(\w{1,99})\.)?\w{1,99}\("
"""Before the arguments of what a variable is given by."""
_COLLECTED = re.compile(
    r"\b\w{0,40}Annotat\w{1,40}\((?:[\w.()]{1,99},\s{0,9})?(\w{1,99})(?:\.|::)class"
)
"""An annotation that is looked for on a handler."""
_ANNOTATION = re.compile(r"@interface\b|\bannotation class\b")
_VARIABLE = re.compile(r"(?<![\w.\"/])[a-z]\w{1,80}\b")
_RULES_MAX = 200
_CONDITIONAL = re.compile(r"@(?:Profile|ConditionalOn[A-Z]\w{1,60})\([^()\n]{0,200}\)")


class Rule(msgspec.Struct, frozen=True):
    """What a configuration says of `requests`, as written there."""

    requests: str
    says: str
    path: str
    line: int
    conditions: tuple[Condition, ...] = ()


@query
def rules(facts: Facts) -> tuple[Rule, ...]:
    """By file, in the order in which a request is compared with them."""
    table = middleware().rules
    listed = (Rule(asked, says, path, at) for path, at, asked, says in symfony.access(facts))
    every = (
        Rule(
            " ".join(match["requests"].removeprefix("(").removesuffix(")").split())
            if match["requests"].startswith("(")
            else match["requests"],
            " ".join(match["says"].split()),
            path,
            line,
            (
                *_turned_on(facts, path, line),
                *asked_at(facts, path, around(facts, path, line), line),
            ),
        )
        for path, file in facts.code.items()
        if facts.records[path].file_class == "source"
        and any(it.name.startswith(table.packages) for it in file.imports)
        for line, match in numbered(compiled(table.pattern), _without_remarks(facts, path))
    )
    return tuple(islice((*listed, *every), _RULES_MAX))


def _turned_on(facts: Facts, path: str, line: int) -> Iterator[Condition]:
    """The annotations around a line under which the program has what they stand on."""
    for at, match in numbered(_CONDITIONAL, facts.tree.text(path)):
        below = (it for it in facts.code[path].symbols if it.line >= at and it.end > it.line)
        holder = min(below, key=lambda it: it.line, default=None)
        if holder is not None and holder.line <= line <= holder.end:
            yield Condition("in", (match[0],))


def _without_remarks(facts: Facts, path: str) -> str:
    """The text of a file, with an empty line for each that is only a comment."""
    lines = facts.tree.text(path).split("\n")
    return "\n".join("" if line.lstrip().startswith(("//", "*", "/*")) else line for line in lines)


def is_opened(facts: Facts, marks: Iterable[str]) -> bool:
    """Does a configuration let all requests to a handler pass because of its annotations?"""
    return not opening(facts).isdisjoint(marks)


@query
def opening(facts: Facts) -> frozenset[str]:
    """The annotations of the project's own that a configuration collects to let all requests pass
    to their handlers, and those that have one of them."""
    found = frozenset[str]()
    for rule in rules(facts):
        text = facts.tree.text(rule.path)
        for name in _VARIABLE.findall(rule.requests) if _OPENING in rule.says else ():
            given = re.search(_GIVEN % re.escape(name), text)
            ends = meant(facts, rule.path, given[1]) if given and given[1] else ()
            if given is not None and len(ends) == bool(given[1]):
                where = facts.tree.text(ends[0].path) if ends else text
                found = found.union(_COLLECTED.findall(where))
    declared = [
        symbol
        for path, file in (facts.code.items() if found else ())
        if path.endswith((".java", ".kt"))
        for symbol in file.symbols
        if _ANNOTATION.search(symbol.signature)
    ]
    own = found.intersection(symbol.name for symbol in declared)
    return own.union(it.name for it in declared if not own.isdisjoint(it.marks))
