"""Reading the transcript of a Cursor agent.

Its lines have no times, no ids, no tokens, and the results of calls belong to none. So a line is
known by its place in the file, everything in it has the time at which the file was last written,
flagged `estimated`, and whether a call succeeded stays open.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec import Raw, Struct

from stationmaster import clock
from stationmaster.agents.calls import events_of
from stationmaster.agents.cursor import tooling, words
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.interface import Blanks, Intake, Transcript
from stationmaster.agents.values import NotJson, decoder, name
from stationmaster.events.model import Event, Kind, identify

_BLANKS = Blanks(PRODUCT, "transcript")
_CALLS = frozenset({"tool_use", "tool_call"})
_RESULTS = frozenset({"tool_result", "tool-result"})
_MARKS_OF_OTHERS = (b'"sessionId"', b'"session_id"', b'"uuid"', b'"timestamp"', b'"payload"')


class _Block(Struct, gc=False):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()


class _Message(Struct, gc=False):
    content: list[_Block] | str | None = None


class _Line(Struct, gc=False):
    type: str | None = None
    role: str | None = None
    message: _Message | None = None


class _Read(Struct, omit_defaults=True):
    lines: int = 0


_decode = decoder(_Line)


def is_line(line: bytes) -> bool:
    """Is the first line of a file one of such a transcript? Those of other agents contain more."""
    try:
        first = _decode(line)
    except NotJson:
        return False
    is_ours = first.type is None and first.role in ("user", "assistant")
    if not is_ours or first.message is None or first.message.content is None:
        return False
    return not any(mark in line for mark in _MARKS_OF_OTHERS)


class CursorTranscript(Transcript):
    """See agent.Transcript."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._now: _Read = msgspec.convert(state, _Read) if state else _Read()
        folders = path.replace("\\", "/").split("/")
        self._session = name(folders[-1].removesuffix(".jsonl")) or "unknown"
        self._root = self._session
        self._is_subagent = len(folders) > 2 and folders[-2] == "subagents"
        if self._is_subagent:
            # Those of an agent's own agents are in the folder of its name.
            self._root = name(folders[-3]) or self._session
        self._at, self._ts_source = _written(path)

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line: a person's words, a model's answer, or the end of a turn."""
        if not line.strip():
            return
        self._now.lines += 1
        try:
            record = _decode(line)
        except NotJson:
            intake.reject("a line is not JSON")
            return
        if record.message is None:
            intake.drop("not_counted" if record.type == "turn_ended" else "unknown_record")
            return
        content = record.message.content
        blocks = [_Block("text", content)] if isinstance(content, str) else content or []
        if record.role == "assistant":
            self._read_answer(blocks, intake)
        elif record.role == "user":
            self._read_question(blocks, intake)
        else:
            intake.drop("unknown_record")

    def _event(self, kind: Kind) -> Event:
        event = _BLANKS[kind]()
        event.ts, event.ts_source = self._at, self._ts_source
        event.session_id, event.root_session_id = self._session, self._root
        event.is_subagent = self._is_subagent
        event.quality = "estimated"
        return event

    def _message(self, kind: Kind) -> Event:
        event = self._event(kind)
        identify(event, self._session, str(self._now.lines))
        return event

    def _read_question(self, blocks: list[_Block], intake: Intake) -> None:
        """A person's message; those of an agent's own agents are that agent's."""
        length = sum(len(words.own_words(b.text)) for b in blocks if b.type == "text" and b.text)
        is_answer = any(block.type in _RESULTS for block in blocks)
        if length == 0 or is_answer or self._is_subagent:
            intake.drop("not_counted")
            return
        event = self._message("user_message")
        event.prompt_length = length
        intake.add(event)

    def _read_answer(self, blocks: list[_Block], intake: Intake) -> None:
        for position, block in enumerate(blocks):
            if block.type in _CALLS:
                self._add_call(position, block, intake)
        is_visible = any(block.type in _CALLS or block.text for block in blocks)
        if is_visible and not self._is_subagent:
            intake.add(self._message("assistant_message"))
        else:
            intake.drop("not_counted")

    def _add_call(self, position: int, block: _Block, intake: Intake) -> None:
        event = self._event("tool_call")
        place = f"{self._now.lines}\0{position}"
        call = tooling.asked(event, block.name, place, block.input)
        event.tool_call_id = name(block.id)
        identify(event, self._session, event.tool_call_id or place)
        intake.add_all(events_of(call, self._event, None))


def _written(path: str) -> tuple[int, str]:
    """(UTC milliseconds, their source) of the last change of a file."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000, "file_time"
    except (OSError, ValueError):
        return clock.now_ms(), "received"
