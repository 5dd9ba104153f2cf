"""Droid as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.droid import counters, hooks
from stationmaster.agents.droid.files import DroidLines
from stationmaster.agents.droid.lines import decode_line
from stationmaster.agents.droid.settings import SETTINGS
from stationmaster.agents.droid.sidecar import DroidSettings
from stationmaster.agents.droid.stream import is_stream
from stationmaster.agents.droid.words import PRODUCT, WORDS
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Document, Transcript
from stationmaster.agents.values import NotJson

_SETTINGS_MARKS = (
    *(b'"tokenUsage"', b'"providerLock"', b'"interactionMode"', b'"autonomyLevel"'),
    *(b'"autonomyMode"', b'"assistantActiveTimeMs"'),
)


def _is_transcript(path: str, head: bytes) -> bool:
    if path.endswith(SETTINGS):
        return head.lstrip()[:1] == b"{" and any(mark in head for mark in _SETTINGS_MARKS)
    if not path.endswith(".jsonl") or head[:1] != b"{":
        return False
    first = head.split(b"\n", 1)[0]
    return _is_session(first) or is_stream(first)


def _transcript(path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
    if path.endswith(SETTINGS):
        return DroidSettings(path, state)
    return DroidLines(path, state)


def _is_session(line: bytes) -> bool:
    try:
        first = decode_line(line)
    except NotJson:
        return False
    return first.type == "session_start" and first.id is not None and b'"payload"' not in line


AGENT = Agent(
    product=PRODUCT,
    attributes_of=WORDS.attributes_of,
    # Spans carry the content of messages and calls, and exist where a person asked for that.
    span=lambda _resource, _span, intake: intake.drop("not_counted"),
    points=counters.read_points,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=read_by(PRODUCT, hooks.read_hook),
)
