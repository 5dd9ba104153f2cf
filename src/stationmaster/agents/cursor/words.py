"""What Cursor's words mean: tools, modes, and the marks around a person's words."""

from __future__ import annotations

import re
from typing import Any

from stationmaster.agents import calls
from stationmaster.agents.values import name
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client, Event

PRODUCT = "cursor"

WORDS = Words(__file__)
SHELL = "Shell"
EDIT = "Edit"
SERVER_TOOL = "MCP:"
"""The prefix of the name of a tool of an MCP server; Cursor does not report which server."""

_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)
_MARKED = re.compile(r"\s*<[a-z_-]{1,60}>", re.ASCII)


def name_tool(event: Event, tool: str) -> None:
    """Set the names of a tool."""
    parts = calls.mcp_parts(tool)
    if parts is not None:
        calls.set_mcp(event, *parts)
        return
    calls.set_builtin(event, tool, WORDS.tools)
    if tool.startswith(SERVER_TOOL):
        event.tool_kind = "mcp"
        event.mcp_tool = name(tool.removeprefix(SERVER_TOOL))


def autonomy(mode: Any) -> tuple[Autonomy | None, str | None]:
    """(level, the vendor's word) of a mode. Only planning is reported; whether an agent had to ask
    is in settings that no source carries."""
    return ("spec" if mode == "plan" else None), name(mode)


def client_of(is_background: Any) -> tuple[Client | None, str | None]:
    """(client, surface), where a hook reports whether the agent runs in the vendor's cloud."""
    if is_background is True:
        return "web", "cloud"
    return ("terminal-ui", None) if is_background is False else (None, None)


def own_words(text: str) -> str:
    """What of a message a person wrote: what is marked as such, else a text without any mark."""
    queries = _QUERY.findall(text)
    if queries:
        return "".join(queries).strip()
    return "" if _MARKED.match(text) else text.strip()
