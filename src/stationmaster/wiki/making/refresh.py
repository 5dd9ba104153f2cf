"""What of an earlier run still holds: pages and answers whose questions have the same answers.

Every run notes which question asked or read what (see `facts.model`). The next one follows these
notes down to what was read, and works out anew only what stands above a change.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, get_type_hints

import msgspec

from stationmaster.wiki.facts.model import MISSING, QUERIES, Facts, Key, Known
from stationmaster.wiki.making.memo import Memory, Nothing
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages.model import Planned

_ANSWER_MAX = 16 * 2**20


class _Notes(NamedTuple):
    """`keys` are questions and inputs with their `digests`; `asked` tells of those that are
    questions, by the number of the key, the numbers of what they asked and read; the answers of
    `kept` were kept."""

    keys: tuple[tuple[str, tuple[Any, ...]], ...]
    digests: tuple[bytes, ...]
    asked: dict[int, tuple[int, ...]]
    kept: tuple[int, ...]


class _Page(NamedTuple):
    asked: tuple[tuple[str, tuple[Any, ...], bytes], ...]
    written: Written


_NOTES = msgspec.msgpack.Decoder(_Notes)
_PAGE = msgspec.msgpack.Decoder(_Page)


def recall(facts: Facts, memory: Memory) -> None:
    """Let facts know what an earlier run noted of its questions."""
    content = memory.get("notes")
    if content is None:
        return
    try:
        notes = _NOTES.decode(content)
        key_of = notes.keys.__getitem__
        facts.known = Known(
            {key_of(number): tuple(map(key_of, asked)) for number, asked in notes.asked.items()},
            dict(zip(notes.keys, notes.digests, strict=True)),
            frozenset(map(key_of, notes.kept)),
        )
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
        return
    facts.decoded = lambda key, digest: _decoded(key, memory.get(*_words(key, digest)))


def note(facts: Facts, memory: Memory, roots: Iterable[Key]) -> None:
    """Keep what was noted of questions that pages lead to, and answers that took long."""
    if isinstance(memory, Nothing):
        return
    numbers: dict[Key, int] = {}
    digests: list[bytes] = []
    asked: dict[int, tuple[int, ...]] = {}
    waiting = list(roots)
    while waiting:
        key = waiting.pop()
        if key in numbers:
            continue
        numbers[key] = len(digests)
        digests.append(facts.digest(*key))
        waiting += facts.leads_to(key)
    for key, number in numbers.items():
        if key[0] in QUERIES:
            asked[number] = tuple(numbers[lead] for lead in facts.leads_to(key))
    slow = (facts.slow | facts.known.kept) & numbers.keys()
    kept = sorted(numbers[key] for key in slow if _is_kept(key, facts, memory))
    notes = _Notes(tuple(numbers), tuple(digests), asked, tuple(kept))
    memory.keep(msgspec.msgpack.encode(notes), "notes")


def _is_kept(key: Key, facts: Facts, memory: Memory) -> bool:
    """Keep an answer that took long, unless it is kept already."""
    words = _words(key, facts.digest(*key))
    if memory.get(*words) is None:
        content = _encoded(key, facts.answer(*key)) if key in facts.noted else None
        if content is None:
            return False
        memory.keep(content, *words)
    return True


def page(planned: Planned, facts: Facts, memory: Memory) -> tuple[Written, list[Key]] | None:
    """The page as it was and what it asked, where all of that has the answers that it had."""
    content = memory.get(*_words_of_page(planned))
    if content is None:
        return None
    try:
        kept = _PAGE.decode(content)
        if any(facts.digest(name, argument) != digest for name, argument, digest in kept.asked):
            return None
    except (msgspec.MsgspecError, LookupError, TypeError):
        return None  # Of a subject that is gone, or nothing that a page ever asked.
    return kept.written, [(name, argument) for name, argument, _ in kept.asked]


def keep(
    planned: Planned, written: Written, noted: Iterable[Key], facts: Facts, memory: Memory
) -> None:
    if not isinstance(memory, Nothing):
        content = msgspec.msgpack.encode(_Page(facts.asked(noted), written))
        memory.keep(content, *_words_of_page(planned))


def _words_of_page(planned: Planned) -> tuple[str, ...]:
    write = f"{planned.write.__module__}.{planned.write.__qualname__}"
    content = msgspec.json.encode([planned.key, planned.title, planned.subject, planned.version])
    return "page", write, content.decode()


def _words(key: Key, digest: bytes) -> tuple[str, ...]:
    return "answer", key[0], repr(key[1]), digest.hex()


@lru_cache(1_000)
def _decoder(name: str) -> msgspec.msgpack.Decoder[Any] | None:
    """None for a question whose answers are no data."""
    try:
        return msgspec.msgpack.Decoder(get_type_hints(QUERIES[name])["return"])
    except (TypeError, LookupError, NameError):
        return None


def _encoded(key: Key, answer: Any) -> bytes | None:
    """None for what would not come back as it was."""
    decoder = _decoder(key[0])
    if decoder is None:
        return None
    try:
        content = msgspec.msgpack.encode(answer)
        is_same = len(content) <= _ANSWER_MAX and decoder.decode(content) == answer
    except (msgspec.MsgspecError, TypeError):
        return None
    return content if is_same else None


def _decoded(key: Key, content: bytes | None) -> Any:
    decoder = _decoder(key[0])
    if content is None or decoder is None:
        return MISSING
    try:
        return decoder.decode(content)
    except msgspec.MsgspecError:
        return MISSING
