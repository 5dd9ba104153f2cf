"""Which coding agent calls, and which of its sessions, by header fields of the request."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from stationmaster.gateway.headers import Fields, first

OTHER = "other"
"""A program that is no coding agent we know."""
_AGENTS = (
    ("claude-code", re.compile(r"claude-(?:cli|code)\b", re.IGNORECASE)),
    ("codex", re.compile(r"codex[_-]|codex\b", re.IGNORECASE)),
    ("gemini-cli", re.compile(r"gemini-?cli", re.IGNORECASE)),
    ("qwen-code", re.compile(r"qwen-?code", re.IGNORECASE)),
    ("opencode", re.compile(r"opencode", re.IGNORECASE)),
    ("copilot-cli", re.compile(r"(?:github)?-?copilot", re.IGNORECASE)),
    ("droid", re.compile(r"factory-cli|droid", re.IGNORECASE)),
    ("cursor", re.compile(r"cursor", re.IGNORECASE)),
)
_SESSIONS = {
    "claude-code": (b"x-claude-code-session-id",),
    "codex": (b"session-id", b"session_id", b"conversation_id"),
    "opencode": (b"x-session-affinity", b"x-session-id"),
}
"""In which field an agent names its session as its own reports do. Of others it is not known; a
session that reports do not have would be counted beside theirs."""
_INITIATOR = b"x-initiator"
"""A field of Copilot CLI, whose `User-Agent` is that of its library: who began the turn."""
_INITIATORS = frozenset({"user", "agent"})
_VERSION = re.compile(r"/v?(\d+\.\d+[\w.+-]{0,40})")
_ID = re.compile(r"[\w.:-]{1,200}")


class Agent(NamedTuple):
    """A coding agent, and the ids of its session and subagent; None is not named."""

    product: str
    version: str | None = None
    session: str | None = None
    subagent: str | None = None


def of(fields: Fields) -> Agent:
    """The agent of a request; OTHER where it is not known."""
    product, version = _program(first(fields, b"user-agent") or "")
    if product == OTHER and first(fields, _INITIATOR) in _INITIATORS:
        product = "copilot-cli"
    return Agent(
        product,
        version,
        next(filter(None, (_id(fields, name) for name in _SESSIONS.get(product, ()))), None),
        _id(fields, b"x-claude-code-agent-id") if product == "claude-code" else None,
    )


@lru_cache(maxsize=1_024)
def _program(words: str) -> tuple[str, str | None]:
    product = next((name for name, form in _AGENTS if form.search(words)), OTHER)
    version = _VERSION.search(words)
    return product, version[1] if version is not None and product != OTHER else None


def _id(fields: Fields, name: bytes) -> str | None:
    value = first(fields, name)
    return value if value is not None and _ID.fullmatch(value) else None
