"""Pages of an earlier run that are the same still, since what they asked has the same answers."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from stationmaster.wiki.facts.model import Arguments, Facts, Noted
from stationmaster.wiki.making.memo import Memory, Nothing
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages.model import Planned


class _Page(NamedTuple):
    """`asked` are questions in their order, with the digests of their answers."""

    asked: tuple[tuple[str, Arguments, bytes], ...]
    written: Written


_PAGE = msgspec.msgpack.Decoder(_Page)


def page(planned: Planned, facts: Facts, memory: Memory) -> Written | None:
    """The page as it was, where all that it asked has the answers that it had. A question is asked
    only after all before it had the same answer: the page would ask it, too."""
    content = memory.get(*words_of(planned))
    if content is None:
        return None
    try:
        kept = _PAGE.decode(content)
    except msgspec.MsgspecError:
        return None
    is_same = all(facts.digest((name, its)) == digest for name, its, digest in kept.asked)
    return kept.written if is_same else None


def keep(planned: Planned, written: Written, noted: Noted, facts: Facts, memory: Memory) -> None:
    """Remember a page with what it asked."""
    if not isinstance(memory, Nothing):
        asked = tuple((*key, facts.digest(key)) for key in noted.asked)
        memory.keep(msgspec.msgpack.encode(_Page(asked, written)), *words_of(planned))


def words_of(planned: Planned) -> tuple[str, ...]:
    """By which a page is remembered: what writes it, and about what."""
    write = f"{planned.write.__module__}.{planned.write.__qualname__}"
    content = msgspec.json.encode([planned.key, planned.title, planned.subject, planned.version])
    return "page", write, content.decode()
