"""Sections that a subject's own ones lead to, and steps of the product in which it takes part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.subjects.composing import Concept
from stationmaster.wiki.facts.subjects.concepts import concept
from stationmaster.wiki.facts.texts.guides import STEP, explaining
from stationmaster.wiki.facts.texts.passages import Passage, passages, words_of

POINTED_MAX = 2
STEPS_MIN = 2
"""Numbered steps that name a subject which takes part in what they tell."""
_TITLE_MIN = 4
_SEE = re.compile(
    r"(?i)\b(?:see|described in|explained in|as shown in)\b[^.\n]{0,40}\n?[^.\n]{0,120}"
)


@query
def pointed(facts: Facts, key: str) -> tuple[Passage, ...]:
    """Sections to which those of a concept point in their document, then those that tell how the
    product works in steps that name the concept."""
    this = concept(facts, key)
    others = dict.fromkeys((*_named(facts, this), *_with_steps(facts, this)))
    return tuple(it for it in others if it not in this.passages)[:POINTED_MAX]


def _named(facts: Facts, this: Concept) -> Iterator[Passage]:
    for passage in this.passages:
        words = " ".join(" ".join(_SEE.findall(words_of(facts, passage))).lower().split())
        for other in passages(facts) if words else ():
            is_long = len(other.title) >= _TITLE_MIN
            if other.path == passage.path and is_long and other.title.lower() in words:
                yield other


def _with_steps(facts: Facts, this: Concept) -> Iterator[Passage]:
    name = re.compile(rf"\b{re.escape(this.title.removesuffix('s'))}", re.IGNORECASE)
    for passage in explaining(facts):
        steps = STEP.split(words_of(facts, passage))[1:]
        if sum(name.search(step) is not None for step in steps) >= STEPS_MIN:
            yield passage
