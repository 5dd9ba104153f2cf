"""Which requests a function of Flask that runs before all handlers lets pass at once, by their path
or the handler that they are for: `if request.path.startswith("/api/"): return`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.interfaces.guards import Guard
from stationmaster.wiki.facts.model import Facts, query

_IF = re.compile(r"(?:el)?if (.{1,500}?):[ \t]*(?:#.*)?")
_BEGINS = re.compile(r"request\.path\.startswith\((.{1,500})\)")
_IS = re.compile(r"request\.path (?:==|in) (.{1,500})")
_FOR = re.compile(r"(?:request\.endpoint and )?(?:request\.)?endpoint (?:==|in) (.{1,500})")
_TEXTS = re.compile(r"[\[({]?(?:[\"'][\w./:-]{1,200}[\"'],? ?){1,40}[\])}]?")
_TEXT = re.compile(r"[\"']([^\"']{1,200})[\"']")
_PASSES = frozenset({"return", "return None"})
_REFUSES = re.compile(r"abort\(|raise\b|return\b|redirect\(")


class Passed(msgspec.Struct, frozen=True):
    """How paths begin that pass, whole paths, and names of handlers."""

    beginnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    handlers: tuple[str, ...] = ()


def lets_pass(facts: Facts, guard: Guard, route: str, handler: str) -> bool:
    """Does a guard return without a question for a route?"""
    if guard.spot is None or not guard.spot.path.endswith(".py"):
        return False
    own = _passed(facts, guard.spot.path, guard.spot.name)
    is_named = handler.rpartition(".")[2] in own.handlers
    return is_named or route in own.paths or route.startswith(own.beginnings)


@query
def _passed(facts: Facts, path: str, name: str) -> Passed:
    symbol = symbol_of(facts, path, name)
    if symbol is None:
        return Passed()
    lines = facts.tree.text(path).split("\n")[symbol.line : symbol.end]
    found: dict[str, list[str]] = {"begins": [], "is": [], "for": []}
    for condition in _let_through([line for line in lines if line.strip()]):
        for kind, texts in _read(condition):
            found[kind] += texts
    handlers = (text.rpartition(".")[2] for text in found["for"])
    return Passed(tuple(found["begins"]), tuple(found["is"]), tuple(handlers))


def _let_through(lines: list[str]) -> Iterator[str]:
    """Conditions under which nothing more is asked, up to the first line that may refuse; none
    within a condition on the request."""
    around: list[tuple[int, str]] = []
    plain = [line for line in lines if not line.lstrip().startswith("#")]
    for at, line in enumerate(plain):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        around = [outer for outer in around if outer[0] < indent]
        if match := _IF.fullmatch(bare):
            following = plain[at + 1].strip() if at + 1 < len(plain) else ""
            if following in _PASSES and not any("request" in outer for _, outer in around):
                yield match[1]
            around.append((indent, match[1]))
        elif _REFUSES.match(bare) and bare not in _PASSES:
            return


def _read(condition: str) -> Iterator[tuple[str, list[str]]]:
    """What each of some alternatives asks of a request; what is not understood is left out."""
    for part in condition.split(" or "):
        for kind, pattern in (("begins", _BEGINS), ("is", _IS), ("for", _FOR)):
            match = pattern.fullmatch(part.strip())
            if match and _TEXTS.fullmatch(match[1].strip()):
                yield kind, _TEXT.findall(match[1])
