"""Reading a Copilot session file: one line per thing that happened.

Rules: a tool call is named by its request or its start and settled by its completion; a call that
was only asked for, or asked for by a person, is none of the agent's; everything else is an event
immediately.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stationmaster.agents.calls import Call
from stationmaster.agents.copilot_cli import calls, legs, words
from stationmaster.agents.copilot_cli.lines import Context, Data, Line, Metrics, decode_line
from stationmaster.agents.copilot_cli.place import OpenCall, TranscriptState
from stationmaster.agents.interface import Intake, NoEvent, blank_of
from stationmaster.agents.patches import of_texts
from stationmaster.agents.values import LineReader, milliseconds, moment, name, text, whole
from stationmaster.events.model import Event, identify

_CALLS_KEPT = 1_000
_BOOKKEEPING = words.WORDS.names["bookkeeping"]
"""Line types that carry nothing to count. Those of `session.` that are not read are all such."""


class CopilotTranscript(LineReader[Line]):
    """See agent.Transcript. Calls without an outcome stay in the state; `finish` reports them."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._place = TranscriptState(path, state)
        self._now = self._place.now

    decode = staticmethod(decode_line)

    def _read(self, record: Line, intake: Intake) -> None:
        at = moment(record.timestamp)
        if at is not None:
            self._place.now.at = at
        kind = record.type or ""
        reader = _READERS.get(kind)
        if reader is None or record.data is None:
            is_known = reader is not None or kind in _BOOKKEEPING or kind.startswith("session.")
            raise NoEvent("not_counted" if is_known else "unknown_record")
        self._place.line = record
        reader(self._place, record.data, intake)

    def finish(self, intake: Intake) -> None:
        """Add copies of the tool calls that have started and are not complete."""
        for call in self._place.now.calls.values():
            if call.is_started:
                intake.add(blank_of(call.call.event)())


def _read_start(place: TranscriptState, data: Data, intake: Intake) -> None:
    """The start of a session, or of a process that resumes it."""
    now = place.now
    now.id = name(data.session_id) or now.id
    now.version = name(data.copilot_version) or now.version
    now.model = name(data.selected_model) or now.model
    now.effort = name(data.reasoning_effort) or now.effort
    now.is_auxiliary = now.is_auxiliary or data.detached_from is not None
    # Who resumes a session may do so elsewhere, and with other permissions.
    now.client = now.mode = now.permissions = None
    place.turn_page()
    _add_context(place, data.context or data, intake)


def _read_context_changed(place: TranscriptState, data: Data, intake: Intake) -> None:
    if data.pending_git_context:
        # The same follows with what git reports.
        raise NoEvent("redundant")
    _add_context(place, data, intake)


def _add_context(place: TranscriptState, context: Context, intake: Intake) -> None:
    event = place.identified("session_context", place.line_id())
    place.set_context(event, context, intake)
    intake.add(event)


def _read_model_change(place: TranscriptState, data: Data, intake: Intake) -> None:
    place.now.model = name(data.new_model) or place.now.model
    place.now.effort = name(data.reasoning_effort) or place.now.effort
    intake.drop("not_counted")


def _read_mode_changed(place: TranscriptState, data: Data, intake: Intake) -> None:
    _change_mode(place, name(data.new_mode), place.now.permissions, intake)


def _read_permissions_changed(place: TranscriptState, data: Data, intake: Intake) -> None:
    mode = words.permissions(data.mode, data.allow_all_permission_mode, data.allow_all_permissions)
    _change_mode(place, place.now.mode, mode, intake)


def _change_mode(
    place: TranscriptState, mode: str | None, permissions: str | None, intake: Intake
) -> None:
    now = place.now
    if (mode, permissions) == (now.mode, now.permissions):
        intake.drop("not_counted")
        return
    now.mode, now.permissions = mode, permissions
    place.turn_page()
    event = place.identified("mode_change", place.line_id())
    if event.autonomy is None:
        intake.drop("not_counted")
    else:
        intake.add(event)


def _read_permission_requested(place: TranscriptState, data: Data, intake: Intake) -> None:
    """A person was asked, at a terminal: programs have no person to ask."""
    if place.now.client != "terminal-ui":
        place.now.client = "terminal-ui"
        place.turn_page()
    mode = name(data.agent_mode) or place.now.mode
    _change_mode(place, mode, name(data.permission_mode) or place.now.permissions, intake)


