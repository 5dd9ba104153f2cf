"""The conditions under which code reads a setting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from stationmaster.reading.code.bodies import Body, Condition, conditions
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.wiki.facts.code.comments import shown_lines
from stationmaster.wiki.facts.model import Facts

_SHOWN_MAX = 120
"""Letters of a condition."""
_LOOPS = re.compile(r"(?:for|foreach|while|until|loop|catch|except|rescue)\b|if __name__\b")


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


@lru_cache(32)
def _body(lines: tuple[str, ...]) -> Body:
    """All of a file."""
    return Body(lines, Symbol("", "module", 0, len(lines)))
