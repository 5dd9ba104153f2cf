"""Copilot's token figures: its input includes what was read from and written to the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple

from stationmaster.agents.values import tier, tokens
from stationmaster.events.model import Event, mark


class Vector(NamedTuple):
    """What a call, or several, took. Input includes both cache figures, output the reasoning."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0


class Counts(msgspec.Struct, gc=False, rename="camel"):
    """A usage as session files write it."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_tokens: Any = None
    cache_write_tokens: Any = None
    reasoning_tokens: Any = None

    def vector(self) -> Vector:
        """Raises InvalidRecord."""
        return vector(*astuple(self)[: len(Vector._fields)])


def vector(*figures: Any) -> Vector:
    """The figures in the order of a Vector, absent ones as 0. Raises InvalidRecord."""
    return Vector(*(tokens(figure) or 0 for figure in figures))


def set_tokens(event: Event, used: Vector, effort: str | None = None) -> None:
    """Set the disjoint counters of an event from Copilot's overlapping ones, and its tier."""
    plain = used.input - used.cache_read - used.cache_write
    event.input_tokens = max(plain, 0)
    event.cache_read_tokens = used.cache_read
    event.cache_write_tokens = used.cache_write
    event.output_tokens = used.output
    event.reasoning_tokens = used.reasoning
    if plain < 0:
        mark(event, "estimated")
    event.model_tier = tier(used.reasoning, effort)
