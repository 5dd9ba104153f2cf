"""Droid as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.droid import counters, hooks
from stationmaster.agents.droid.lines import decode_line
from stationmaster.agents.droid.sidecar import DroidSettings
from stationmaster.agents.droid.transcript import DroidStream, DroidTranscript, is_stream
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, ByName, Intake, SessionFile, Transcript
from stationmaster.agents.values import NotJson

_SETTINGS_MARKS = (
    *(b'"tokenUsage"', b'"providerLock"', b'"interactionMode"', b'"autonomyLevel"'),
    *(b'"autonomyMode"', b'"assistantActiveTimeMs"'),
)


def _is_settings(head: bytes, _line: bytes) -> bool:
    return head.lstrip()[:1] == b"{" and any(mark in head for mark in _SETTINGS_MARKS)


def _is_lines(head: bytes, line: bytes) -> bool:
    if head[:1] != b"{":
        return False
    try:
        first = decode_line(line)
    except NotJson:
        return False
    is_session = first.type == "session_start" and first.id is not None
    return (is_session and b'"payload"' not in line) or is_stream(line)


class _Begun(msgspec.Struct):
    is_stream: bool
    reader: dict[str, Any]


class DroidLines(Transcript):
    """Reads a session file or a headless stream, as its first line shows."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._is_stream = False
        self._reader: Transcript | None = None
        if state:
            begun = msgspec.convert(state, _Begun)
            self._begin(begun.is_stream, begun.reader)

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line; the first one decides between session file and stream."""
        if self._reader is None and line.strip():
            try:
                is_session = decode_line(line).message is not None
            except NotJson:
                intake.reject("a line is not JSON")
                return
            self._begin(not is_session and is_stream(line), None)
        if self._reader is not None:
            self._reader.feed(line, intake)

    def finish(self, intake: Intake) -> None:
        """Finish the reader of the file's kind; nothing before the first line."""
        if self._reader is not None:
            self._reader.finish(intake)

    def state(self) -> dict[str, Any]:
        """The kind of the file and its reader's state; empty before the first line."""
        if self._reader is None:
            return {}
        snapshot: dict[str, Any] = msgspec.to_builtins(
            _Begun(self._is_stream, self._reader.state())
        )
        return snapshot

    def _begin(self, is_stream_: bool, state: dict[str, Any] | None) -> None:
        self._is_stream = is_stream_
        self._reader = DroidStream(state) if is_stream_ else DroidTranscript(self._path, state)


AGENT = Agent(
    product=PRODUCT,
    # Spans carry the content of messages and calls, and exist where a person asked for that.
    span=ByName({}, str, lambda _: "not_counted"),
    points=counters.read_points,
    files=(
        SessionFile(DroidSettings, r"\.settings\.json$", _is_settings),
        SessionFile(DroidLines, r"\.jsonl$", _is_lines),
    ),
    hook=read_by(PRODUCT, hooks.read_hook),
)
