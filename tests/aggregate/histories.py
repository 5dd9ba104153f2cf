"""Random days: few names, so that sessions compete, repeat, change hands and tie."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from stationmaster.events.model import Event
from tests.aggregate.lakes import NOON

_KINDS = (
    *("model_call", "model_call", "tool_call", "tool_call", "user_message", "user_message"),
    *("assistant_message", "file_change", "file_change", "git_commit", "git_pull_request"),
    *("skill", "slash_command", "hook", "mode_change", "mode_change", "session_context"),
    "session_start",
)
_LEVELS = st.sampled_from(["auto-high", "auto-medium", "auto-low", "spec", "manual"])
_TOKENS = st.none() | st.integers(0, 40_000)
_FLAGS = st.sampled_from([None, "estimated", "redacted_name", "estimated,redacted_name"])


def _maybe(*values: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *values])


_OWN: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "model_call": {
        "model": _maybe("claude-opus-4-5", "claude-haiku-4-5", "gpt-5", "__proto__"),
        "model_tier": _maybe("standard", "thinking"),
        "input_tokens": _TOKENS,
        "output_tokens": _TOKENS,
        "cache_read_tokens": _TOKENS,
        "cache_write_tokens": _TOKENS,
        "is_auxiliary": st.booleans(),
        "is_subagent": st.booleans(),
    },
    "tool_call": {
        "tool_raw": _maybe("Bash", "Read", "Ünïcode"),
        "tool": _maybe("shell"),
        "tool_kind": st.sampled_from(["builtin", "mcp", None]),
        "mcp_server": _maybe("GitHub", "github"),
        "tool_call_id": _maybe("c1", "c2"),
        "decision": st.sampled_from([None, "accept", "reject"]),
        "autonomy": st.none() | _LEVELS,
        "file_path_hash": _maybe("f1", "f2"),
        "count": st.integers(1, 3),
    },
    "user_message": {"is_auxiliary": st.booleans(), "count": st.integers(1, 2)},
    "assistant_message": {},
    "file_change": {
        "file_op": st.sampled_from(["created", "edited", "deleted"]),
        "file_path_hash": _maybe("f1", "f2"),
        "tool_call_id": _maybe("c1", "c2"),
        "file_ext": _maybe("py", "ts", ""),
        "language": _maybe("Python", "TypeScript"),
        "success": st.sampled_from([None, True, False]),
    },
    "git_commit": {"success": st.sampled_from([None, True, False])},
    "git_pull_request": {"pr_url": _maybe("https://example.com/1", "https://example.com/2")},
    "skill": {
        "skill": _maybe("review", "deploy"),
        "success": st.sampled_from([None, True, False]),
    },
    "slash_command": {"slash_command": _maybe("init", "model")},
    "hook": {
        "hook_event": _maybe("Stop", "PreToolUse"),
        "hook_matcher": _maybe("Bash"),
        "hook_command": _maybe("lint"),
        "count": st.integers(1, 4),
    },
    "mode_change": {"autonomy": st.none() | _LEVELS},
    "session_context": {"is_auxiliary": st.sampled_from([False, False, True])},
    "session_start": {},
    "model_error": {
        "error_class": _maybe("rate_limited", "aborted"),
        "error_status": st.sampled_from([None, 429]),
    },
}


@st.composite
def events(draw: st.DrawFn) -> Event:
    kind = draw(st.sampled_from(_KINDS))
    session = draw(st.sampled_from([None, "s1", "s1", "s2", "s3"]))
    user = draw(st.sampled_from(["user_ada", "user_ben", "svc_bot"]))
    fields: dict[str, Any] = {
        "event_id": f"{draw(st.integers(0, 2**128 - 1)):032x}",
        "kind": kind,
        "ts": NOON + draw(st.integers(0, 4)),
        "product": draw(st.sampled_from(["claude-code", "codex"])),
        "source": "otlp_logs",
        "source_rank": draw(st.integers(1, 3)),
        "source_group": draw(st.integers(1, 2)),
        "user_id": user,
        "user_email": draw(_maybe(f"{user}@example.com")),
        "user_source": draw(_maybe("credential", "email", "key")),
        "session_id": session,
        "root_session_id": session,
        "client": draw(_maybe("terminal-ui", "web", "non-interactive-cli")),
        "repo": draw(_maybe("example.com/acme/app", "example.com/acme/web")),
        "team": draw(_maybe("core")),
        # What counters of tokens exceed is shown by `test_law.py`.
        "is_aggregate": draw(st.booleans()) if session is None and kind != "model_call" else False,
        "quality": draw(_FLAGS),
    }
    return Event(**fields, **{name: draw(own) for name, own in _OWN[kind].items()})


@st.composite
def copies_of(draw: st.DrawFn, original: Event) -> Event:
    """The same event from a worse source: other details, more and fewer gaps."""
    other = draw(events())
    fields = {name: getattr(original, name) for name in Event.__struct_fields__}
    for name in _OWN[original.kind]:
        fields[name] = draw(_OWN[original.kind][name])
    for name in ("user_id", "user_source", "user_email", "client", "quality", "ts", "repo", "team"):
        fields[name] = getattr(other, name)
    fields["source_rank"] = original.source_rank + 10
    return Event(**fields)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Up to 24 events, some of them twice, where the better copy is always told by its rank."""
    originals = draw(st.lists(events(), max_size=24, unique_by=lambda e: e.event_id))
    repeated = draw(st.lists(st.sampled_from(originals), unique_by=id)) if originals else []
    return originals + [draw(copies_of(event)) for event in repeated]


@st.composite
def ties(draw: st.DrawFn) -> list[Event]:
    """Events that repeat under one rank and time with other details, where no copy is better."""
    originals = draw(st.lists(events(), min_size=1, max_size=8))
    found = []
    for original in originals:
        found.append(original)
        for other in draw(st.lists(events(), max_size=2)):
            for name in ("event_id", "ts", "source_rank"):
                setattr(other, name, getattr(original, name))
            found.append(other)
    return found
