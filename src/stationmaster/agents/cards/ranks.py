"""The precedence of a session's sources, for each family of facts.

A session often arrives several times: exported live and read from its transcript. The copies of
one event are joined field by field, the lower *rank* winning. Sources of one *group* give events
the same ids: what only one of them reports counts in addition to the others. Of sources that share
no ids, and whose events nothing matches, one counts: see `aggregate/inputs/matching.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stationmaster.agents import cards

FAMILY_OF_KIND: dict[str, str] = {
    "model_call": "tokens",
    "tool_call": "tools",
    "user_message": "conversation",
    "assistant_message": "conversation",
    "file_change": "files",
    "git_commit": "git",
    "git_pull_request": "git",
    "skill": "skills",
    "slash_command": "commands",
    "hook": "hooks",
    "session_start": "context",
    "session_end": "context",
    "mode_change": "context",
    "session_context": "context",
    "model_error": "errors",
}

FAMILIES_COUNTED = frozenset(FAMILY_OF_KIND.values()) - {"context"}
"""Of context, all sources of a session count."""

Precedence = tuple[int, int]
"""(rank, group); a lower rank wins field by field, a lower group among equals."""

DEFAULT: Mapping[str, Precedence] = {
    "transcript": (1, 1),
    "store_db": (1, 1),
    "sidecar": (2, 1),
    "hook": (2, 1),
    "hook_special": (3, 2),
    "stream_json": (2, 1),
    "otlp_logs": (3, 1),
    "otlp_traces": (4, 1),
    "otlp_metrics": (5, 2),
    # What a provider was asked and billed, whatever the agent reports of it.
    "gateway": (0, 1),
}

NAMED: Mapping[str, Mapping[str, Precedence]] = {
    "transcript-alone": {
        "transcript": (1, 1),
        "otlp_logs": (2, 2),
        "hook": (3, 3),
        "otlp_traces": (4, 4),
        "otlp_metrics": (5, 5),
    },
    # Of the family of Gemini CLI newer builds send ids that join sources, older ones do not. Copies
    # of one id count with the best group among them, so a group for each source is right for both.
    "gemini": {
        "otlp_logs": (1, 1),
        "transcript": (2, 2),
        "stream_json": (2, 2),
        "store_db": (2, 2),
        "sidecar": (2, 2),
        "hook": (3, 3),
        "otlp_metrics": (4, 4),
        "otlp_traces": (5, 5),
    },
}
"""Sets that several agents have."""


@lru_cache(maxsize=4096)
def precedence(product: str, kind: str, source: str) -> Precedence:
    """The (rank, group) of a source for a kind of event of a product."""
    card, family = cards.find(product), FAMILY_OF_KIND[kind]
    # Events may be submitted as of any source, whether or not the agent has it.
    rank = DEFAULT[source]
    for row in () if card is None else card.ranks:
        if family in row.families or (row.families == ("*",) and family in FAMILIES_COUNTED):
            rank = {**NAMED.get(row.like, {}), **row.sources}.get(source, rank)
    return rank
