"""Reading a Droid session file: messages, and the tool calls and hooks in them; and the stream of
a headless run.

The file has no tokens, and the mode of a message without its level: both are in the settings next
to it, of which the current level is taken here (see `sidecar` for the tokens).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import msgspec

from stationmaster.agents.calls import Call, events_of
from stationmaster.agents.droid import settings, tooling, words
from stationmaster.agents.droid.lines import (
    Block,
    Line,
    Message,
    StreamLine,
    Usage,
    blocks_of,
    decode_line,
    decode_stream_line,
    value_of,
    words_of,
)
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.interface import (
    Blanks,
    Intake,
    InvalidRecord,
    NoEvent,
    Prepared,
    blank_of,
)
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import (
    LineReader,
    NotJson,
    hook_success,
    moment,
    name,
    text_of_parts,
    tokens,
    whole,
)
from stationmaster.events.model import Event, Kind, identify, identify_in_session

_STREAM_BLANKS = Blanks(PRODUCT, "stream_json")
_TYPES = frozenset({"system", "message", "tool_call", "tool_result", "completion"})
_UNCOUNTED = frozenset({"error", "reasoning"})
_MARKS_OF_OTHERS = (b'"uuid"', b'"parentUuid"')

_BLANKS = Blanks(PRODUCT, "transcript")
_BOOKKEEPING = frozenset({"todo_state", "compaction_state", "session_end"})
_VISIBLE = frozenset({"text", "tool_use"})
_OWN_PROGRAM = "stationmaster"
_HOOKS_MAX = 100


Record = TypeVar("Record", Line, StreamLine)


class _State(msgspec.Struct, omit_defaults=True):
    """What the lines have reported so far; all of it is small enough to keep as state."""

    at: int | None = None
    open_calls: dict[str, Call] = {}


class _Lines(LineReader[Record]):
    """See agent.Transcript. Calls without a result are kept in the state, reported by `finish`."""

    _now: _State

    def __init__(self, state: _State) -> None:
        self._now = state
        self._blanks = Prepared(self._begun)

    def finish(self, intake: Intake) -> None:
        """Add copies of the tool calls that have no result yet."""
        for call in self._now.open_calls.values():
            intake.add(blank_of(call.event)())

    def _event(self, kind: Kind) -> Event:
        """A fresh event at the time of the current line, with what all events share."""
        if self._now.at is None:
            raise InvalidRecord("a line has no time")
        event = self._blanks[kind]()
        event.ts = self._now.at
        return event

    @abstractmethod
    def _begun(self, kind: Kind) -> Event:
        """An event with what those of the session share."""


class _Session(_State, omit_defaults=True):
    id: str = ""
    version: str | None = None
    account: str | None = None
    folder: str | None = None
    """The hash of the session's folder, until a line has it."""
    # States are stored: this member keeps its older name there.
    is_context_sent: bool = msgspec.field(default=False, name="is_told")
    mode: str | None = None
    # States are stored: this member keeps its older name there.
    reported_mode: str | None = msgspec.field(default=None, name="mode_told")


