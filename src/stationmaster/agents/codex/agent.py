"""Codex as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stationmaster.agents.codex import otlp, repeats
from stationmaster.agents.codex.transcript import CodexTranscript
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.dialect import Intake, Log, Point, Resource, Span, Transcript


class Codex:
    """See dialect.Agent."""

    product = PRODUCT
    otlp_attributes = frozenset(
        {"event.name", "event.timestamp", "event.kind", "conversation.id", "app.version", "model"}
        | {"originator", "user.email", "team", "approval_policy", "sandbox_policy", "mcp_servers"}
        | {"prompt_length", "input_token_count", "cached_token_count", "cache_write_token_count"}
        | {"output_token_count", "reasoning_token_count", "model_reasoning_effort", "tool_name"}
        | {"tool_namespace", "call_id", "decision", "source", "success", "duration_ms", "output"}
        | {"arguments", "mcp_server", "thread.id", "turn.id", "codex.turn.reasoning_effort"}
        | {f"codex.turn.token_usage.{kind}_tokens" for kind in ("input", "cached_input", "output")}
        | {"codex.turn.token_usage.cache_write_input_tokens", "token_type", "tool"}
        | {"codex.turn.token_usage.reasoning_output_tokens", "session_source", "server"}
        | {"hook_name", "skill"}
    )

    def sends(self, service_name: str, scope: str, name: str) -> bool:  # noqa: ARG002 - the protocol's
        if name.startswith("codex."):
            return True
        if name.startswith(("claude_code.", "gemini_cli.", "qwen-code.")):
            return False
        return service_name.startswith(("codex_", "codex-")) or service_name == "Codex Desktop"

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:
        otlp.read_log(resource, record, intake)

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        repeats.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        repeats.read_points(resource, points, intake)

    def transcript_roots(self, home: str) -> Iterable[str]:
        return (
            f"{home}/.codex/sessions/**/*.jsonl",
            f"{home}/.codex/archived_sessions/**/*.jsonl",
        )

    def is_transcript(self, path: str, head: bytes) -> bool:
        if not path.endswith(".jsonl") or head[:1] != b"{":
            return False
        first = head.split(b"\n", 1)[0]
        return b'"payload":' in first and b'"type":' in first

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript:
        return CodexTranscript(path, state)


AGENT = Codex()
