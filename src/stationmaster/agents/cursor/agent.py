"""Cursor as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.agents import sqlite
from stationmaster.agents.cursor import hooks
from stationmaster.agents.cursor.store import CursorStore
from stationmaster.agents.cursor.transcript import CursorTranscript, is_line
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.dialect import (
    Document,
    Intake,
    Log,
    Point,
    Resource,
    Span,
    Transcript,
)
from stationmaster.agents.session_files import CURSOR_STORE


class Cursor:
    """See dialect.Agent. It exports nothing: no OTLP record is ever from it."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:  # noqa: ARG002 - the protocol's
        return False

    def attributes_of(self, name: str) -> frozenset[str]:  # noqa: ARG002 - the protocol's
        return frozenset()

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        intake.drop("unknown_record")

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        intake.drop("unknown_record")

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        intake.drop("unknown_record", len(points))

    def is_transcript(self, path: str, head: bytes) -> bool:
        if _is_store(path):
            return head.startswith(sqlite.HEAD)
        return path.endswith(".jsonl") and head[:1] == b"{" and is_line(head.split(b"\n", 1)[0])

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
        if _is_store(path):
            return CursorStore(path)
        return CursorTranscript(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read(event, given, received_ms, intake)


def _is_store(path: str) -> bool:
    return path.replace("\\", "/").rsplit("/", 1)[-1] == CURSOR_STORE


AGENT = Cursor()
