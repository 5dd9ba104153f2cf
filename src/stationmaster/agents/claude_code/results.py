"""What the result of a tool call in a session file means: changed files, commits, skills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.agents import patches
from stationmaster.agents.calls import following, mcp_parts
from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.lines import (
    Block,
    FileResult,
    Line,
    decode_file_result,
    decode_shell_result,
    input_of,
)
from stationmaster.agents.interface import Blank
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import NotJson, name
from stationmaster.events.model import Event, FileOp, Kind, ToolKind, identify

_REFUSALS = (
    b"\"Error: The user doesn't want to",
    b'"Error: The user rejected',
    b'"User rejected',
    b'"Error: Claude requested permissions',
    b'"Error: Permission to use',
    b'"Error: Permission for',
)
_HEAD = 64


class Waiting(msgspec.Struct, gc=False):
    """A tool call whose result is still missing: its event and what it will have made."""

    event: Event
    creations: tuple[shell.Creation, ...] = ()
    skill: str | None = None


class ToolNames(msgspec.Struct, frozen=True, gc=False):
    """A tool's name in its canonical and raw forms, its kind, and the parts of an MCP name."""

    tool: str
    tool_raw: str
    kind: ToolKind
    server_raw: str | None
    server: str | None
    mcp_tool: str | None
    has_input: bool

    def fill(self, event: Event) -> None:
        """Set the names of an event's tool."""
        event.tool, event.tool_raw, event.tool_kind = self.tool, self.tool_raw, self.kind
        if self.server is not None:
            event.mcp_server_raw, event.mcp_server = self.server_raw, self.server
            event.mcp_tool = self.mcp_tool


_NAMES: dict[str, ToolNames] = {}
_NAMES_KEPT = 2_000


def names_of(tool: str | None) -> ToolNames:
    """Everything a tool's name shows, remembered because few names make up all calls."""
    names = _NAMES.get(tool or "")
    if names is not None:
        return names
    raw = name(tool) or "unknown"
    server, called = mcp_parts(raw) or (None, None)
    made = ToolNames(
        words.WORDS.tools.get(raw, raw),
        raw,
        words.tool_kind(raw),
        server,
        server.strip().lower() if server else None,
        called,
        raw in words.NAMING_A_FILE or raw in words.SHELLS or raw == "Skill",
    )
    if len(_NAMES) < _NAMES_KEPT and len(tool or "") <= len(raw):
        _NAMES[tool or ""] = made
    return made


def read_input(waiting: Waiting, block: Block) -> None:
    """Note what the call's arguments name: a file, commits to make, a skill."""
    arguments = input_of(block.input)
    event = waiting.event
    if event.tool_raw in words.SHELLS:
        if arguments.command is not None:
            waiting.creations = shell.creations(arguments.command)
        return
    if event.tool_raw == "Skill":
        waiting.skill = name(arguments.skill or arguments.command)
        return
    path = arguments.file_path or arguments.notebook_path
    if path:
        patches.set_file(event, path)


def settle(waiting: Waiting, block: Block, line: Line) -> None:
    """Set success and decision of the waiting call from the line with its result."""
    event = waiting.event
    decision = line.permission_decision
    head = b""
    if block.is_error is not False:
        head = bytes(memoryview(line.tool_use_result)[:_HEAD])
    failed = block.is_error is True or head.startswith(b'"Error')
    refused = line.tool_denial_kind is not None or (failed and head.startswith(_REFUSALS))
    if decision is not None:
        refused = refused or decision.decision == "reject"
        event.decision_source = words.decision_source(decision.source)
        event.decision = "accept" if decision.decision == "accept" else None
    elif refused:
        event.decision_source = "user"
    event.success = not (failed or refused)
    if refused:
        event.decision = "reject"


New = Mapping[Kind, Blank]
"""Makers of the events of one source."""


def consequences(waiting: Waiting, line: Line, ts: int, new: New) -> Iterator[Event]:
    """The events that follow from a settled call: what it changed, made or activated."""
    event = waiting.event
    if event.decision == "reject":
        return
    key = event.tool_call_id or event.event_id
    if event.success and event.tool_raw in words.FILE_CHANGING:
        changed = _changed_file(event, line, key, new)
        if changed is not None:
            changed.ts = ts
            yield changed
    for creation in creations_of(event, *_created(waiting, line), key, new):
        creation.ts = ts
        yield creation
    if waiting.skill is not None and event.success:
        yield skill_event(event, waiting.skill, None, new)


def skill_event(origin: Event, skill: str, trigger: str | None, new: New) -> Event:
    """The activation of a skill, placed where the event that caused it is."""
    event = following(new["skill"](), origin)
    place = origin.turn_id or origin.session_id or ""
    identify(event, place, skill)
    event.skill = skill
    event.source_detail = trigger
    return event


def changed_file(call: Event, key: str, op: FileOp, new: New) -> Event:
    """The change of a call that names one file."""
    event = following(new["file_change"](), call)
    identify(event, key)
    event.file_op = op
    event.file_path_hash = call.file_path_hash
    event.file_ext = call.file_ext
    event.language = call.language
    return event


def _changed_file(call: Event, line: Line, key: str, new: New) -> Event | None:
    raw = line.tool_use_result
    if bytes(memoryview(raw)[:1]) != b"{":
        return None
    try:
        result = decode_file_result(raw)
    except NotJson:
        return None
    event = changed_file(call, key, "created" if result.type == "create" else "edited", new)
    if event.file_path_hash is None and result.file_path:
        patches.set_file(event, result.file_path)
    event.lines_added, event.lines_removed = _lines(result)
    return event


def _lines(result: FileResult) -> tuple[int | None, int | None]:
    """Lines added and removed by the patch; a created file has none, so its content counts."""
    if result.type == "create":
        content = result.content
        if content is None:
            return None, None
        return content.count("\n") + (not content.endswith("\n") and content != ""), 0
    if result.structured_patch is None:
        return None, None
    added = removed = 0
    for hunk in result.structured_patch:
        for row in hunk.lines:
            if row[:1] == "+":
                added += 1
            elif row[:1] == "-":
                removed += 1
    return added, removed


def _created(waiting: Waiting, line: Line) -> tuple[list[shell.Created], str | None]:
    """What a call made, and the id of a commit that its result reports."""
    output = reported = None
    if waiting.creations and bytes(memoryview(line.tool_use_result)[:1]) in (b"{", b'"'):
        try:
            result = decode_shell_result(line.tool_use_result)
        except NotJson:
            return [], None
        output = result.stdout
        if result.git_operation is not None and result.git_operation.commit is not None:
            reported = shell.commit_id(result.git_operation.commit.sha)
    return list(shell.made(waiting.creations, waiting.event.success, output)), reported


def creations_of(
    call: Event, made: list[shell.Created], reported: str | None, key: str, new: New
) -> Iterator[Event]:
    """What a command line made, or an MCP tool; the id that the agent reports is that of the last
    commit of the line."""
    commits = [one for one in made if one.kind == "git_commit"]
    made = [*made, *shell.made(shell.of_tool(call.mcp_tool), call.success, None)]
    for one in made:
        event = following(new[one.kind](), call)
        identify(event, key, str(one.ordinal))
        event.commit_sha = one.sha or (reported if commits and one is commits[-1] else None)
        event.pr_url = one.url
        yield event
