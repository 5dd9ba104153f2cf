"""Claude Code's OTLP records as events, each fact from one record.

The log `api_request` is the model call, `tool_result` (or a rejecting `tool_decision`) the tool
call, `user_prompt` the message. Spans repeat them under the same ids; metrics repeat them as
aggregates, which count only where nothing else arrived.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stationmaster.agents import patches
from stationmaster.agents.claude_code import calls, words
from stationmaster.agents.claude_code.results import changed_file, creations_of, names_of
from stationmaster.agents.claude_code.sender import fill
from stationmaster.agents.interface import Attributes, Blanks, Intake, Log, NoEvent, Resource
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import (
    command_name,
    flag,
    length,
    lenient,
    milliseconds,
    model_name,
    model_region,
    money,
    name,
    repetitions as repetitions_of,
    speed,
    tier,
    tokens,
    whole,
)
from stationmaster.events.model import Event, Kind, event_id, identify, mark

_LOADED_WITHIN_MS = 60_000


def _begin_resuming(hook: Event, intake: Intake) -> None:
    """Note the hook at the start of a process that resumes a session."""
    if hook.hook_event == "SessionStart" and hook.hook_matcher == "resume":
        intake.resuming[hook.installation or ""] = hook.event_id


def _end_resuming(prompt: Event, intake: Intake) -> None:
    """Give that hook the session of the first prompt after it in the delivery."""
    noted = intake.resuming.pop(prompt.installation or "", None)
    if noted is None or prompt.session_id is None:
        return
    hook = intake.take_back(noted)
    if hook is None:
        return
    if 0 <= prompt.ts - hook.ts <= _LOADED_WITHIN_MS:
        hook.session_id = hook.root_session_id = prompt.session_id
        identify(hook, prompt.session_id, noted)
    intake.add(hook)


_new = Blanks(words.PRODUCT, "otlp_logs")


class _Details(msgspec.Struct, gc=False):
    """What is read of the two JSON texts of a tool call; the rest of them is skipped."""

    full_command: str | None = None
    git_commit_id: str | None = None
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None
    file_path: str | None = None
    notebook_path: str | None = None


_details = lenient(_Details)


def _start(kind: Kind, resource: Resource, record: Log) -> tuple[Event, str]:
    """A fresh event with what every record reports of its sender, and its session."""
    event = _new[kind]()
    session = fill(event, resource, record.attributes, record.time_ms)
    event.ts_source = record.ts_source
    return event, session


def fill_model_call(event: Event, attributes: Attributes, query_source: str | None) -> None:
    """Set model, tokens and whose call it is. Raises InvalidRecord for impossible tokens."""
    get = attributes.get
    event.input_tokens = tokens(get("input_tokens"))
    event.output_tokens = tokens(get("output_tokens"))
    event.cache_read_tokens = tokens(get("cache_read_tokens"))
    event.cache_write_tokens = tokens(get("cache_creation_tokens"))
    event.cache_write_1h_tokens = tokens(get("cache_creation_1h_tokens"))
    event.speed = speed(get("speed"))
    event.model = model_name(get("model"))
    event.region = model_region(get("model"))
    event.provider = "anthropic"
    event.model_tier = tier(None, get("effort"))
    if query_source is None:
        calls.mark_unfinished(event)
    event.duration_ms = milliseconds(get("duration_ms"))
    whose = words.query_source(query_source, name(get("agent.name")))
    event.is_subagent = whose.is_subagent
    event.is_auxiliary = whose.is_auxiliary
    event.agent_type = whose.agent_type
    event.agent_id = name(get("agent_id"))
    if event.client is None:
        event.client = whose.client


def name_tool(event: Event, tool: str, server: str | None, mcp_tool: str | None) -> None:
    """Set the tool's names; the real ones of an MCP tool when the record has them."""
    if server and mcp_tool:
        tool = f"mcp__{server}__{mcp_tool}"
    names = names_of(tool)
    names.fill(event)
    if names.server is None and tool in words.REDACTED:
        event.quality = "redacted_name" if event.quality is None else "no_session,redacted_name"


def _read_api_request(resource: Resource, record: Log, intake: Intake) -> None:
    attributes = record.attributes
    event = _new["model_call"]()
    session = fill(event, resource, attributes, record.time_ms)
    fill_model_call(event, attributes, name(attributes.get("query_source")))
    if not calls.has_figures(event):
        raise NoEvent("not_counted")
    event.ts_source = record.ts_source
    cost = attributes.get("cost_usd")
    if cost is not None:
        event.cost_usd = money(cost)
        event.cost_source = "vendor"
    request = calls.of_request(name(attributes.get("request_id")))
    event.event_id = (
        event_id(words.PRODUCT, "model_call", request)
        if request is not None
        else event_id(words.PRODUCT, "model_call", session, place_of(record))
    )
    intake.add(event)


