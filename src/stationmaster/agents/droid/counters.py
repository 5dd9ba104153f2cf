"""Droid's counters as aggregates, for those who export and collect no files.

There is none of tokens and none of messages; each names its session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stationmaster.agents import tools
from stationmaster.agents.blanks import blank
from stationmaster.agents.card import Intake, Point, Resource
from stationmaster.agents.droid import attributes, words
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.values import command_name, name
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind

_COUNT_MAX = 1_000_000
_UNCOUNTED = frozenset(
    {"tool.execution_time", "code.files_read", "code.lines_modified"}
    | {"auth.login_success", "repo.metadata"}
)
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
_BLANKS = {kind: blank(PRODUCT, kind, "otlp_metrics") for kind in _KIND_OF.values()}


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates. A call of a server's tool may come in the counter of all
    tools as well as in that of servers, of which the latter names the server."""
    told: set[tuple[str | None, str]] = set()
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
                told |= {(event.session_id, each) for each in names if each is not None}
            elif event.kind == "tool_call" and (event.session_id, event.tool_raw or "") in told:
                intake.drop("redundant")
                continue
            intake.add(event)


def _event(resource: Resource, point: Point, called: str, intake: Intake) -> Event | None:
    """The aggregate of a point; None, and a drop, where it counts nothing."""
    kind = _KIND_OF.get(called)
    if kind is None:
        intake.drop("not_counted" if called in _UNCOUNTED else "unknown_record")
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
    event.event_id = event_id(PRODUCT, kind, point.series, key)
    _NAME[called](event, point)
    return event


def _name_tool(event: Event, point: Point) -> None:
    words.name_tool(event, attributes.first(point.attributes, attributes.TOOL) or "unknown")


def _name_server_tool(event: Event, point: Point) -> None:
    server = attributes.first(point.attributes, attributes.SERVER)
    tool = attributes.first(point.attributes, attributes.MCP_TOOL) or "unknown"
    parts = tools.mcp_parts(tool)
    if parts is not None:
        tools.set_mcp(event, *parts)
    else:
        tools.set_mcp(event, server or "unknown", tool.removeprefix(f"{server}___"))


def _name_skill(event: Event, point: Point) -> None:
    event.skill = attributes.first(point.attributes, attributes.SKILL) or "unknown"


def _name_hook(event: Event, point: Point) -> None:
    event.hook_event = attributes.first(point.attributes, attributes.HOOK) or "unknown"
    event.hook_matcher = ""


def _name_command(event: Event, point: Point) -> None:
    command = attributes.first(point.attributes, attributes.COMMAND)
    event.slash_command = command_name(command) or "unknown"


def _name_change(event: Event, _: Point) -> None:
    event.file_op = "edited"


def _no_name(_: Event, __: Point) -> None:
    """A commit has none."""


_NAME: dict[str, Callable[[Event, Point], None]] = {
    "tool.invocations": _name_tool,
    "mcp.tool_invocations": _name_server_tool,
    "skill.invocations": _name_skill,
    "hook.invocations": _name_hook,
    "slash_command.invocations": _name_command,
    "code.files_modified": _name_change,
    "git.commits": _no_name,
    "git.pull_requests": _no_name,
}
