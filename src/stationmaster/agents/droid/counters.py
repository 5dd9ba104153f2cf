"""Droid's counters as aggregates, for those who export and collect no files.

There is none of tokens and none of messages; each names its session.
"""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.agents import calls
from stationmaster.agents.droid import words
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.interface import Blanks, Intake, Point, Resource
from stationmaster.agents.values import command_name, name
from stationmaster.events.model import Event, Kind, identify

_COUNT_MAX = 1_000_000
_KIND_OF: dict[str, Kind] = {
    "tool.invocations": "tool_call",
    "mcp.tool_invocations": "tool_call",
    "skill.invocations": "skill",
    "hook.invocations": "hook",
    "slash_command.invocations": "slash_command",
    "code.files_modified": "file_change",
    "git.commits": "git_commit",
    "git.pull_requests": "git_pull_request",
}
_NAMED = {
    # Those of hooks and slash commands are not documented, so that several are asked for.
    "tool": ("tool.name",),
    "server": ("mcp.server", "mcp.server.name"),
    "mcp_tool": ("mcp.tool", "mcp.tool.name", "tool.name", "tool"),
    "skill": ("skill.name", "skill"),
    "hook": ("hook.event", "hook.event_name", "hook.name", "hook.type", "hook"),
    "command": ("slash_command.name", "command.name", "slash_command", "command"),
}
_BLANKS = Blanks(PRODUCT, "otlp_metrics")


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates. A call of a server's tool may be in the counter of all
    tools as well as in that of servers, of which the latter names the server."""
    counted: set[tuple[str | None, str]] = set()
    for is_server in (True, False):
        for point in points:
            called = point.name.removeprefix("droid.")
            if (called == "mcp.tool_invocations") is not is_server:
                continue
            event = _event(resource, point, called, intake)
            if event is None:
                continue
            if is_server:
                names = (event.tool_raw, event.mcp_tool)
                counted |= {
                    (event.session_id, identity) for identity in names if identity is not None
                }
            elif event.kind == "tool_call" and (event.session_id, event.tool_raw or "") in counted:
                intake.drop("redundant")
                continue
            intake.add(event)


def _event(resource: Resource, point: Point, called: str, intake: Intake) -> Event | None:
    """The aggregate of a point; None, and a drop, where it counts nothing."""
    kind = _KIND_OF.get(called)
    if kind is None:
        intake.drop(words.WORDS.unread(called))
        return None
    if not 1 <= point.value <= _COUNT_MAX:
        intake.drop("not_counted")
        return None
    get = point.attributes.get
    event = _BLANKS[kind]()
    event.session_id = event.root_session_id = name(get("session.id"))
    event.installation = name(get("user.id"))
    event.product_version = resource.service_version
    event.count = int(point.value)
    event.is_aggregate = True
    flags = set() if event.session_id is not None else {"no_session"}
    if point.is_delta:
        event.ts = point.time_ms
        key = f"{point.start_ms}\0{point.time_ms}"
    else:
        # A running figure replaces what it was before, so that all of it has the time and the
        # identity of the process's start.
        event.ts = point.start_ms
        key = str(point.start_ms)
        flags.add("spread")
    event.quality = ",".join(sorted(flags)) or None
    identify(event, point.series, key)
    _set_name(event, point, called == "mcp.tool_invocations")
    return event


def _first(point: Point, group: str) -> str | None:
    """The first of a group of attributes that has a name in it; which one it is, is not always
    documented."""
    names = (name(point.attributes.get(key)) for key in _NAMED[group])
    return next(filter(None, names), None)


def _set_name(event: Event, point: Point, is_server: bool) -> None:
    """Set what was called; a commit has no name."""
    if is_server:
        server = _first(point, "server")
        tool = _first(point, "mcp_tool") or "unknown"
        tool_of_server = server or "unknown", tool.removeprefix(f"{server}___")
        calls.set_mcp(event, *(calls.mcp_parts(tool) or tool_of_server))
    elif event.kind == "tool_call":
        words.name_tool(event, _first(point, "tool") or "unknown")
    elif event.kind == "skill":
        event.skill = _first(point, "skill") or "unknown"
    elif event.kind == "hook":
        event.hook_event, event.hook_matcher = _first(point, "hook") or "unknown", ""
    elif event.kind == "slash_command":
        event.slash_command = command_name(_first(point, "command")) or "unknown"
    elif event.kind == "file_change":
        event.file_op = "edited"
