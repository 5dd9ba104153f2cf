"""Gemini CLI as one Agent: where its records come from and who reads them."""

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
from stationmaster.agents.gemini_cli import attributes, hooks, spans, words
from stationmaster.agents.gemini_cli.transcript import BLANKS, GeminiTranscript
from stationmaster.agents.gemini_cli.words import LINEAGE, PREFIX, PRODUCT, SERVICE
from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.gemini_lineage.hooks import Hook
from stationmaster.agents.gemini_lineage.words import hook_event
from stationmaster.agents.hooks import execution

_OTHERS = ("claude_code.", "codex.", "qwen-code.")
_logs = otlp.Logs(LINEAGE, words.blanks(otlp.KINDS, "otlp_logs"))
_counters = counters.Counters(LINEAGE, words.blanks(counters.KINDS, "otlp_metrics"))


class GeminiCli:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:  # noqa: ARG002 - the protocol's
        if name.startswith(PREFIX):
            return True
        return service_name == SERVICE and not name.startswith(_OTHERS)

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:
        _logs.read(resource, record, intake)

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        spans.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        _counters.read(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if path.endswith(".jsonl"):
            first = head.split(b"\n", 1)[0]
            return b'"sessionId"' in first and b'"projectHash"' in first
        return chats.is_chat_document(path, head)

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
        if path.endswith(".json"):
            return chats.ChatDocument(path, LINEAGE, BLANKS)
        return GeminiTranscript(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read_hook(event, Hook(given, received_ms), intake)
        intake.add_if(execution(PRODUCT, event, given, received_ms, hook_event))


AGENT = GeminiCli()
