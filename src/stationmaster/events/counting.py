"""The count-once rule: which source of a session counts for which family of facts.

A session often arrives twice: exported live and read from its transcript. Sources of one *group*
share event ids and are joined field by field, the lower *rank* winning; between groups of a
session and family only the best group counts, the others stay in the lake and are left out of
reports. Source: the rank table of the canonical mapping, section 10.
"""

from __future__ import annotations

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
}

Standing = tuple[int, int]
"""(rank, group), both from 1; a lower rank wins field by field, a lower group counts alone."""

_DEFAULT: dict[str, Standing] = {
    "transcript": (1, 1),
    "store_db": (1, 1),
    "sidecar": (2, 1),
    "hook": (2, 1),
    "stream_json": (2, 1),
    "otlp_logs": (3, 1),
    "otlp_traces": (4, 1),
    "otlp_metrics": (5, 2),
}

_CLAUDE_LOGS_FIRST: dict[str, Standing] = {
    "otlp_logs": (1, 1),
    "otlp_traces": (2, 1),
    "hook": (3, 1),
    "transcript": (4, 1),
    "stream_json": (4, 1),
    "otlp_metrics": (5, 2),
}

_TRANSCRIPT_ALONE: dict[str, Standing] = {
    "transcript": (1, 1),
    "otlp_logs": (2, 2),
    "hook": (3, 3),
    "otlp_traces": (4, 4),
    "otlp_metrics": (5, 5),
}

_STANDINGS: dict[tuple[str, str], dict[str, Standing]] = {
    # Claude Code transcripts may hold a first streaming value of the output, so the export leads.
    ("claude-code", "tokens"): _CLAUDE_LOGS_FIRST,
    # An interaction span has no prompt id to join on.
    ("claude-code", "conversation"): {**_CLAUDE_LOGS_FIRST, "otlp_traces": (5, 2)},
    ("claude-code", "commands"): _CLAUDE_LOGS_FIRST,
    # Without tool details every person's own skill is exported under one name, which joins nothing.
    ("claude-code", "skills"): _TRANSCRIPT_ALONE,
    # Only transcript attachments name the hook's command; exports have counts per event.
    ("claude-code", "hooks"): _TRANSCRIPT_ALONE,
    # Codex exports carry no id of a model call or a turn.
    ("codex", "tokens"): _TRANSCRIPT_ALONE,
    ("codex", "conversation"): _TRANSCRIPT_ALONE,
    # A forked session's file keys its calls by the session it was copied from; exports cannot.
    ("codex", "tools"): _TRANSCRIPT_ALONE,
    ("codex", "git"): _TRANSCRIPT_ALONE,
    ("codex", "files"): _TRANSCRIPT_ALONE,
    ("codex", "hooks"): _TRANSCRIPT_ALONE,
}


def standing(product: str, kind: str, source: str) -> Standing:
    """The (rank, group) of a source for a kind of event of a product."""
    return _STANDINGS.get((product, FAMILY_OF_KIND[kind]), _DEFAULT)[source]
