"""A second check of what a model wrote, which gets only the cited lines of each sentence."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stationmaster.wiki.prose.model import Lines, Sentence, ids_of
from stationmaster.wiki.prose.prompts import between, rules
from stationmaster.wiki.prose.session import Session

_RULES = rules("judge")


class _Verdict(msgspec.Struct, frozen=True):
    stands: tuple[str, ...]
    falls: tuple[str, ...] = ()


async def supported(
    session: Session, sentences: Sequence[Sentence], lines: Lines
) -> tuple[Sentence, ...]:
    """The sentences that their cited lines support. Raises Failed where the call does."""
    if not sentences:
        return ()
    shown = [
        {"id": f"s{at}", "sentence": sentence.text, "lines": _cited(sentence, lines)}
        for at, sentence in enumerate(sentences, 1)
    ]
    verdict = await session.ask(between(_RULES, {"sentences": shown}), _Verdict)
    stands = set(verdict.stands) - set(verdict.falls)
    return tuple(sentence for at, sentence in enumerate(sentences, 1) if f"s{at}" in stands)


def _cited(sentence: Sentence, lines: Lines) -> list[str]:
    ids = dict.fromkeys(line_id for cite in sentence.cites for line_id in ids_of(cite))
    return [lines[line_id] for line_id in ids if line_id in lines]
