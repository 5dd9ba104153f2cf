"""Reading what a headless Droid run printed (`droid exec --output-format stream-json`) as a file.

Builds differ: times are ISO text or milliseconds, the session is `session_id` or `sessionId`, a
call's id is `toolCallId` or the line's own `id`. The usage of the last line is the run's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.calls import Call, consequences
from stationmaster.agents.droid import tooling, words
from stationmaster.agents.droid.lines import StreamLine, Usage, decode_stream_line, value_of
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.interface import Blank, Blanks, Intake, InvalidRecord, blank_of
from stationmaster.agents.values import (
    LineReader,
    NotJson,
    moment,
    name,
    text_of_parts,
    tokens,
    whole,
)
from stationmaster.events.model import Event, Kind, identify_in_session

_BLANKS = Blanks(PRODUCT, "stream_json")
_TYPES = frozenset({"system", "message", "tool_call", "tool_result", "completion"})
_UNCOUNTED = frozenset({"error", "reasoning"})
_MARKS_OF_OTHERS = (b'"uuid"', b'"parentUuid"')


class _Run(msgspec.Struct, omit_defaults=True):
    session: str | None = None
    at: int | None = None
    model: str | None = None
    effort: str | None = None
    open_calls: dict[str, Call] = {}


def is_stream(line: bytes) -> bool:
    """Is the first line of a file one of such a stream? In those of other agents it has no time,
    and in their session files an id of another name."""
    try:
        first = decode_stream_line(line)
    except NotJson:
        return False
    is_timed = moment(first.timestamp) is not None
    if first.type not in _TYPES or not is_timed or _session_of(first) is None:
        return False
    is_said = first.type != "message" or first.text is not None
    return is_said and not any(mark in line for mark in _MARKS_OF_OTHERS)


class DroidStream(LineReader[StreamLine]):
    """See agent.Transcript. Calls without a result are kept in the state, reported by `finish`."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        self._now: _Run = msgspec.convert(state, _Run) if state else _Run()
        self._blanks: dict[Kind, Blank] = {}

    decode = staticmethod(decode_stream_line)

    def finish(self, intake: Intake) -> None:
        """Add copies of the tool calls that have no result yet."""
        for call in self._now.open_calls.values():
            intake.add(blank_of(call.event)())

    def _read(self, record: StreamLine, intake: Intake) -> None:
        now = self._now
        session, at = _session_of(record), moment(record.timestamp)
        if session is not None and session != now.session:
            now.session = session
            self._blanks.clear()
        now.at = now.at if at is None else at
        if record.type == "system":
            self._read_system(record, intake)
        elif record.type == "message":
            self._read_message(record, intake)
        elif record.type == "tool_call":
            self._open(record, intake)
        elif record.type == "tool_result":
            self._settle(record, intake)
        elif record.type == "completion" and record.usage is not None:
            self._add_usage(record.usage, intake)
        else:
            is_known = record.type in _UNCOUNTED or record.type in _TYPES
            intake.drop("not_counted" if is_known else "unknown_record")

    def _event(self, kind: Kind) -> Event:
        """A fresh event at the time of the current line, with what all events share."""
        make = self._blanks.get(kind)
        if make is None:
            event = _BLANKS[kind]()
            event.session_id = event.root_session_id = self._now.session
            event.client, event.surface = words.client_of("exec")
            if self._now.session is None:
                event.quality = "no_session"
            make = self._blanks[kind] = blank_of(event)
        if self._now.at is None:
            raise InvalidRecord("a line has no time")
        event = make()
        event.ts = self._now.at
        return event

    def _read_system(self, record: StreamLine, intake: Intake) -> None:
        self._now.model = words.model(record.model)
        self._now.effort = name(record.reasoning_effort)
        event = self._event("session_context")
        identify_in_session(event)
        event.model = self._now.model
        if record.cwd:
            event.cwd_hash = intake.folder(event.session_id or "", record.cwd)
        intake.add(event)

    def _read_message(self, record: StreamLine, intake: Intake) -> None:
        length = len(words.own_words(record.text or ""))
        if length == 0 or record.role not in ("user", "assistant"):
            intake.drop("not_counted")
            return
        event = self._event("user_message" if record.role == "user" else "assistant_message")
        place = name(record.id) or f"{self._now.at}\0{record.role}"
        identify_in_session(event, place)
        if record.role == "user":
            event.prompt_length = length
        intake.add(event)

    def _open(self, record: StreamLine, intake: Intake) -> None:
        event = self._event("tool_call")
        tool = record.tool_name or record.tool_id
        call_id = name(record.tool_call_id) or name(record.id)
        call = tooling.asked(event, tool, call_id, str(event.ts), record.parameters)
        if call_id is None:
            intake.add(event)
        else:
            self._now.open_calls[call_id] = call

    def _settle(self, record: StreamLine, intake: Intake) -> None:
        call_id = name(record.tool_call_id) or name(record.id)
        call = self._now.open_calls.pop(call_id or "", None)
        if call is None:
            intake.drop("redundant")
            return
        output, code = _answer(record)
        tooling.settle(call, record.is_error or code not in (None, 0), output)
        intake.add(call.event)
        intake.add_all(consequences(call, self._event, output))

    def _add_usage(self, usage: Usage, intake: Intake) -> None:
        event = self._event("model_call")
        identify_in_session(event, "run", str(event.ts))
        event.input_tokens = tokens(usage.input_tokens)
        event.output_tokens = tokens(usage.output_tokens)
        event.cache_read_tokens = tokens(usage.cache_read_input_tokens)
        event.cache_write_tokens = tokens(usage.cache_creation_input_tokens)
        event.model = self._now.model
        is_thinking = words.is_thinking(self._now.effort, None)
        event.model_tier = "thinking" if is_thinking else "standard"
        event.is_aggregate = True
        intake.add(event)


def _session_of(record: StreamLine) -> str | None:
    return name(record.session_id) or name(record.session_id_camel)


def _answer(record: StreamLine) -> tuple[str, int | None]:
    """(text, exit code) of a result: a text by itself, or a command's output and code."""
    if bytes(record.value)[:1] != b"{":
        return text_of_parts(record.value), None
    value = value_of(record.value)
    return value.stdout or "", whole(value.exit_code)