def _read_shutdown(place: TranscriptState, data: Data, intake: Intake) -> None:
    intake.add(place.identified("session_end", place.line_id()))
    if data.model_metrics is not None:
        legs.read_sums(place, data.model_metrics, intake)


def _read_user_message(place: TranscriptState, data: Data, intake: Intake) -> None:
    now = place.now
    prompt = text(data.content)
    if (
        data.source not in (None, "", "user")
        or data.is_autopilot_continuation
        or place.line.agent_id is not None
        or prompt.startswith(words.NOTICE)
    ):
        raise NoEvent("not_counted")
    # Headless runs are interactive by name, whatever they allow; other modes were chosen.
    mode = name(data.agent_mode)
    if mode is not None and (mode != "interactive" or now.mode is not None):
        _change_mode(place, mode, now.permissions, intake)
    for unstarted_id in [
        call_id for call_id, open_call in now.calls.items() if not open_call.is_started
    ]:
        del now.calls[unstarted_id]
    interaction = name(data.interaction_id)
    is_further = interaction is not None and interaction == now.interaction
    now.interaction = interaction
    key = (interaction,) if interaction is not None else (place.line_id(),)
    event = place.identified("user_message", *key, *((place.line_id(),) if is_further else ()))
    event.prompt_length = len(prompt)
    intake.add(event)


def _read_assistant_message(place: TranscriptState, data: Data, intake: Intake) -> None:
    for request in data.tool_requests or ():
        call_id = name(request.tool_call_id)
        if call_id is not None and call_id not in place.now.calls:
            server, tool = name(request.mcp_server_name), name(request.mcp_tool_name)
            arguments = calls.arguments_of(request.arguments)
            _open_call(place, call_id, (name(request.name), server, tool), arguments)
    legs.read_message(place, data, intake)


def _read_usage_record(place: TranscriptState, data: Data, intake: Intake) -> None:
    if data.usage is None:
        intake.drop("not_counted")
    else:
        legs.read_record(place, data.usage, intake)


def _read_hook_start(place: TranscriptState, data: Data, intake: Intake) -> None:
    kind = name(data.hook_type)
    if kind is None:
        raise NoEvent("not_counted")
    event = place.identified("hook", name(data.hook_invocation_id) or place.line_id())
    event.hook_event, event.hook_matcher = words.hook_event(kind), ""
    event.source_detail = kind
    intake.add(event)
    client = words.client_of_end(data.input.reason) if kind == "sessionEnd" and data.input else None
    if client is not None:
        place.now.client = client
        place.turn_page()


def _read_skill(place: TranscriptState, data: Data, intake: Intake) -> None:
    skill = name(data.name)
    if skill is None:
        raise NoEvent("not_counted")
    event = place.identified("skill", place.line_id())
    event.skill = skill
    event.skill_source = name(data.source) or name(data.plugin_name)
    event.source_detail = name(data.trigger)
    intake.add(event)


_Names = tuple[str | None, str | None, str | None]
"""A tool's name, and the server and the tool of it when it is a server's."""


def _open_call(
    place: TranscriptState, call_id: str | None, names: _Names, arguments: calls.Arguments
) -> OpenCall:
    event = place.event("tool_call")
    event.tool_call_id = call_id
    key = call_id or place.line_id()
    identify(event, place.now.id, key)
    words.name_tool(event, *names)
    opened = OpenCall(calls.read(event, key, arguments))
    if call_id is not None and len(place.now.calls) < _CALLS_KEPT:
        place.now.calls[call_id] = opened
    return opened


def _read_user_requested(place: TranscriptState, data: Data, intake: Intake) -> None:
    call_id = name(data.tool_call_id)
    if call_id is not None and len(place.now.asked_by_person) < _CALLS_KEPT:
        place.now.asked_by_person.append(call_id)
    intake.drop("not_counted")


def _read_tool_start(place: TranscriptState, data: Data, intake: Intake) -> None:
    call_id = name(data.tool_call_id)
    if call_id in place.now.asked_by_person:
        raise NoEvent("not_counted")
    names = name(data.tool_name), name(data.mcp_server_name), name(data.mcp_tool_name)
    opened = _open_call(place, call_id, names, calls.arguments_of(data.arguments))
    opened.is_started = True
    if call_id is None:
        intake.add(opened.call.event)


