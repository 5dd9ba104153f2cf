"""The settings that Droid keeps next to a session file: tokens, model, autonomy.

`<session>.settings.json` is next to `<session>.jsonl` and is rewritten with every answer. Its
tokens are the running total of the session, without times.
"""

from __future__ import annotations

import os
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from stationmaster.agents.droid import words
from stationmaster.agents.values import NotJson, decoder, file_bytes, tokens
from stationmaster.events.model import Autonomy, Client

SETTINGS = ".settings.json"
"""The ending of the name of a session's settings."""
_BYTES_MAX = 2**20

Totals = tuple[int, int, int, int, int]
"""Input, output without thinking, cache read, cache write, thinking."""


class TokenUsage(Struct, gc=False, rename="camel"):
    """The running total of a session's tokens; thinking is counted apart from output."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_tokens: Any = None
    cache_creation_tokens: Any = None
    thinking_tokens: Any = None
    total_tokens: Any = None

    def totals(self) -> Totals:
        """The counters, which are disjoint; an only total is taken for output.

        Raises InvalidRecord.
        """
        *figures, total = astuple(self)
        plain, output, read, written, thinking = (tokens(figure) or 0 for figure in figures)
        # Thinking is reported as output.
        tokens(output + thinking)
        if plain or output or read or written or thinking:
            return plain, output, read, written, thinking
        return 0, tokens(total) or 0, 0, 0, 0


class Settings(Struct, gc=False, rename="camel"):
    """The settings of a session: model, effort, mode, level of autonomy, tokens so far."""

    model: Any = None
    reasoning_effort: Any = None
    interaction_mode: Any = None
    autonomy_level: Any = None
    autonomy_mode: Any = None
    provider_lock: Any = None
    provider_lock_timestamp: Any = None
    tags: list[Any] | None = None
    token_usage: TokenUsage | None = None

    def autonomy(self, mode: str | None = None) -> tuple[Autonomy | None, str | None]:
        """(level, the vendor's words), in an interaction mode or in the current one.

        Older builds have mode and level in one word.
        """
        if self.autonomy_level is None and self.autonomy_mode is not None:
            return words.autonomy(self.autonomy_mode, mode)
        return words.autonomy(self.autonomy_level, mode or self.interaction_mode)

    def client(self) -> tuple[Client | None, str | None]:
        """(client, surface), where a tag names the platform the session runs on."""
        named = (tag.get("name") if isinstance(tag, dict) else tag for tag in self.tags or ())
        return words.client_of(*named)


_decode = decoder(Settings)


def load(path: str) -> Settings:
    """The settings of a file. Raises OSError, and NotJson for what is no such file."""
    return _decode(file_bytes(path, _BYTES_MAX))


def next_to(journal: str) -> Settings:
    """The settings next to a session file; empty ones where there are none that can be read."""
    stem, ending = os.path.splitext(journal)
    if ending != ".jsonl":
        return Settings()
    try:
        return load(stem + SETTINGS)
    except (OSError, NotJson, ValueError):
        return Settings()
