"""The names of tools on events, in the one form that they have from every source."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.agents.values import name
from stationmaster.events.model import Event, ToolKind

_KINDS: dict[str, ToolKind] = {"task": "subagent", "skill": "skill"}


def set_builtin(event: Event, tool: str, canonical: Mapping[str, str]) -> None:
    """Name a tool of the agent itself; those without a canonical name keep their own."""
    event.tool_raw = tool
    event.tool = canonical.get(tool, tool)
    event.tool_kind = _KINDS.get(event.tool, "builtin")


def set_mcp(event: Event, server: str, tool: str) -> None:
    """Name a tool of an MCP server."""
    event.tool_kind = "mcp"
    event.mcp_server_raw = server
    event.mcp_server = name(server.strip().lower())
    event.mcp_tool = tool
    event.tool = event.tool_raw = name(f"mcp__{server}__{tool}")


def mcp_parts(tool: str) -> tuple[str, str] | None:
    """(server, tool) of a name such as `mcp__server__tool`; None for any other name.

    A plugin's server keeps its whole middle piece: where plugin ends and server begins cannot be
    known when either contains an underscore.
    """
    if not tool.startswith("mcp__"):
        return None
    server, separator, called = tool[5:].partition("__")
    return (server, called) if separator and server and called else None
