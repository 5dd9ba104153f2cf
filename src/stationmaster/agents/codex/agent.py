"""Codex as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.agents.codex import attributes, hooks, otlp, repeats
from stationmaster.agents.codex.transcript import CodexTranscript
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.dialect import Intake, Log, Point, Resource, Span, Transcript
from stationmaster.agents.hooks import execution


class Codex:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:  # noqa: ARG002 - the protocol's
        if name.startswith("codex."):
            return True
        if name.startswith(("claude_code.", "gemini_cli.", "qwen-code.")):
            return False
        return service_name.startswith(("codex_", "codex-")) or service_name == "Codex Desktop"

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:
        otlp.read_log(resource, record, intake)

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        repeats.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        repeats.read_points(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if not path.endswith(".jsonl") or head[:1] != b"{":
            return False
        first = head.split(b"\n", 1)[0]
        return b'"payload":' in first and b'"type":' in first

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript:
        return CodexTranscript(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read_hook(event, given, received_ms, intake)
        intake.add_if(execution(PRODUCT, event, given, received_ms))


AGENT = Codex()
