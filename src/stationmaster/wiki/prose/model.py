"""What is sent to a model, what it returns, and the outcome."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeVar

import msgspec

_T = TypeVar("_T")

PROMPTS = "3"
"""The version of what we ask: raised when instructions or checks change."""
CITED_MAX = 60
"""Lines of one sentence: who cites everything cites nothing."""
State = Literal["written", "empty", "failed"]
"""Of a page: `empty` where no sentence was kept, `failed` where a call for it failed or was not
made, although it may have other sections."""
_NUMBER = re.compile(r"[0-9]{1,6}")
Lines = Mapping[str, str]
"""What a sentence may cite: ids such as `a.12` and the text of each line, in order."""


class Sentence(msgspec.Struct, frozen=True):
    """`cites` are ids of lines, or `a.12-15` for several of one slice."""

    text: str
    cites: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What a model returns, as JSON."""

    sentences: tuple[Sentence, ...]
    unknown: tuple[str, ...] = ()


class Usage(msgspec.Struct, frozen=True):
    """Tokens; `cached` is a part of `sent` that the provider had stored."""

    sent: int = 0
    received: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.sent + other.sent, self.received + other.received, self.cached + other.cached
        )


PLAN = "the plan"
"""The page of the record that says how planning went."""


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """What became of a page. `dropped` counts sentences by the reason."""

    page: str
    state: State
    accepted: int = 0
    dropped: dict[str, int] = {}
    reason: str = ""


def remembered(content: bytes | None, kind: type[_T]) -> _T | None:
    """What an earlier run stored; None where nothing is, or something else."""
    try:
        return msgspec.json.decode(content or b"", type=kind)
    except msgspec.DecodeError:
        return None


def ids_of(cite: str) -> Iterator[str]:
    """The ids of lines that a citation names, blank lines among them; it may name none at all."""
    start, _, last = cite.partition("-")
    group, dot, first = start.rpartition(".")
    if not dot or not _NUMBER.fullmatch(first) or not _NUMBER.fullmatch(last or first):
        return
    numbers = range(int(first), int(last or first) + 1)
    if len(numbers) <= CITED_MAX:
        yield from (f"{group}.{at}" for at in numbers)