def _read_user_prompt(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    event, session = _start("user_message", resource, record)
    _end_resuming(event, intake)
    key = event.turn_id or name(get("message.uuid")) or f"{session}\0{place_of(record)}"
    command = command_name(get("command_name"))
    source = name(get("command_source"))
    if command is not None:
        invoked, _ = _start("slash_command", resource, record)
        # One prompt holds one command, so that a redacted name joins the transcript's real one.
        identify(invoked, key)
        invoked.slash_command = command
        invoked.command_source = source
        if command in words.REDACTED:
            invoked.quality = "redacted_name"
        intake.add(invoked)
        if not words.starts_a_turn(command, source):
            return
    identify(event, key)
    event.prompt_length = length(get("prompt_length"))
    intake.add(event)


def _read_tool_result(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    tool = name(get("tool_name")) or "unknown"
    event, session = _start("tool_call", resource, record)
    details = _details(get("tool_parameters"))
    name_tool(event, tool, details.mcp_server_name, details.mcp_tool_name)
    event.tool_call_id = name(get("tool_use_id"))
    event.success = flag(get("success"))
    event.duration_ms = milliseconds(get("duration_ms"))
    event.decision_source = words.decision_source(get("decision_source"))
    event.decision = "accept" if event.decision_source else None
    key = event.tool_call_id or f"{session}\0{place_of(record)}"
    identify(event, key)
    if tool in words.NAMING_A_FILE:
        arguments = _details(get("tool_input"))
        path = arguments.file_path or arguments.notebook_path
        if path:
            patches.set_file(event, path)
        if tool in words.FILE_CHANGING and event.success is not False:
            # A Write may create the file or overwrite it.
            is_new = tool == "Write" and event.file_path_hash is not None
            change = changed_file(event, key, "created" if is_new else "edited", _new)
            if tool == "Write" or event.file_path_hash is None:
                change.quality = "estimated"
            intake.add(change)
    intake.add(event)
    created, sha = _created(event, details) if tool in words.SHELLS else ([], None)
    intake.add_all(creations_of(event, created, sha, key, _new))


def _created(call: Event, details: _Details) -> tuple[list[shell.Created], str | None]:
    """What a command line made, and the id of a commit that the record names."""
    creations = shell.creations(details.full_command) if details.full_command else ()
    created = list(shell.made(creations, call.success, None))
    sha = shell.commit_id(details.git_commit_id)
    if sha is not None and not any(one.kind == "git_commit" for one in created):
        ordinals = (n for n, creation in enumerate(creations) if creation.kind == "git_commit")
        created.append(shell.Created("git_commit", next(ordinals, 0)))
    return created, sha


def _read_tool_decision(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    mode = name(get("permission_mode"))
    rejected = get("decision") == "reject"
    if mode is not None:
        _add_mode(resource, record, mode, intake)
    elif not rejected:
        intake.drop("redundant")
    if not rejected:
        return
    tool = name(get("tool_name")) or "unknown"
    event, session = _start("tool_call", resource, record)
    details = _details(get("tool_parameters"))
    name_tool(event, tool, details.mcp_server_name, details.mcp_tool_name)
    event.tool_call_id = name(get("tool_use_id"))
    event.success = False
    event.decision = "reject"
    event.decision_source = words.decision_source(get("source"))
    key = event.tool_call_id or f"{session}\0{place_of(record)}"
    identify(event, key)
    intake.add(event)


def _add_mode(resource: Resource, record: Log, mode: str, intake: Intake) -> None:
    level = words.WORDS.autonomy.get(mode or "")
    event, session = _start("mode_change", resource, record)
    turn = event.turn_id or str(record.time_ms)
    identify(event, session, turn, mode)
    if level is None or event.event_id in intake:
        intake.drop("not_counted" if level is None else "redundant")
        return
    event.autonomy = level
    event.autonomy_raw = mode
    intake.add(event)


def _read_permission_mode_changed(resource: Resource, record: Log, intake: Intake) -> None:
    mode = name(record.attributes.get("to_mode"))
    if mode is None:
        intake.drop("not_counted")
    else:
        _add_mode(resource, record, mode, intake)


def _read_skill_activated(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    skill = name(get("skill.name"))
    if skill is None:
        raise NoEvent("not_counted")
    event, session = _start("skill", resource, record)
    identify(event, event.turn_id or session, skill)
    event.skill = skill
    event.skill_source = name(get("skill.source"))
    event.source_detail = name(get("invocation_trigger"))
    if skill in words.REDACTED:
        event.quality = "redacted_name"
    intake.add(event)


def _read_hook_execution(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    started = whole(get("num_hooks"))
    hook = name(get("hook_event"))
    matched = (name(get("hook_name")) or "").partition(":")[2]
    own = words.own_hooks(hook, matched, started or 0)
    if hook is None or (started is not None and started - own < 1):
        raise NoEvent("not_counted")
    event, session = _start("hook", resource, record)
    identify(event, session, place_of(record), hook)
    event.hook_event = hook
    event.hook_matcher = matched
    event.count = repetitions_of(started if started is None else started - own)
    succeeded = whole(get("num_success"))
    if started is not None and succeeded is not None:
        # One event has one outcome: where some of several hooks failed, none is reported.
        event.success = {started: True, 0: None if own else False}.get(succeeded)
    if own:
        mark(event, "estimated")
    intake.add(event)
    _begin_resuming(event, intake)


def place_of(record: Log) -> str:
    """What distinguishes a record without an id from the others of its session.

    Its number alone would not: a resumed session counts from the beginning again.
    """
    return f"{record.time_ms}\0{record.attributes.get('event.sequence', '')}"


READERS: dict[str, Callable[[Resource, Log, Intake], None]] = {
    "api_request": _read_api_request,
    "user_prompt": _read_user_prompt,
    "tool_result": _read_tool_result,
    "tool_decision": _read_tool_decision,
    "permission_mode_changed": _read_permission_mode_changed,
    "skill_activated": _read_skill_activated,
    "hook_execution_complete": _read_hook_execution,
}
