"""Questions to a wiki that the operator's model answers from its passages and those of code.

What it returns is checked as sentences of its pages are. What does not survive is dropped and
counted.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster import clock
from stationmaster.errors import Unavailable
from stationmaster.settings import Settings
from stationmaster.wiki.model import CodePassage, Passage
from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.asking import Asker, Endpoint
from stationmaster.wiki.prose.model import Answer, Sentence, ids_of
from stationmaster.wiki.prose.prompts import between, normalised, plain, rules
from stationmaster.wiki.prose.providers import Failed
from stationmaster.wiki.prose.refuting import supported
from stationmaster.wiki.prose.session import Budget, Session, endpoint_of, has_model, limits_of

AT_ONCE = 4
"""Questions of one process; more are refused."""
SENTENCES_MAX = 8
LINES_MAX = 240
LINE_MAX = 600
TIMEOUT_S = 60.0
_CITATION = re.compile(
    r"\[`{1,20}\s?([^`\]]{1,600})`{1,20}\]\((https?://[^()\s]{1,4000}|/[^()\s/][^()\s]{0,4000})\)"
)
_SEPARATOR = re.compile(r"[|:\s-]++|`{3,}+.*|#++\s*+")
_RULES = rules("answer")


class Citation(NamedTuple):
    """Lines of code that a cited passage names, and where they can be read."""

    place: str
    url: str


class Said(NamedTuple):
    """A sentence of a model, the passages that it rests on (counted from 0) and their citations."""

    text: str
    passages: tuple[int, ...]
    citations: tuple[Citation, ...]


class Answered(NamedTuple):
    """`dropped` is the number of refused sentences; `fault` is why there is no answer, else ''."""

    model: str
    sentences: tuple[Said, ...]
    dropped: int
    fault: str = ""


class _Line(NamedTuple):
    """A line at a place, by the `passages` that have it, none for code, and what it cites."""

    text: str
    place: str
    passages: tuple[int, ...]
    citations: tuple[Citation, ...]


_turns = threading.BoundedSemaphore(AT_ONCE)
_days: dict[str, Budget] = {}


def answer(
    settings: Settings,
    question: str,
    passages: Sequence[Passage],
    code: Sequence[CodePassage] = (),
) -> Answered | None:
    """What a model answers to a question; None where the operator named no model, or the search
    returned nothing. Raises Unavailable while too many others ask."""
    lines = {**_lines(passages), **_lines_of_code(code)}
    endpoint = endpoint_of(settings, TIMEOUT_S) if lines and has_model(settings) else None
    if endpoint is None:
        return None
    if not _turns.acquire(blocking=False):
        raise Unavailable("Too many questions are being answered; try again soon.")
    try:
        return asyncio.run(_answered(endpoint, _budget(settings), question, lines))
    finally:
        _turns.release()


def _budget(settings: Settings) -> Budget:
    """Questions of a day may together take what one run of a wiki may."""
    today = str(clock.today())
    if today not in _days:
        _days.clear()
        _days[today] = Budget(limits_of(settings))
    return _days[today]


async def _answered(
    endpoint: Endpoint, budget: Budget, question: str, lines: Mapping[str, _Line]
) -> Answered:
    texts = {key: normalised(line.text[: 2 * LINE_MAX])[:LINE_MAX] for key, line in lines.items()}
    asked = normalised(question)[:LINE_MAX]
    shown = [{"id": key, "text": text} for key, text in texts.items()]
    try:
        async with Asker(endpoint) as asker:
            session = Session(asker, budget)
            prompt = between(_RULES, {"question": asked, "lines": shown})
            reply = await session.ask(prompt, Answer)
            checked = checks.check(reply, texts, asked, SENTENCES_MAX)
            places = {key: line.place for key, line in lines.items()}
            kept = await supported(session, checked.sentences, texts, places)
    except Failed as fault:
        return Answered(endpoint.name, (), 0, fault.reason)
    sentences = tuple(_sentence(sentence, lines) for sentence in kept)
    return Answered(endpoint.name, sentences, len(reply.sentences) - len(sentences))


def _lines(passages: Sequence[Passage]) -> dict[str, _Line]:
    """The lines of all passages that have text, by the ids that sentences cite."""
    lines: dict[str, _Line] = {}
    for place, passage in enumerate(passages):
        titles = " › ".join((passage.title, *passage.headings))
        written = passage.text.splitlines()
        for number, (raw, cited) in enumerate(zip(written, _cited(written), strict=True), 1):
            if len(lines) < LINES_MAX and raw.strip() and not _SEPARATOR.fullmatch(raw.strip()):
                lines[f"p{place + 1}.{number}"] = _Line(plain(raw), titles, (place,), cited)
    return lines


def _cited(lines: Sequence[str]) -> list[tuple[Citation, ...]]:
    """What each line cites: of a quote, what its last line does; of code, what the line above it
    does."""
    cited = [tuple(Citation(it[1].strip(), it[2]) for it in _CITATION.finditer(it)) for it in lines]
    is_code, above = False, tuple[Citation, ...]()
    for at, line in enumerate(lines):
        if line.startswith("```"):
            is_code = not is_code
        elif is_code:
            cited[at] = above
        elif line.strip():
            above = cited[at]
    for at in range(len(lines) - 2, -1, -1):
        if lines[at].startswith(">") and lines[at + 1].startswith(">"):
            cited[at] = cited[at] or cited[at + 1]
    return cited


def _lines_of_code(code: Sequence[CodePassage]) -> dict[str, _Line]:
    """The same of code, by their numbers in the file."""
    return {
        f"c{place}.{number}": _Line(
            text,
            f"{passage.place.partition(':')[0]}:{number}",
            (),
            (Citation(passage.place, passage.url),),
        )
        for place, passage in enumerate(code, 1)
        for number, text in enumerate(passage.text.splitlines(), passage.first)
        if text.strip()
    }


def _sentence(sentence: Sentence, lines: Mapping[str, _Line]) -> Said:
    cited = [
        lines[line_id] for cite in sentence.cites for line_id in ids_of(cite) if line_id in lines
    ]
    return Said(
        sentence.text.strip(),
        tuple(sorted({place for line in cited for place in line.passages})),
        tuple(dict.fromkeys(citation for line in cited for citation in line.citations)),
    )
