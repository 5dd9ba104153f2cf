"""Claude Code as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.agents.claude_code import attempts, attributes, counters, hooks, otlp, repeats
from stationmaster.agents.claude_code.transcript import ClaudeTranscript
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.dialect import Intake, Log, Point, Resource, Span, Transcript
from stationmaster.agents.hooks import execution

_SERVICES = frozenset({"claude-code", "claude-code-desktop"})
_HEAD_MARKS = (b'"sessionId"', b'"leafUuid"', b'"parentUuid"', b'"isSidechain"', b'"costUSD"')


class ClaudeCode:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:
        if service_name.startswith("opencode") or scope.startswith("com.opencode"):
            # A plugin of that agent can be told to imitate these names.
            return False
        if name.startswith("claude_code.") or scope.startswith("com.anthropic.claude_code"):
            return True
        return service_name in _SERVICES and not name.startswith("codex.")

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:
        reader = attempts.READERS.get(record.name, otlp.read_log)
        reader(resource, record, intake)

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        repeats.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        counters.read_points(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if not path.endswith(".jsonl") or head[:1] != b"{":
            return False
        first_line = head.split(b"\n", 1)[0]
        if b'"payload":{' in first_line:
            return False
        return any(mark in head for mark in _HEAD_MARKS)

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript:
        return ClaudeTranscript(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read_hook(event, given, received_ms, intake)
        intake.add_if(execution(PRODUCT, event, given, received_ms))


AGENT = ClaudeCode()
