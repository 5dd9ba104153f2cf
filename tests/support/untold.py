"""What a source of an agent cannot tell of a session: the table of docs/agents.md, exactly.

Nothing here is a matter of effort: each entry is a fact that is in none of the bytes which that
source sends or writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

Session = dict[str, Any]
Lacks = dict[str, Any]

_NO_TOKENS: Lacks = dict.fromkeys(
    ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"), 0
)
_NO_CALLS: Lacks = {**_NO_TOKENS, "assistant_messages": 0}

LEVELS_UNTOLD: dict[str, frozenset[str]] = {
    "exports": frozenset({"opencode", "copilot-cli", "droid"}),
    "files": frozenset({"gemini-cli", "qwen-code", "opencode", "copilot-cli", "cursor"}),
    "hooks": frozenset({"codex", "gemini-cli", "copilot-cli"}),
    "everything": frozenset({"opencode", "copilot-cli"}),
}
"""Where no level is told, reports show the lowest one."""


def lacking(agent: str, delivery: str, session: Session) -> Lacks | None:
    """What reports show instead of the truth of a session that was delivered so; None where the
    agent has no such source. Deliveries: exports, files, hooks, everything."""
    return _LACKING[agent][delivery](session)


def _nothing(_: Session) -> Lacks:
    return {}


def _none(_: Session) -> None:
    return None


def _with_side_calls(session: Session) -> Lacks:
    """The agent's own calls (a title) are on the bill and exported, and in no session file."""
    tokens, side = session["tokens"], session["side_call_tokens"]
    return {
        "input_tokens": tokens["input_not_cached"] + side["input"],
        "output_tokens": tokens["output_with_reasoning"] + side["output"],
    }


def _no_calls(_: Session) -> Lacks:
    """Hooks know of no model call."""
    return _NO_CALLS


def _codex_hooks(session: Session) -> Lacks:
    """A hook calls the shell by another name."""
    tools = _ran(session)
    tools["Bash"] = tools.pop("exec_command", 0)
    return {**_NO_CALLS, "tools": +tools}


def _gemini_hooks(session: Session) -> Lacks:
    """A hook does not say how much of the input was cached."""
    return {"input_tokens": session["tokens"]["input_with_cache"], "cache_read_tokens": 0}


def _opencode_spans(session: Session) -> Lacks:
    """The program ends before the last spans of each process are sent, and they have no prompts."""
    figures = {
        "basic": (4356, 339, 4329, 3),
        "mcp": (4072, 217, 4751, 3),
        "short": (3546, 114, 1601, 2),
        "denied": (3626, 114, 1801, 2),
    }
    given, output, cached, answers = figures[session["run"]]
    side = session["side_call_tokens"]
    lacks: Lacks = {
        "input_tokens": given + side["input"],
        "output_tokens": output + side["output"],
        "cache_read_tokens": cached,
        "assistant_messages": answers,
        "user_messages": 0,
    }
    if session["run"] == "basic":
        lacks |= {"tools": _ran(session) - Counter(["bash"]), "git_commits": 0}
    return lacks


def _droid_counters(session: Session) -> Lacks:
    """Counters have no tokens and no messages, and one figure of created and edited files."""
    edited = {"files_created": 0, "files_edited": len(session["files"])}
    return {**_NO_CALLS, "user_messages": 0, **edited}


def _droid_hooks(session: Session) -> Lacks:
    """No hook comes after a call that failed."""
    failed = Counter(c["runs_as"] for c in session["tool_calls"] if c["outcome"] == "failed")
    return {**_NO_CALLS, "tools": _ran(session) - failed}


def _cursor(session: Session) -> Lacks:
    """Nothing says whether an edited file was there before."""
    return {"files_created": 0, "files_edited": len(session["files"])}


def _cursor_hooks(session: Session) -> Lacks:
    """Hooks come neither for the calls of an agent's own agent nor for answers without a text."""
    if session["run"] != "denied":
        return _cursor(session)
    tools = _ran(session)
    del tools["Grep"]
    return {**_cursor(session), "tools": tools, "assistant_messages": 2}


def _cursor_files(session: Session) -> Lacks:
    """A transcript does not say that a call was refused."""
    refused = Counter({"Shell": 1} if session["run"] == "denied" else {})
    return {**_cursor(session), "tools": _ran(session) + refused}


def _ran(session: Session) -> Counter[str]:
    ran = [call["runs_as"] for call in session["tool_calls"] if call["outcome"] != "refused"]
    return Counter(name.replace(" ", "__") for name in ran)


def _of(
    exports: Callable[[Session], Lacks | None],
    files: Callable[[Session], Lacks | None],
    hooks: Callable[[Session], Lacks | None],
    everything: Callable[[Session], Lacks | None],
) -> dict[str, Callable[[Session], Lacks | None]]:
    return {"exports": exports, "files": files, "hooks": hooks, "everything": everything}


_LACKING = {
    "claude-code": _of(_with_side_calls, _nothing, _no_calls, _with_side_calls),
    "codex": _of(_with_side_calls, _nothing, _codex_hooks, _with_side_calls),
    "gemini-cli": _of(_with_side_calls, _nothing, _gemini_hooks, _with_side_calls),
    "qwen-code": _of(_with_side_calls, _nothing, _no_calls, _with_side_calls),
    "opencode": _of(_opencode_spans, _nothing, _none, _with_side_calls),
    "copilot-cli": _of(_nothing, _nothing, _no_calls, _nothing),
    "droid": _of(_droid_counters, _nothing, _droid_hooks, _nothing),
    "cursor": _of(_none, _cursor_files, _cursor_hooks, _cursor),
}
