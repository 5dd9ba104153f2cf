"""What OpenCode's words mean: tools, agents, permissions, clients, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client

PRODUCT = "opencode"

WORDS = Words(__file__)
INVALID = "invalid"
"""The tool that is run in place of one that there is not, or that may not be used."""

PLAN = "plan"
_COUNTERS = ("token.usage", "commit.count")
HELPERS = WORDS.names["helpers"]
"""Agents that write titles and summaries: work of the program's own."""
SUBAGENTS = WORDS.names["subagents"]
"""The agents that are part of OpenCode and work for another one only."""

_REFUSED_BY_PERSON = "user rejected permission to use this specific tool call"
_REFUSED_BY_RULE = "user has specified a rule which prevents you from using this specific tool call"
_HEAD = 400


def mcp_parts(tool: str) -> tuple[str, str] | None:
    """(server, tool) of a name such as `server_tool`; None for a tool of OpenCode itself.

    A guess: neither source names the servers, whose own names may hold underscores.
    """
    server, separator, called = tool.partition("_")
    if tool in WORDS.names["own_with_underscore"] or not (separator and server and called):
        return None
    return server, called


def client_of(raw: str | None) -> tuple[Client | None, str | None]:
    """(client, surface) of what the exporting program calls itself."""
    return WORDS.clients.get(raw or "", (None, None))


def refusal(error: str) -> str | None:
    """Who refused a call that ended with this error: `user`, `auto`; None when it was not
    refused."""
    head = error[:_HEAD]
    if _REFUSED_BY_PERSON in head:
        return "user"
    return "auto" if _REFUSED_BY_RULE in head else None


def has_effort(variant: str | None) -> bool:
    """Does a model's variant ask for reasoning?"""
    return variant not in (None, "", "default", "none", "off", "minimal")


def autonomy_of_agent(agent: str | None) -> Autonomy | None:
    """The level of the agent at work: only that of the planning one is known by its name."""
    return "spec" if agent == PLAN else None


def autonomy_of(permission: Any) -> tuple[Autonomy | None, str]:
    """(level, the words) of the configured permission: one word for all, or one by tool, each of
    which may be one by pattern. What is not named is allowed."""
    edit, shell = _action(permission, "edit"), _action(permission, "bash")
    words = f"{edit}/{shell}"
    if edit == "ask":
        return "manual", words
    if edit == "deny":
        return ("spec" if shell == "deny" else None), words
    if edit == "allow" and shell == "allow":
        return "auto-high", words
    if edit == "allow":
        return ("auto-medium" if shell == "patterns" else "auto-low"), words
    return None, words


def _action(permission: Any, tool: str) -> str:
    """`allow`, `ask`, `deny`, `patterns` where it depends on the call, `unknown`."""
    if isinstance(permission, Mapping):
        permission = permission.get(tool, permission.get("*", "allow"))
    if isinstance(permission, Mapping):
        actions = set(permission.values()) if all(map(_is_word, permission.values())) else set()
        permission = actions.pop() if len(actions) == 1 and "*" in permission else "patterns"
    return permission if _is_word(permission) or permission == "patterns" else "unknown"


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value in ("allow", "ask", "deny")


def called(name: str) -> str:
    """A record's name without the prefix of a plugin, which may be that of another agent; a
    counter's without any prefix, because a person may choose it."""
    for counter in _COUNTERS:
        if name == counter or name.endswith(f".{counter}"):
            return counter
    return name.removeprefix("opencode.").removeprefix("claude_code.")
