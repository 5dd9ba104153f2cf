"""Reading a Droid session file: messages, and the tool calls and hooks in them.

It has no tokens, and the mode of a message without its level: both stand in the settings beside
it, of which the level that holds now is taken here (see `sidecar` for the tokens).
"""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.calls import Call, consequences
from stationmaster.agents.droid import settings, tooling, words
from stationmaster.agents.droid.lines import Block, Line, Message, blocks_of, decode_line, words_of
from stationmaster.agents.interface import Blank, Blanks, Intake, InvalidRecord, blank_of
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import LineReader, hook_success, moment, name, text_of_parts
from stationmaster.events.model import Event, Kind, identify

_BLANKS = Blanks(words.PRODUCT, "transcript")
_BOOKKEEPING = frozenset({"todo_state", "compaction_state", "session_end"})
_VISIBLE = frozenset({"text", "tool_use"})
_OWN_PROGRAM = "stationmaster"
_HOOKS_MAX = 100


class _Session(msgspec.Struct, omit_defaults=True):
    """What the file has said of itself so far; all of it is small enough to keep as state."""

    id: str = ""
    version: str | None = None
    account: str | None = None
    folder: str | None = None
    """The hash of the session's folder, until a line has it."""
    is_told: bool = False
    at: int | None = None
    mode: str | None = None
    mode_told: str | None = None
    open_calls: dict[str, Call] = {}


class DroidTranscript(LineReader[Line]):
    """See agent.Transcript. Calls without a result are kept in the state, reported by `finish`."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._now: _Session = msgspec.convert(state, _Session) if state else _Session()
        if not self._now.id:
            stem = path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
            self._now.id = name(stem) or "unknown"
        self._settings = settings.beside(path)
        self._client = self._settings.client()
        self._blanks: dict[Kind, Blank] = {}

    decode = staticmethod(decode_line)

    def finish(self, intake: Intake) -> None:
        """Add copies of the tool calls that have no result yet."""
        for call in self._now.open_calls.values():
            intake.add(blank_of(call.event)())

    def _read(self, record: Line, intake: Intake) -> None:
        kind = record.type
        at = moment(record.timestamp)
        if at is not None:
            self._now.at = at
        if kind == "session_start":
            self._introduce(record, intake)
        elif kind == "message" and record.message is not None:
            self._tell_context(intake)
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

    def _tell_context(self, intake: Intake) -> None:
        now = self._now
        if now.is_told:
            return
        event = self._event("session_context")
        identify(event, now.id)
        event.cwd_hash, now.folder = now.folder, None
        now.is_told = True
        intake.add(event)

    def _turn_mode(self, mode: str | None, intake: Intake) -> None:
        """Take note of the mode of a message, and tell the level when it is another one."""
        now = self._now
        if mode is not None and mode != now.mode:
            now.mode = name(mode)
            self._blanks.clear()
        level, raw = self._settings.autonomy(now.mode)
        if raw == now.mode_told:
            return
        now.mode_told = raw
        self._blanks.clear()
        if level is not None:
            event = self._event("mode_change")
            identify(event, now.id, str(event.ts), raw or "")
            intake.add(event)

    def _event(self, kind: Kind) -> Event:
        """A fresh event at the time of the current line, with what all events share."""
        make = self._blanks.get(kind)
        if make is None:
            make = self._blanks[kind] = self._new_blank(kind)
        if self._now.at is None:
            raise InvalidRecord("a line has no time")
        event = make()
        event.ts = self._now.at
        return event

    def _new_blank(self, kind: Kind) -> Blank:
        now = self._now
        event = _BLANKS[kind]()
        event.session_id = event.root_session_id = now.id
        event.product_version = now.version
        event.installation = now.account
        event.client, event.surface = self._client
        event.autonomy, event.autonomy_raw = self._settings.autonomy(now.mode)
        return blank_of(event)

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
        is_said = length > 0 or any(block.type == "image" for block in blocks)
        if not is_said or not words.is_persons(record.user_message_source):
            intake.drop("not_counted")
            return
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
        intake.add(call.event)
        intake.add_all(consequences(call, self._event, output))

    def _add_hooks(self, record: Line, intake: Intake) -> None:
        """One event per command of a hook, but for our own, which only listens."""
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
