"""Codex's token figures: its input includes what was read from and written to the cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import astuple

from stationmaster.agents.values import tokens
from stationmaster.events.model import Event, mark

# Input, cached, cache write, output, reasoning.
Vector = tuple[int, int, int, int, int]


class Counts(msgspec.Struct, gc=False):
    """A usage or a running total as Codex writes it."""

    input_tokens: Any = None
    cached_input_tokens: Any = None
    cache_write_input_tokens: Any = None
    output_tokens: Any = None
    reasoning_output_tokens: Any = None

    def vector(self) -> Vector:
        """(input, cached, cache write, output, reasoning). Raises InvalidRecord."""
        return vector(astuple(self))


def vector(figures: Iterable[Any]) -> Vector:
    """The figures in the order of a Vector, absent ones as 0. Raises InvalidRecord."""
    all_input, cached, written, output, reasoning = (tokens(figure) or 0 for figure in figures)
    return all_input, cached, written, output, reasoning


def set_tokens(event: Event, used: Vector) -> None:
    """Set the disjoint counters of an event from Codex's overlapping ones."""
    all_input, cached, written, output, reasoning = used
    plain = all_input - cached - written
    event.input_tokens = max(plain, 0)
    event.cache_read_tokens = cached
    event.cache_write_tokens = written
    event.output_tokens = output
    event.reasoning_tokens = reasoning
    if plain < 0:
        mark(event, "estimated")
