"""Channels of Go that fields hold: who sends on them, and who receives from them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.model import Facts, Spot, query

_FIELD = re.compile(r"\s+(\w{1,80}) +(?:<-)?chan(?:<-)? +\*?([\w.]{1,80})")
_SENDS = re.compile(
    r"(?:^\s*(?:case |defer )?|\bclose\()((?:\w{1,80}\.){1,3})(\w{1,80})(?: <-|\)$)"
)
_RECEIVES = re.compile(r"(?:<-|\brange )((?:\w{1,80}\.){1,3})(\w{1,80})\b(?!\()")
_PLAIN = frozenset(
    {"any", "bool", "byte", "error", "int", "int64", "interface", "string", "struct"}
)
"""What channels of many meanings hold."""
_LINES_MAX = 400
"""Of a function in which channels are looked for."""
_Channel = tuple[str, str, str]
"""The file and name of the type that has the field, and the field; or the folder, what is sent and
the field, under which several types hold one channel."""


def channels(facts: Facts, spot: Spot) -> Iterator[Step]:
    """The steps to the functions that receive what one sends on a channel."""
    for number, match in _matches(facts, spot, _SENDS) if spot.path.endswith(".go") else ():
        keys = _channels(facts, spot, match)
        ends = next((receivers for it in keys if (receivers := _receiving(facts).get(it))), ())
        if ends:
            verb = "closes" if match[0].endswith(")") else "sends on"
            does = f"{verb} the channel {match[2]}, from which this receives"
            yield Step(spot, ends[:1], number, does=does, handlers=ends)


@query
def _receiving(facts: Facts) -> Mapping[_Channel, tuple[Spot, ...]]:
    """The functions that receive from channels. A function that also sends on a channel uses it as
    a lock."""
    receivers: dict[_Channel, list[Spot]] = defaultdict(list)
    for path, code in facts.code.items():
        is_sending = path.endswith(".go") and "<-" in facts.tree.text(path)
        for symbol in code.symbols if facts.records[path].file_class == "source" else ():
            if is_sending and symbol.kind in ("method", "function"):
                spot = Spot(path, symbol.qualified)
                # What is received as a function ends releases the lock.
                received, sent = (
                    [it for _, match in _matches(facts, spot, form)
                     if form is _SENDS or not match.string.lstrip().startswith("defer ")
                     for it in _channels(facts, spot, match)]
                    for form in (_RECEIVES, _SENDS)
                )  # fmt: skip
                for channel in dict.fromkeys(it for it in received if it not in sent):
                    receivers[channel].append(spot)
    return {channel: tuple(spots) for channel, spots in receivers.items()}


def _matches(
    facts: Facts, spot: Spot, form: re.Pattern[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """The matches of a form of channel use in a function, with their lines."""
    symbol = symbol_of(facts, spot.path, spot.name)
    lines = lines_of(facts, spot.path)[symbol.line : symbol.end] if symbol else []
    for number, line in enumerate(lines[:_LINES_MAX], symbol.line + 1 if symbol else 0):
        if "<-" in line or "close(" in line or "range " in line:
            yield from ((number, match) for match in form.finditer(line[:200]))


def _channels(facts: Facts, spot: Spot, match: re.Match[str]) -> list[_Channel]:
    """The keys of the channel in a field of an object, one for each of its names."""
    symbol = symbol_of(facts, spot.path, spot.name)
    first, sign, rest = match[1].removesuffix(".").partition(".")
    is_own = symbol is not None and f"({first} " in symbol.signature
    words = f"{'self' if is_own else first}{sign}{rest}"
    place = types(facts).type_of(spot.path, spot.name, words)
    sent = _fields(facts, *place).get(match[2]) if place else None
    if place is None or sent is None:
        return []
    other = (folder_of(place[0]), sent, match[2])
    return [(*place, match[2]), *([] if sent in _PLAIN else [other])]


@query
def _fields(facts: Facts, path: str, name: str) -> Mapping[str, str]:
    """The types of what is sent on the channels of a type's fields, by field."""
    symbol = symbol_of(facts, path, name)
    lines = lines_of(facts, path)[symbol.line - 1 : symbol.end] if symbol else []
    return {match[1]: match[2] for match in map(_FIELD.match, lines) if match}
