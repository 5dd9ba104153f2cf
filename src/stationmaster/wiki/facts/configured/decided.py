"""What variables of the environment decide, and under which conditions they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

import msgspec

from stationmaster.reading.code.bodies import Body, Condition, branches, conditions
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.wiki.facts.code.comments import shown_lines
from stationmaster.wiki.facts.configured.go_structs import Place
from stationmaster.wiki.facts.model import Facts, query

DECISIONS_MAX = 3
"""Of one variable."""
_SHOWN_MAX = 120
"""Letters of what a condition leads to."""
_LOOPS = re.compile(r"(?:for|foreach|while|until|loop|catch|except|rescue)\b|if __name__\b")
_HEADS = re.compile(
    r"(?:if|else|for|while|switch|match|unless|with|try|catch|except|finally|rescue|do)\b"
    r"(?!.*[:;{] ?\S)"
    r"|(?:go|defer) func\b|\W*$"
)
"""A statement that others follow, which are not shown."""
_SEVERAL = re.compile(r"&&|\|\||\b(?:and|or)\b")
_WORD = re.compile(r"\w+")
_KEPT = re.compile(
    r"\s*(?:(?:const|let|var|val|final)\s+)?\$?(?!err\b|ok\b)([a-z_]\w{0,60}) ?(?::=|=(?!=))"
)


class Decision(msgspec.Struct, frozen=True, array_like=True):
    """A condition that asks for a variable at a line of `path`, and the first statement where it
    holds and where it does not, '' for none."""

    name: str
    path: str
    line: int
    condition: str
    then: str
    otherwise: str


def as_reached(facts: Facts, reads: Sequence[tuple[str, Setting]]) -> list[tuple[str, Setting]]:
    """Reads of a setting: none is required that only some conditions lead to; what is so under one
    has that. For questions."""
    reached = []
    for path, read in reads:
        if read.is_required:
            body = _body(tuple(shown_lines(facts, path)))
            held: list[Condition] = conditions(body, read.line)
            if any(not it.is_function and not _LOOPS.match(it.texts[0]) for it in held):
                words = _only(held)
                words = "" if read.name in words else words
                read = msgspec.structs.replace(read, is_required=False, condition=words)
        reached.append((path, read))
    return reached


def _only(held: Sequence[Condition]) -> str:
    """The one condition under which a file does something when it is loaded; '' for others."""
    word, texts = held[0].word, held[0].texts
    is_plain = len(held) == len(texts) == 1 and len(texts[0]) <= _SHOWN_MAX
    if word == "in" and texts[0].startswith("if ") and is_plain:
        return texts[0]
    return f"unless {texts[0]}" if word == "unless" and is_plain else ""


@query
def decisions(facts: Facts, name: str, reads: tuple[Place, ...]) -> tuple[Decision, ...]:
    """What a variable decides at the places that read it."""
    found: dict[str, Decision] = {}
    for path, line in reads:
        for decision in _decisions(facts, name, path, line):
            decision = msgspec.structs.replace(
                decision, then=_whole(decision.then), otherwise=_whole(decision.otherwise)
            )
            if not (decision.then or decision.otherwise):
                continue  # A condition alone says nothing of what it leads to.
            found.setdefault(decision.condition, decision)
    return tuple(found.values())[:DECISIONS_MAX]


def _whole(statements: str) -> str:
    """The statements that can be shown whole, rather the last of them, which say more than those
    that prepare them; '' for none."""
    closed = takewhile(_is_closed, statements.split("; "))
    shown = [it for it in closed if not _HEADS.match(it)]
    while len("; ".join(shown)) > _SHOWN_MAX:
        shown.pop(0)
    return "; ".join(shown)


def _is_closed(statement: str) -> bool:
    opened, closed = (sum(map(statement.count, signs)) for signs in ("([{", ")]}"))
    return opened == closed


def _decisions(facts: Facts, name: str, path: str, line: int) -> Iterator[Decision]:
    body = _body(tuple(shown_lines(facts, path)))
    branch = branches(body, line)
    if branch is not None and name in branch[0]:
        yield Decision(name, path, line, *branch)
        return
    kept = _KEPT.match(body.text(line)) if name in body.text(line) else None
    for at in body.siblings(line) if kept else ():
        if at <= line:
            continue
        branch = branches(body, at)
        if kept and branch is not None and _asks_for(branch[0], kept[1]):
            if not _is_tidied(kept[1], *branch[1:]):
                yield Decision(name, path, at, *branch)
            return


def _is_tidied(name: str, then: str, otherwise: str) -> bool:
    """Does a condition lead only to another form of the value, such as one with a separator?"""
    again = rf"\$?{re.escape(name)} ?(?:=[^=;]*\b{re.escape(name)}\b[^;]*|\+=[^;]*);?"
    return not otherwise and re.fullmatch(again, then) is not None


def _asks_for(condition: str, name: str) -> bool:
    """Does a condition, or one of several that are joined, ask for a variable itself?"""
    parts = _SEVERAL.split(condition)
    words = rf"\W*(?:(?:else )?(?:if|elif|elsif|unless)\b)?[\s(!]*{re.escape(name)}\b[^(]*"
    if len(parts) == 1:
        return name in _WORD.findall(condition)
    return any(re.fullmatch(words, part) for part in parts)


@lru_cache(32)
def _body(lines: tuple[str, ...]) -> Body:
    """All of a file."""
    return Body(lines, Symbol("", "module", 0, len(lines)))
