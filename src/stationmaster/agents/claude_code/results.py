"""What the result of a tool call in a session file means: changed files, commits, skills."""

from __future__ import annotations

from collections.abc import Iterator

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
from stationmaster.agents.interface import Blanks
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import NotJson, name
from stationmaster.events.model import Event, ToolKind, identify

_REFUSALS = (
    b"\"Error: The user doesn't want to",
    b'"Error: The user rejected',
    b'"User rejected',
    b'"Error: Claude requested permissions',
    b'"Error: Permission to use',
    b'"Error: Permission for',
)
_HEAD = 64

_new = Blanks(words.PRODUCT, "transcript")


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


def consequences(waiting: Waiting, line: Line, ts: int) -> Iterator[Event]:
    """The events that follow from a settled call: what it changed, made or activated."""
    event = waiting.event
    if event.decision == "reject":
        return
    if event.success and event.tool_raw in words.FILE_CHANGING:
        changed = _changed_file(event, line, ts)
        if changed is not None:
            yield changed
    if waiting.creations:
        yield from _created(waiting, line, ts)
    for made in shell.made(shell.of_tool(event.mcp_tool), event.success, None):
        yield _creation_event(event, made, ts)
    if waiting.skill is not None and event.success:
        yield skill_event(event, waiting.skill, None)


def skill_event(origin: Event, skill: str, trigger: str | None) -> Event:
    """The activation of a skill, placed where the event that caused it is."""
    event = following(_new["skill"](), origin)
    place = origin.turn_id or origin.session_id or ""
    identify(event, place, skill)
    event.skill = skill
    event.source_detail = trigger
    return event


def _changed_file(call: Event, line: Line, ts: int) -> Event | None:
    raw = line.tool_use_result
    if bytes(memoryview(raw)[:1]) != b"{":
        return None
    try:
        result = decode_file_result(raw)
    except NotJson:
        return None
    event = following(_new["file_change"](), call)
    event.ts = ts
    identify(event, call.tool_call_id or call.event_id)
    event.file_op = "created" if result.type == "create" else "edited"
    event.file_path_hash = call.file_path_hash
    event.file_ext = call.file_ext
    event.language = call.language
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


def _created(waiting: Waiting, line: Line, ts: int) -> Iterator[Event]:
    output = reported = None
    if bytes(memoryview(line.tool_use_result)[:1]) in (b"{", b'"'):
        try:
            result = decode_shell_result(line.tool_use_result)
        except NotJson:
            return
        output = result.stdout
        if result.git_operation is not None and result.git_operation.commit is not None:
            reported = shell.commit_id(result.git_operation.commit.sha)
    made = list(shell.made(waiting.creations, waiting.event.success, output))
    commits = [one for one in made if one.kind == "git_commit"]
    for one in made:
        event = _creation_event(waiting.event, one, ts)
        if event.commit_sha is None and commits and one is commits[-1]:
            event.commit_sha = reported
        yield event


def _creation_event(call: Event, made: shell.Created, ts: int) -> Event:
    event = following(_new[made.kind](), call)
    event.ts = ts
    place = call.tool_call_id or call.event_id
    identify(event, place, str(made.ordinal))
    event.commit_sha = made.sha
    event.pr_url = made.url
    return event
