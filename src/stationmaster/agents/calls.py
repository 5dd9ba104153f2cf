"""A tool call: the name of its tool, in the one form that it has from every source, and what
follows from its success: changed files, commits, pull requests, skills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from stationmaster.agents import patches
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import name
from stationmaster.events.model import Event, Kind, ToolKind, identify

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


New = Callable[[Kind], Event]
"""Makes a fresh event with what all events of a session share."""


class Call(msgspec.Struct):
    """A call's event, and what it will have made; it holds no content and may be kept as state.

    `place` identifies the call within its session, in the keys of what follows from it.
    """

    event: Event
    place: str
    creations: tuple[shell.Creation, ...] = ()
    files: tuple[patches.Delta, ...] = ()
    skill: str | None = None


_SHARED = (
    *("ts", "ts_source", "session_id", "root_session_id", "turn_id", "agent_id", "agent_type"),
    *("is_subagent", "is_auxiliary", "client", "surface", "autonomy", "autonomy_raw"),
    *("user_email", "installation", "account", "team", "product_version", "tool_call_id"),
)


def following(event: Event, call: Event) -> Event:
    """A fresh event in a call's place of the conversation."""
    for field in _SHARED:
        setattr(event, field, getattr(call, field))
    return event


def events_of(
    call: Call, new: New, output: str | None, origin: str | None = None
) -> Iterator[Event]:
    """A call's own event and those that follow from it. `output` is its text, None where it is
    unknown; `origin` is the session of their identities, where it is another one than the call's.

    A call whose success is unknown counts as successful.
    """
    event = call.event
    yield event
    if event.decision == "reject":
        return
    key = (origin or event.session_id or "", call.place)
    if event.success is not False:
        for delta in call.files:
            yield patches.fill(new("file_change"), delta, event, *key)
        if call.skill is not None:
            skill = new("skill")
            identify(skill, *key)
            skill.skill = call.skill
            skill.tool_call_id = event.tool_call_id
            yield skill
    creations = call.creations or shell.of_tool(event.mcp_tool)
    for one in shell.made(creations, event.success, output):
        creation = new(one.kind)
        identify(creation, *key, str(one.ordinal))
        creation.tool_call_id = event.tool_call_id
        creation.commit_sha, creation.pr_url = one.sha, one.url
        yield creation
