"""A second check of what a model wrote, which gets only the lines that each sentence cites, with
their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from stationmaster.wiki.prose.model import Lines, Sentence, ids_of
from stationmaster.wiki.prose.prompts import between, rules
from stationmaster.wiki.prose.session import Session

_RULES = rules("judge")


class _Verdict(msgspec.Struct, frozen=True):
    stands: tuple[str, ...]
    falls: tuple[str, ...] = ()


async def supported(
    session: Session, sentences: Sequence[Sentence], lines: Lines, places: Mapping[str, str]
) -> tuple[Sentence, ...]:
    """The sentences that their cited lines support; `places` are those of lines, by their ids.

    Raises Failed where the call does.
    """
    if not sentences:
        return ()
    shown = [
        {"id": f"s{at}", "sentence": sentence.text, "lines": _cited(sentence, lines, places)}
        for at, sentence in enumerate(sentences, 1)
    ]
    verdict = await session.ask(between(_RULES, {"sentences": shown}), _Verdict)
    stands = set(verdict.stands) - set(verdict.falls)
    return tuple(sentence for at, sentence in enumerate(sentences, 1) if f"s{at}" in stands)


def _cited(sentence: Sentence, lines: Lines, places: Mapping[str, str]) -> list[dict[str, str]]:
    ids = dict.fromkeys(line_id for cite in sentence.cites for line_id in ids_of(cite))
    return [{"at": places[it], "text": lines[it]} for it in ids if it in lines]
