"""Reading a Qwen Code chat file.

Rules: a model call is a copy of its exported record (`ui_telemetry`), else the usage of the model's
message; a tool call is named by its request and settled by its result, and its copy shows who let
it run. A helper's calls have their copies in the file of the session that it helps.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec.structs import astuple

from stationmaster.agents.calls import Call
from stationmaster.agents.gemini_lineage import calls, chats, otlp
from stationmaster.agents.gemini_lineage.words import autonomy, plain_name, verdict
from stationmaster.agents.interface import (
    Blank,
    Blanks,
    Intake,
    InvalidRecord,
    Log,
    NoEvent,
    Resource,
    Transcript,
    blank,
)
from stationmaster.agents.qwen_code import words
from stationmaster.agents.qwen_code.lines import (
    FunctionCall,
    Line,
    MessagePart,
    Payload,
    answer_name,
    decode_line,
    glued,
    payload_of,
)
from stationmaster.agents.values import NotJson, model_name, name, take, time_ms
from stationmaster.events.model import Event, Kind, identify_in_session, merge

BLANKS = Blanks(words.PRODUCT, "transcript")
_COPIES: dict[Kind, Blank] = {
    # The copy of a model call has the id of its export, which the model's message has not.
    "model_call": blank(words.PRODUCT, "model_call", "sidecar"),
    "tool_call": BLANKS["tool_call"],
}
_logs = otlp.Logs(words.LINEAGE, _COPIES, reports_consequences=False)
_COPIED = frozenset({"api_response", "tool_call"})
_OUTCOMES = {"success": True, "error": False, "cancelled": False}
_COMMAND = re.compile(r"\s*/?([\w:.-]{1,100})", re.ASCII)


class State(msgspec.Struct, omit_defaults=True):
    """What the file has reported of its session so far; identifiers and half-read calls."""

    id: str = ""
    context: tuple[str | None, ...] | None = None
    version: str | None = None
    mode: str | None = None
    turn: str | None = None
    has_copies: bool = False
    open_calls: dict[str, Call] = {}


class QwenTranscript(Transcript):
    """See agent.Transcript. Calls without a result are kept in the state, reported by `finish`."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._now: State = msgspec.convert(state, State) if state else State()
        self._now.id = self._now.id or name(chats.stem_of(path)) or ""

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line, or several records that a crash left on one; rejects the rest."""
        if not line.strip():
            return
        if not self._take(line, intake):
            pieces, is_whole = glued(line.strip())
            taken = [self._take(piece, intake) for piece in pieces]
            if not (is_whole and all(taken)):
                intake.reject("a line is not JSON")

    def finish(self, intake: Intake) -> None:
        """Add copies of the tool calls that have no result yet."""
        for call in self._now.open_calls.values():
            intake.add(msgspec.structs.replace(call.event))

    def _take(self, text: bytes, intake: Intake) -> bool:
        """Read one object; False for what is none."""
        try:
            record = decode_line(text)
        except NotJson:
            return False
        take(self._read, record, intake)
        return True

    def _read(self, record: Line, intake: Intake) -> None:
        if record.type is None:
            # The totals of a process, in a file of their own, repeat what its chats report.
            intake.drop("redundant" if record.session_id else "unknown_record")
        elif bytes(record.forked_from) not in (b"", b"null"):
            intake.drop("redundant")
        else:
            self._now.id = name(record.session_id) or self._now.id
            self._now.turn = name(record.prompt_id) or self._now.turn
            self._note_context(record, intake)
            if record.type == "user":
                self._read_user(record, intake)
            elif record.type == "assistant":
                self._read_assistant(record, intake)
            elif record.type == "tool_result":
                self._read_result(record, intake)
            else:
                self._read_system(record, intake)

    def _start(self, kind: Kind, record: Line, *key: str) -> Event:
        ts = time_ms(record.timestamp)
        if ts is None:
            raise InvalidRecord("a record has no time")
        event = BLANKS[kind]()
        event.ts = ts
        event.turn_id = self._now.turn
        self._place(event, record)
        identify_in_session(event, *(key or (name(record.uuid) or str(ts),)))
        return event

    def _place(self, event: Event, record: Line) -> None:
        """Set whose event it is and in which mode."""
        now = self._now
        event.session_id = event.root_session_id = now.id
        event.product_version = now.version
        event.autonomy, event.autonomy_raw = autonomy(now.mode), now.mode
        if record.is_sidechain or record.agent_id is not None:
            event.is_subagent = True
            event.agent_id, event.agent_type = name(record.agent_id), name(record.agent_name)

    def _note_context(self, record: Line, intake: Intake) -> None:
        """Report a new folder, branch or version once."""
        now = self._now
        now.version = name(record.version) or now.version
        if record.cwd is None and record.version is None:
            return
        folder = intake.folder(now.id, record.cwd) if record.cwd else None
        context = (now.id, now.version, name(record.git_branch), folder)
        if context == now.context or time_ms(record.timestamp) is None:
            return
        now.context = context
        event = self._start("session_context", record, *(part or "" for part in context))
        event.branch, event.cwd_hash = name(record.git_branch), folder
        intake.add(event)

    def _read_user(self, record: Line, intake: Intake) -> None:
        length = None
        if (
            record.subtype in (None, "mid_turn_user_message")
            and record.provenance in (None, "real_user")
            and not record.is_sidechain
            and record.agent_id is None
        ):
            length = chats.prompt_length(record.message.parts if record.message else [])
        if length is None:
            raise NoEvent("not_counted")
        event = self._start("user_message", record)
        typed = payload_of(record.system_payload).display_text
        event.prompt_length = len(typed) if isinstance(typed, str) else length
        intake.add(event)

    def _read_assistant(self, record: Line, intake: Intake) -> None:
        calls = [part.function_call for part in (record.message.parts if record.message else [])]
        has_call = self._add_usage(record, intake)
        for call in calls:
            if call is not None:
                self._open(record, call, intake)
        if not has_call and not any(calls):
            intake.drop("not_counted")

    def _add_usage(self, record: Line, intake: Intake) -> bool:
        """Is the message a model call that has no copy of its export?"""
        metadata = record.usage_metadata
        if metadata is None or self._now.has_copies:
            return False
        usage = calls.usage_of(*astuple(metadata))
        if not any(usage):
            return False
        event = self._start("model_call", record)
        calls.set_tokens(event, usage, words.LINEAGE.has_thoughts_in_output)
        event.model = model_name(record.model)
        intake.add(event)
        return True

    def _open(self, record: Line, function_call: FunctionCall, intake: Intake) -> None:
        """A request of a tool."""
        tool, arguments = (
            name(function_call.name) or "unknown",
            calls.arguments_of(function_call.args),
        )
        if tool == words.WRAPPER and name(arguments.name) is not None:
            tool, arguments = name(arguments.name) or tool, calls.arguments_of(arguments.arguments)
        call = self._call(record, name(function_call.id), tool, arguments)
        if call.event.tool_call_id is None:
            intake.add(call.event)
        else:
            self._now.open_calls[call.event.tool_call_id] = call

    def _call(
        self, record: Line, call_id: str | None, tool: str, arguments: calls.Arguments
    ) -> Call:
        event = self._start("tool_call", record, call_id or f"{record.uuid}\0{tool}")
        event.tool_call_id = call_id
        calls.name_tool(event, tool)
        return calls.take(event, arguments)

    def _read_result(self, record: Line, intake: Intake) -> None:
        """A tool's result, which settles its call."""
        result = record.tool_call_result
        parts: list[MessagePart] = record.message.parts if record.message else []
        answered = next((part for part in parts if bytes(part.function_response)), None)
        if result is None:
            raise NoEvent("redundant")
        call = self._now.open_calls.pop(result.call_id or "", None)
        if call is None:
            tool = (answer_name(answered) if answered else None) or "unknown"
            call = self._call(
                record, name(result.call_id), name(tool) or "unknown", calls.Arguments()
            )
        event = call.event
        event.success = _OUTCOMES.get(result.status or "")
        text = chats.text_of_part(answered) if answered else None
        chats.settle(event, text)
        refusal = verdict(None, result.error_type, words.LINEAGE.accepts_by_person, None, None)
        if refusal.decision is not None:
            event.decision, event.decision_source = refusal
        answer = calls.Answer(text, calls.display_of(result.result_display))
        intake.add_all(calls.events_of(BLANKS, call, answer))

    def _read_system(self, record: Line, intake: Intake) -> None:
        if record.subtype == "ui_telemetry":
            self._read_copy(record, payload_of(record.system_payload), intake)
        elif record.subtype == "slash_command":
            self._read_command(record, payload_of(record.system_payload), intake)
        elif record.subtype == "session_approval_mode":
            self._read_mode(record, payload_of(record.system_payload), intake)
        else:
            intake.drop("not_counted" if record.type == "system" else "unknown_record")

    def _read_copy(self, record: Line, payload: Payload, intake: Intake) -> None:
        """A copy of an exported record."""
        fields = payload.ui_event or {}
        called = name(fields.get("event.name")) or ""
        if plain_name(called, words.PREFIX) not in _COPIED:
            raise NoEvent("not_counted")
        stamp = time_ms(fields.get("event.timestamp")) or time_ms(record.timestamp)
        if stamp is None:
            raise InvalidRecord("a record has no time")
        sender = Resource(words.PRODUCT, self._now.version, {}, stamp)
        own = Intake()
        attributes = {**fields, "session.id": self._now.id}
        _logs.read(sender, Log(called, stamp, "event", attributes), own)
        for reason, count in own.drops.items():
            intake.drop(reason, count)
        for event in own.events:
            self._place_copy(event, fields, record, intake)

    def _place_copy(
        self, event: Event, fields: dict[str, Any], record: Line, intake: Intake
    ) -> None:
        is_subagent = event.is_subagent
        self._place(event, record)
        event.is_subagent = event.is_subagent or is_subagent
        if event.kind == "model_call":
            self._now.has_copies = True
            intake.add(event)
            return
        call = self._waiting(event)
        if call is not None:
            # The result follows.
            merge(call.event, event)
            return
        if event.tool_call_id is None:
            intake.drop("redundant")
            return
        # A helper's call: its request and its result are in no file, or in another.
        made = calls.take(event, calls.arguments_of(fields.get("function_args")))
        answer = calls.Answer(display=calls.display_of({"diffStat": fields.get("metadata")}))
        intake.add_all(calls.events_of(BLANKS, made, answer))

    def _waiting(self, copy: Event) -> Call | None:
        """The call without a result that a copy is of; older copies do not name it."""
        if copy.tool_call_id is not None:
            return self._now.open_calls.get(copy.tool_call_id)
        for call in self._now.open_calls.values():
            if call.event.tool_raw == copy.tool_raw and call.event.duration_ms is None:
                return call
        return None

    def _read_command(self, record: Line, payload: Payload, intake: Intake) -> None:
        """A command as a person gave it; the record of its result follows."""
        raw = payload.raw_command
        match = _COMMAND.match(raw) if isinstance(raw, str) else None
        if match is None or payload.phase != "invocation":
            raise NoEvent("not_counted")
        event = self._start("slash_command", record)
        event.slash_command = match.group(1)
        intake.add(event)

    def _read_mode(self, record: Line, payload: Payload, intake: Intake) -> None:
        mode = name(payload.mode)
        if autonomy(mode) is None:
            raise NoEvent("not_counted")
        self._now.mode = mode
        intake.add(self._start("mode_change", record))
