"""What goes to a model, what comes back, and what is remembered of it."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

import msgspec

PROMPTS = "1"
"""The version of what we ask: raised when instructions or checks change."""

FactKind = Literal["row", "item", "sentence", "edge", "command", "excerpt"]
State = Literal["accepted", "kept", "fallback", "failed", "skipped"]
"""`kept` was accepted in an earlier run, `fallback` had too few good sentences, `skipped` was never
asked for because the budget or the patience was used up."""
_NUMBER = re.compile(r"\d[\d,.]*")


class Fact(msgspec.Struct, frozen=True):
    """Something that stands on the page. An `edge` has the text `start → end`."""

    id: str
    kind: FactKind
    text: str


class Bundle(msgspec.Struct, frozen=True):
    """All that a model is told for one place. `context` is what it wrote about parts before, which
    supports nothing; `modules` are names between which only edges may be stated."""

    page: str
    slot: str
    facts: tuple[Fact, ...]
    context: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def key(self, model: str) -> str:
        """The same while the same would be asked; figures may differ, and are checked again."""
        told = _NUMBER.sub("#", msgspec.json.encode(self).decode())
        return hashlib.sha256(f"{PROMPTS}\n{model}\n{told}".encode()).hexdigest()


class Sentence(msgspec.Struct, frozen=True):
    text: str
    cites: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What a model returns, as JSON."""

    slot: str
    sentences: tuple[Sentence, ...] = ()
    unknown: tuple[str, ...] = ()


class Usage(msgspec.Struct, frozen=True):
    """Tokens; `cached` is a part of `sent` that the provider had kept."""

    sent: int = 0
    received: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.sent + other.sent, self.received + other.received, self.cached + other.cached
        )


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """What became of one place of a page. `dropped` counts sentences by the reason."""

    page: str
    slot: str
    state: State
    key: str = ""
    usage: Usage = Usage()
    accepted: int = 0
    dropped: dict[str, int] = {}
    reason: str = ""
