"""A second look at what a model wrote, which knows of each sentence its cited lines and no more."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stationmaster.wiki.prose.model import Lines, Sentence, ids_of
from stationmaster.wiki.prose.prompts import DATA, between
from stationmaster.wiki.prose.session import Session

_RULES = f"""\
You judge sentences about a software repository, each beside the lines that it cites.

{DATA}

Try to refute each sentence. It stands only if its lines alone say all of it: every name, every \
claim of what something does, every cause and order. Background knowledge does not count. A \
sentence that you are not sure of falls.

Return one JSON object and nothing else:
{{"stands": ["s1"], "falls": ["s2"]}}"""


class _Verdict(msgspec.Struct, frozen=True):
    stands: tuple[str, ...]
    falls: tuple[str, ...] = ()


async def standing(
    session: Session, sentences: Sequence[Sentence], lines: Lines
) -> tuple[Sentence, ...]:
    """The sentences that their own lines say. Raises Failed where the second look does."""
    if not sentences:
        return ()
    shown = [
        {"id": f"s{at}", "sentence": each.text, "lines": _cited(each, lines)}
        for at, each in enumerate(sentences, 1)
    ]
    verdict = await session.ask(between(_RULES, {"sentences": shown}), _Verdict)
    stands = set(verdict.stands) - set(verdict.falls)
    return tuple(each for at, each in enumerate(sentences, 1) if f"s{at}" in stands)


def _cited(sentence: Sentence, lines: Lines) -> list[str]:
    found = dict.fromkeys(each for cite in sentence.cites for each in ids_of(cite))
    return [lines[each] for each in found if each in lines]
