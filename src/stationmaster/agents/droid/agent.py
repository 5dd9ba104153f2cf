"""Droid as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.agents.dialect import (
    Document,
    Intake,
    Log,
    Point,
    Resource,
    Span,
    Transcript,
)
from stationmaster.agents.droid import attributes, counters, hooks
from stationmaster.agents.droid.files import DroidLines
from stationmaster.agents.droid.lines import decode_line
from stationmaster.agents.droid.sidecar import DroidSettings
from stationmaster.agents.droid.stream import is_stream
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.hooks import execution
from stationmaster.agents.lenient import NotJson
from stationmaster.agents.session_files import DROID_SETTINGS

_SETTINGS_MARKS = (
    *(b'"tokenUsage"', b'"providerLock"', b'"interactionMode"', b'"autonomyLevel"'),
    *(b'"autonomyMode"', b'"assistantActiveTimeMs"'),
)


class Droid:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:  # noqa: ARG002 - the protocol's
        # Its service is called `cli`, which says nothing.
        return name.startswith("droid.")

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        intake.drop("unknown_record")

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        # They carry the content of messages and calls, and exist where a person asked for that.
        intake.drop("not_counted")

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        counters.read_points(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if path.endswith(DROID_SETTINGS):
            return head.lstrip()[:1] == b"{" and any(mark in head for mark in _SETTINGS_MARKS)
        if not path.endswith(".jsonl") or head[:1] != b"{":
            return False
        first = head.split(b"\n", 1)[0]
        return _is_session(first) or is_stream(first)

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
        if path.endswith(DROID_SETTINGS):
            return DroidSettings(path, state)
        return DroidLines(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read(event, given, received_ms, intake)
        intake.add_if(execution(PRODUCT, event, given, received_ms))


def _is_session(line: bytes) -> bool:
    try:
        first = decode_line(line)
    except NotJson:
        return False
    return first.type == "session_start" and first.id is not None and b'"payload"' not in line


AGENT = Droid()
