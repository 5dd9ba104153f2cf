"""How the sources of a session stand to one another, for each family of facts.

A session often arrives several times: exported live and read from its transcript. The copies of
one event are joined field by field, the lower *rank* winning. Sources of one *group* give events
the same ids: what only one of them reports counts beside what the others do. Of sources that share
no ids, and whose events nothing matches, one counts: see `aggregate/inputs/matching.py`.
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
    "model_error": "errors",
}

_FAMILIES_COUNTED = frozenset(FAMILY_OF_KIND.values()) - {"context"}
"""Of context, all sources of a session are believed."""

Standing = tuple[int, int]
"""(rank, group); a lower rank wins field by field, a lower group among equals."""

_DEFAULT: dict[str, Standing] = {
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

# Of the family of Gemini CLI newer builds send ids that join sources, older ones do not. Copies of
# one id count with the best group among them, so a group for each source is right for both.
_GEMINI: dict[str, Standing] = {
    "otlp_logs": (1, 1),
    "transcript": (2, 2),
    "stream_json": (2, 2),
    "store_db": (2, 2),
    "sidecar": (2, 2),
    "hook": (3, 3),
    "otlp_metrics": (4, 4),
    "otlp_traces": (5, 5),
}

# Chat files and hooks have what a command answered, and so which commit it made.
_GEMINI_GIT: dict[str, Standing] = {
    **_GEMINI,
    "transcript": (1, 1),
    "hook": (2, 2),
    "otlp_logs": (3, 3),
}

_OPENCODE: dict[str, Standing] = {
    "store_db": (1, 1),
    "transcript": (1, 1),
    "sidecar": (2, 1),
    "hook": (2, 1),
    "stream_json": (2, 1),
    # No id of a message or a call is in a plugin's log records.
    "otlp_logs": (3, 2),
    # The last spans of a run are lost; those of tools join what the others tell of the same call.
    "otlp_traces": (4, 3),
    "otlp_metrics": (5, 4),
}

_TRANSCRIPT_ELSE_CALLS: dict[str, Standing] = {
    "transcript": (1, 1),
    "otlp_logs": (2, 2),
    "hook": (3, 2),
    "otlp_traces": (4, 4),
    "otlp_metrics": (5, 5),
}

_COPILOT_CALLS_JOINED: dict[str, Standing] = {
    "transcript": (1, 1),
    "otlp_traces": (2, 1),
    "hook": (3, 2),
    "otlp_metrics": (4, 5),
}

# What Droid's sources say of a message or a call has no id that another one has, too.
_DROID: dict[str, Standing] = {
    **_DEFAULT,
    "transcript": (1, 1),
    "sidecar": (1, 1),
    "stream_json": (2, 2),
    "hook": (3, 3),
    "otlp_metrics": (5, 5),
}

# Only the hooks of Cursor know times and ids; those of single tools repeat that of any tool.
_CURSOR: dict[str, Standing] = {
    **_DEFAULT,
    "hook": (1, 1),
    "hook_special": (2, 2),
    "transcript": (3, 3),
    "store_db": (4, 4),
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
    # A forked session's file keys its calls by the session it was copied from; exports and hooks
    # cannot, but they name the same calls.
    ("codex", "tools"): _TRANSCRIPT_ELSE_CALLS,
    ("codex", "git"): _TRANSCRIPT_ELSE_CALLS,
    ("codex", "files"): _TRANSCRIPT_ELSE_CALLS,
    ("codex", "hooks"): _TRANSCRIPT_ALONE,
    # Its hooks do not say what was cached, and its spans leave out thoughts as well.
    ("gemini-cli", "tokens"): {**_GEMINI, "otlp_metrics": (3, 3), "hook": (4, 4)},
    ("gemini-cli", "tools"): _GEMINI,
    ("gemini-cli", "conversation"): _GEMINI,
    ("gemini-cli", "files"): _GEMINI,
    ("gemini-cli", "git"): _GEMINI_GIT,
    ("gemini-cli", "skills"): _GEMINI,
    ("gemini-cli", "commands"): _GEMINI,
    ("gemini-cli", "hooks"): _GEMINI,
    # A chat file's copies of exported records have their ids, its own messages have others.
    ("qwen-code", "tokens"): {
        **_GEMINI,
        "sidecar": (2, 1),
        "transcript": (3, 2),
        "otlp_traces": (4, 3),
        "hook": (5, 4),
        "otlp_metrics": (5, 4),
    },
    ("qwen-code", "tools"): _GEMINI,
    # What a person typed is a record of a chat file, and not always an exported one.
    ("qwen-code", "conversation"): {**_GEMINI, "transcript": (1, 1), "otlp_logs": (2, 2)},
    ("qwen-code", "files"): _GEMINI,
    ("qwen-code", "git"): _GEMINI_GIT,
    ("qwen-code", "skills"): _GEMINI,
    ("qwen-code", "commands"): _GEMINI,
    ("qwen-code", "hooks"): _GEMINI,
    ("opencode", "tokens"): _OPENCODE,
    ("opencode", "tools"): _OPENCODE,
    ("opencode", "conversation"): _OPENCODE,
    ("opencode", "files"): _OPENCODE,
    ("opencode", "git"): _OPENCODE,
    ("opencode", "skills"): _OPENCODE,
    # Only our plugin sees the commands that start no subtask.
    ("opencode", "commands"): {
        **_OPENCODE,
        "hook": (1, 1),
        "store_db": (2, 2),
        "transcript": (2, 2),
    },
    # Spans and the records of newer files name the call; rows of the store have a number of their
    # own, and what a file sums up at its end stands beside it as a sidecar would.
    ("copilot-cli", "tokens"): {
        "otlp_traces": (1, 1),
        "transcript": (2, 1),
        "store_db": (3, 2),
        "sidecar": (4, 3),
        "otlp_metrics": (5, 5),
    },
    # Hooks do not name the call, nor the prompt.
    ("copilot-cli", "tools"): _COPILOT_CALLS_JOINED,
    ("copilot-cli", "conversation"): _COPILOT_CALLS_JOINED,
    ("copilot-cli", "files"): _COPILOT_CALLS_JOINED,
    ("copilot-cli", "git"): _COPILOT_CALLS_JOINED,
    # No id ties a failed attempt of one source to that of another.
    ("claude-code", "errors"): _TRANSCRIPT_ALONE,
    ("codex", "errors"): _TRANSCRIPT_ALONE,
    ("gemini-cli", "errors"): _GEMINI,
    ("qwen-code", "errors"): _GEMINI,
    ("opencode", "errors"): _OPENCODE,
    ("copilot-cli", "errors"): _TRANSCRIPT_ALONE,
    ("copilot-cli", "hooks"): _TRANSCRIPT_ALONE,
    **{("droid", family): _DROID for family in _FAMILIES_COUNTED},
    **{("cursor", family): _CURSOR for family in _FAMILIES_COUNTED},
}


def standing(product: str, kind: str, source: str) -> Standing:
    """The (rank, group) of a source for a kind of event of a product."""
    own = _STANDINGS.get((product, FAMILY_OF_KIND[kind]), _DEFAULT)
    # Events may be submitted as of any source, whether or not the agent has it.
    return own.get(source) or _DEFAULT[source]