class DroidTranscript(_Lines[Line]):
    """A session file."""

    _now: _Session

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        super().__init__(msgspec.convert(state or {}, _Session))
        if not self._now.id:
            stem = path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
            self._now.id = name(stem) or "unknown"
        self._settings = settings.next_to(path)
        self._client = self._settings.client()

    decode = staticmethod(decode_line)

    def _read(self, record: Line, intake: Intake) -> None:
        kind = record.type
        at = moment(record.timestamp)
        if at is not None:
            self._now.at = at
        if kind == "session_start":
            self._introduce(record, intake)
        elif kind == "message" and record.message is not None:
            self._add_context(intake)
            self._turn_mode(record.interaction_mode, intake)
            self._read_message(record, record.message, intake)
        else:
            intake.drop("not_counted" if kind in _BOOKKEEPING else "unknown_record")

    def _introduce(self, record: Line, intake: Intake) -> None:
        """The first line, which has no time: it is reported with the first line that has one."""
        now = self._now
        now.id = name(record.id) or now.id
        # It was the number of the format before it was the program's version.
        now.version = name(record.version)
        now.account = words.account(record.owner)
        now.folder = intake.folder(now.id, record.cwd) if record.cwd else None
        self._blanks.clear()

    def _add_context(self, intake: Intake) -> None:
        now = self._now
        if now.is_context_sent:
            return
        event = self._event("session_context")
        identify(event, now.id)
        event.cwd_hash, now.folder = now.folder, None
        now.is_context_sent = True
        intake.add(event)

    def _turn_mode(self, mode: str | None, intake: Intake) -> None:
        """Note the mode of a message, and report the level when it is another one."""
        now = self._now
        if mode is not None and mode != now.mode:
            now.mode = name(mode)
            self._blanks.clear()
        level, raw = self._settings.autonomy(now.mode)
        if raw == now.reported_mode:
            return
        now.reported_mode = raw
        self._blanks.clear()
        if level is not None:
            event = self._event("mode_change")
            identify(event, now.id, str(event.ts), raw or "")
            intake.add(event)

    def _begun(self, kind: Kind) -> Event:
        now = self._now
        event = _BLANKS[kind]()
        event.session_id = event.root_session_id = now.id
        event.product_version = now.version
        event.installation = now.account
        event.client, event.surface = self._client
        event.autonomy, event.autonomy_raw = self._settings.autonomy(now.mode)
        return event

    def _read_message(self, record: Line, message: Message, intake: Intake) -> None:
        blocks = blocks_of(message)
        if record.hook_event_name is not None:
            self._add_hooks(record, intake)
        elif message.role == "assistant":
            self._read_answer(record, blocks, intake)
        elif message.role == "user":
            self._read_question(record, blocks, intake)
        else:
            intake.drop("not_counted")

    def _read_answer(self, record: Line, blocks: list[Block], intake: Intake) -> None:
        for position, block in enumerate(blocks):
            if block.type == "tool_use":
                event = self._event("tool_call")
                place = f"{self._place(record)}\0{position}"
                call = tooling.asked(event, block.name, block.id, place, block.input)
                if event.tool_call_id is None:
                    intake.add(event)
                else:
                    self._now.open_calls[event.tool_call_id] = call
        if any(block.type in _VISIBLE for block in blocks):
            event = self._event("assistant_message")
            identify(event, self._now.id, self._place(record))
            intake.add(event)
        else:
            intake.drop("not_counted")

    def _read_question(self, record: Line, blocks: list[Block], intake: Intake) -> None:
        results = [block for block in blocks if block.type == "tool_result"]
        for block in results:
            self._settle(block, intake)
        if results:
            return
        length = words_of(blocks)
        has_content = length > 0 or any(block.type == "image" for block in blocks)
        if not has_content or not words.is_persons(record.user_message_source):
            raise NoEvent("not_counted")
        event = self._event("user_message")
        identify(event, self._now.id, self._place(record))
        event.prompt_length = length
        intake.add(event)

    def _settle(self, block: Block, intake: Intake) -> None:
        call = self._now.open_calls.pop(name(block.tool_use_id) or "", None)
        if call is None:
            intake.drop("redundant")
            return
        output = text_of_parts(block.content)
        tooling.settle(call, block.is_error, output)
        intake.add_all(events_of(call, self._event, output))

    def _add_hooks(self, record: Line, intake: Intake) -> None:
        """One event per command of a hook, except our own, which only listens."""
        hooks = record.hook_commands
        commands = hooks[:_HOOKS_MAX] if isinstance(hooks, list) and hooks else [None]
        for position, command in enumerate(commands):
            if isinstance(command, dict):
                command = command.get("command")
            program = name(shell.program(command)) if isinstance(command, str) else None
            if program == _OWN_PROGRAM:
                intake.drop("not_counted")
                continue
            event = self._event("hook")
            identify(event, self._now.id, self._place(record), str(position))
            event.hook_event = name(record.hook_event_name)
            event.hook_matcher = name(record.hook_matcher) or ""
            event.hook_command = program
            event.hook_outcome = name(record.hook_status)
            event.success = hook_success(event.hook_outcome)
            intake.add(event)

    def _place(self, record: Line) -> str:
        """A message's id within its session; its time where it has none."""
        return name(record.id) or str(self._now.at)


class _Run(_State, omit_defaults=True):
    session: str | None = None
    model: str | None = None
    effort: str | None = None


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
    has_content = first.type != "message" or first.text is not None
    return has_content and not any(mark in line for mark in _MARKS_OF_OTHERS)


class DroidStream(_Lines[StreamLine]):
    """What a headless run prints."""

    _now: _Run

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        super().__init__(msgspec.convert(state or {}, _Run))

    decode = staticmethod(decode_stream_line)

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

    def _begun(self, kind: Kind) -> Event:
        event = _STREAM_BLANKS[kind]()
        event.session_id = event.root_session_id = self._now.session
        event.client, event.surface = words.client_of("exec")
        if self._now.session is None:
            event.quality = "no_session"
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
            raise NoEvent("not_counted")
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
            raise NoEvent("redundant")
        output, code = _answer(record)
        tooling.settle(call, record.is_error or code not in (None, 0), output)
        intake.add_all(events_of(call, self._event, output))

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
