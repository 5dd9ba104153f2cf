"""What Copilot's words mean: tools, permission modes, refusals, hooks, the end of a session."""

from __future__ import annotations

import re
from typing import Any, Literal

from stationmaster.agents import calls
from stationmaster.agents.values import name
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client, Event, FileOp, mark

PRODUCT = "copilot-cli"

WORDS = Words(__file__)
SHELLS = WORDS.names["shells"]
CHANGES: dict[str, FileOp] = {"create": "created", "edit": "edited", "str_replace": "edited"}
"""What the tools that change one file do to it."""
_NAMING_A_FILE = frozenset({*CHANGES, "view"})
_FILE_EDITS: dict[str | None, FileOp] = {"create": "created", "edit": "edited", "delete": "deleted"}

_OWN_SERVER = "github-mcp-server"
"""The server that is part of the program: the one name that may contain dashes."""
_REFUSALS = frozenset({"denied", "rejected"})
_PERMISSIONS_OF_FLAG = {"on": "allow-all", "auto": "assisted", "off": "manual"}
NOTICE = "<system_notification"
"""What the program itself writes in a person's place begins with this."""
_CLIENTS: dict[str, Client] = {"complete": "non-interactive-cli", "user_exit": "terminal-ui"}
_EXIT_CODE = re.compile(r"exit code:?\s*(-?\d{1,10})", re.IGNORECASE | re.ASCII)
_TAIL = 200


def name_tool(event: Event, tool: str | None, server: str | None, mcp_tool: str | None) -> None:
    """Set a tool's names. A server that no field names is read off the tool's name `server-tool`,
    which is a guess where both may hold dashes."""
    if tool is None:
        return
    if server is None and "-" in tool:
        server, mcp_tool = _server_and_tool(tool)
        if server is not None:
            mark(event, "estimated")
    if not server:
        calls.set_builtin(event, tool, WORDS.tools)
        return
    calls.set_mcp(event, server, mcp_tool or tool)
    # People know a server's tool by the name that this agent gives it.
    event.tool_raw = tool


def _server_and_tool(tool: str) -> tuple[str | None, str | None]:
    if tool.startswith(f"{_OWN_SERVER}-"):
        return _OWN_SERVER, tool[len(_OWN_SERVER) + 1 :] or None
    server, _, called = tool.partition("-")
    return (server, called) if server and called else (None, None)


def operation(span: str) -> str:
    """What a span is of; its name ends with the model or the tool."""
    return span.partition(" ")[0]


def unread(span: str) -> str:
    """Why a span that no reader reads is dropped."""
    return "redundant" if operation(span) == "invoke_agent" else "unknown_record"


def names_a_file(tool: str | None) -> bool:
    """Does the tool take one path, of the file that it reads or changes?"""
    return tool in _NAMING_A_FILE


def file_op(kind: Any) -> FileOp | None:
    """The operation of a `fileEdits` entry; None for a word we do not know."""
    return _FILE_EDITS.get(kind) if isinstance(kind, str) else None


def is_refusal(code: Any) -> bool:
    """Does an error's code, or a result's type, show that the call was not allowed?"""
    return isinstance(code, str) and code in _REFUSALS


def exit_code(output: str) -> int | None:
    """The exit code that a shell's output ends with."""
    codes = _EXIT_CODE.findall(output[-_TAIL:])
    return int(codes[-1]) if codes else None


def autonomy(mode: str | None, permissions: str | None) -> Autonomy | None:
    """The level of an agent mode and a permission mode; None when it is unknown."""
    if mode == "plan":
        return "spec"
    if permissions == "manual" and mode == "autopilot":
        return "auto-low"
    if permissions is not None:
        return WORDS.autonomy.get(permissions)
    return "manual" if mode == "interactive" else None


def permissions(mode: Any, flag: Any, allows_all: Any) -> str | None:
    """The permission mode after a change: a word, or one of two flags in other builds."""
    if isinstance(mode, str):
        return name(mode)
    setting = _PERMISSIONS_OF_FLAG.get(flag) if isinstance(flag, str) else None
    if setting is None and isinstance(allows_all, bool):
        return "allow-all" if allows_all else "manual"
    return setting


def client_of_end(reason: Any) -> Client | None:
    """Where a session ran, by how it ended: only a program's session ends by being complete, and
    only a person leaves one."""
    return _CLIENTS.get(reason) if isinstance(reason, str) else None


def hook_event(kind: str) -> str:
    """A hook's event, in either spelling, in the words that all agents share."""
    return WORDS.hook_events.get(kind[:1].lower() + kind[1:]) or kind[:1].upper() + kind[1:]


def decision_source(source: Any) -> Literal["auto", "user", "hook", "unknown"]:
    """Who decided on a request for permission."""
    if not isinstance(source, str):
        return "unknown"
    if source.startswith(("human", "user")):
        return "user"
    return "hook" if "hook" in source else "auto"


def whose_call(event: Event, initiator: Any) -> None:
    """Set whose model call it is."""
    event.is_auxiliary = initiator == "compaction"
    event.is_subagent = event.is_subagent or initiator == "sub-agent"
