"""The family's token figures: input includes what was cached; thoughts are apart, or are not."""

from __future__ import annotations

from typing import Any, NamedTuple

from stationmaster.agents.values import tokens
from stationmaster.events.model import Event, mark


class Usage(NamedTuple):
    """The figures of one model call, or of a counter. `tool` is what tools put into prompts."""

    prompt: int
    output: int
    cached: int = 0
    thoughts: int = 0
    tool: int = 0
    total: int = 0


def usage_of(
    prompt: Any, output: Any, cached: Any, thoughts: Any = None, tool: Any = None, total: Any = None
) -> Usage:
    """Raises InvalidRecord for an impossible figure."""
    figures = (prompt, output, cached, thoughts, tool, total)
    return Usage(*(tokens(figure) or 0 for figure in figures))


def set_tokens(event: Event, usage: Usage, has_thoughts_in_output: bool) -> None:
    """Set the disjoint counters of an event. Raises InvalidRecord.

    Models of Google's interface count thoughts beside the output, those of OpenAI's in it, and an
    agent passes on what it received; the total says which, where there is one.
    """
    plain = usage.prompt - usage.cached + usage.tool
    both = usage.prompt + usage.output + usage.tool
    if usage.total == both + usage.thoughts:
        is_inside = False
    else:
        is_inside = usage.total == both or has_thoughts_in_output
    event.input_tokens = tokens(max(plain, 0))
    event.cache_read_tokens = usage.cached
    event.cache_write_tokens = 0
    event.output_tokens = tokens(usage.output + (0 if is_inside else usage.thoughts))
    event.reasoning_tokens = usage.thoughts
    event.model_tier = "thinking" if usage.thoughts else "standard"
    if plain < 0:
        mark(event, "estimated")