def _read_permission_completed(place: TranscriptState, data: Data, intake: Intake) -> None:
    opened = place.now.calls.get(name(data.tool_call_id) or "")
    kind = data.result.kind if data.result is not None else None
    if opened is not None and kind is not None:
        is_denied = kind.startswith(("denied", "rejected"))
        opened.call.event.decision = "reject" if is_denied else "accept"
        opened.call.event.decision_source = words.decision_source(data.decision_source)
    intake.drop("not_counted")


def _read_tool_complete(place: TranscriptState, data: Data, intake: Intake) -> None:
    now = place.now
    call_id = name(data.tool_call_id)
    opened = now.calls.pop(call_id or "", None)
    if data.is_user_requested or call_id in now.asked_by_person:
        now.asked_by_person = [other for other in now.asked_by_person if other != call_id]
        raise NoEvent("not_counted")
    if opened is None:
        opened = _open_call(place, call_id, (None, None, None), calls.Arguments())
        now.calls.pop(call_id or "", None)
    call = opened.call
    output = text(data.result.content) if data.result is not None else ""
    _settle(place, call.event, data, output)
    are_lines_known = _set_files(place, call, data)
    for event in calls.events_of(call, place.event, output):
        if event.kind == "file_change" and not are_lines_known:
            event.lines_added = event.lines_removed = None
        intake.add(event)


def _settle(place: TranscriptState, event: Event, data: Data, output: str) -> None:
    """Set what the line of its completion reports of a call."""
    code = whole(data.shell_execution.exit_code) if data.shell_execution is not None else None
    if code is None and event.tool_raw in words.SHELLS:
        code = words.exit_code(output)
    event.success = data.success
    if code is not None:
        event.success = data.success is not False and code == 0
    if data.error is not None and words.is_refusal(data.error.code):
        event.success, event.decision = False, "reject"
    # Who is asked about a call shows in which mode it runs.
    event.autonomy = event.autonomy or words.autonomy(place.now.mode, place.now.permissions)
    event.client = event.client or place.now.client
    metrics = _metrics(data)
    took = milliseconds(metrics.duration_ms) if metrics is not None else None
    at = place.now.at
    event.duration_ms = max(at - event.ts, 0) if took is None and at is not None else took


def _set_files(place: TranscriptState, call: Call, data: Data) -> bool:
    """Set the files that a call has changed: those its arguments name, else those its outcome
    names. Are their lines known?"""
    metrics = _metrics(data)
    edits = [
        (op, edit.path)
        for edit in data.file_edits or ()
        if edit.path and (op := words.file_op(edit.kind)) is not None
    ]
    is_named = bool(call.files)
    if not is_named:
        call.files = tuple(of_texts(op, path, (), place.now.id) for op, path in edits)
    elif len(call.files) == len(edits) == 1:
        # A tool that creates files may have found one.
        call.files[0].op = edits[0][0]
    added = milliseconds(metrics.lines_added) if metrics is not None else None
    removed = milliseconds(metrics.lines_removed) if metrics is not None else None
    if added is None or removed is None or len(call.files) != 1:
        return is_named
    call.files[0].added, call.files[0].removed = added, removed
    return True


def _metrics(data: Data) -> Metrics | None:
    return data.tool_telemetry.metrics if data.tool_telemetry is not None else None


_READERS: dict[str, Callable[[TranscriptState, Data, Intake], None]] = {
    "session.start": _read_start,
    "session.resume": _read_start,
    "session.context_changed": _read_context_changed,
    "session.model_change": _read_model_change,
    "session.mode_changed": _read_mode_changed,
    "session.permissions_changed": _read_permissions_changed,
    "session.shutdown": _read_shutdown,
    "session.usage_record": _read_usage_record,
    "permission.requested": _read_permission_requested,
    "permission.completed": _read_permission_completed,
    "user.message": _read_user_message,
    "assistant.message": _read_assistant_message,
    "hook.start": _read_hook_start,
    "skill.invoked": _read_skill,
    "tool.user_requested": _read_user_requested,
    "tool.execution_start": _read_tool_start,
    "tool.execution_complete": _read_tool_complete,
}
