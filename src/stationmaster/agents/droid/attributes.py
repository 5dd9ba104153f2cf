"""Which attributes Droid's metrics are read for, by the metric's name.

The names of the attributes of hooks and slash commands are not documented, so that several are
asked for. Of spans, which exist only to carry content, none is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stationmaster.agents.values import name

_NOTHING: frozenset[str] = frozenset()
_SENDER = frozenset({"session.id", "user.id"})

TOOL = ("tool.name",)
SERVER = ("mcp.server", "mcp.server.name")
MCP_TOOL = ("mcp.tool", "mcp.tool.name", "tool.name", "tool")
SKILL = ("skill.name", "skill")
HOOK = ("hook.event", "hook.event_name", "hook.name", "hook.type", "hook")
COMMAND = ("slash_command.name", "command.name", "slash_command", "command")

_BY_NAME = {
    "tool.invocations": _SENDER | set(TOOL),
    "mcp.tool_invocations": _SENDER | set(SERVER) | set(MCP_TOOL),
    "skill.invocations": _SENDER | set(SKILL),
    "hook.invocations": _SENDER | set(HOOK),
    "slash_command.invocations": _SENDER | set(COMMAND),
    "code.files_modified": _SENDER,
    "git.commits": _SENDER,
    "git.pull_requests": _SENDER,
}


def of(called: str) -> frozenset[str]:
    """See card.Agent.attributes_of."""
    return _BY_NAME.get(called.removeprefix("droid."), _NOTHING)


def first(attributes: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of the attributes that has a name in it."""
    return next(filter(None, (name(attributes.get(each)) for each in names)), None)
