"""Droid as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from stationmaster.agents.droid import counters, hooks
from stationmaster.agents.droid.files import DroidLines
from stationmaster.agents.droid.lines import decode_line
from stationmaster.agents.droid.sidecar import DroidSettings
from stationmaster.agents.droid.stream import is_stream
from stationmaster.agents.droid.words import PRODUCT, WORDS
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, SessionFile
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


AGENT = Agent(
    product=PRODUCT,
    attributes_of=WORDS.attributes_of,
    # Spans carry the content of messages and calls, and exist where a person asked for that.
    span=lambda _resource, _span, intake: intake.drop("not_counted"),
    points=counters.read_points,
    files=(
        SessionFile(DroidSettings, r"\.settings\.json$", _is_settings),
        SessionFile(DroidLines, r"\.jsonl$", _is_lines),
    ),
    hook=read_by(PRODUCT, hooks.read_hook),
)
