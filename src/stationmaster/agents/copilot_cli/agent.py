"""GitHub Copilot CLI as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.agents import sqlite
from stationmaster.agents.copilot_cli import attributes, counters, hooks, spans, store, words
from stationmaster.agents.copilot_cli.transcript import CopilotTranscript
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.dialect import Document, Intake, Log, Point, Resource, Span, Transcript
from stationmaster.agents.hooks import execution
from stationmaster.agents.session_files import COPILOT_STORE

_OTHERS = ("claude_code.", "codex.", "gemini_cli.", "qwen-code.", "copilot_chat.")


class CopilotCli:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:
        # The editor's chat is another program, with names of its own.
        if service_name == "copilot-chat" or name.startswith(_OTHERS):
            return False
        return (
            service_name == "github-copilot"
            or scope == "github.copilot"
            or name.startswith("github.copilot.")
        )

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:  # noqa: ARG002 - the protocol's
        """It exports no logs yet."""
        intake.drop("unknown_record")

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        spans.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        counters.read_points(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if path.replace("\\", "/").endswith(f"/{COPILOT_STORE}"):
            return head.startswith(sqlite.HEAD)
        if not path.endswith(".jsonl"):
            return False
        first = head.split(b"\n", 1)[0]
        return b'"session.start"' in first and b'"copilotVersion"' in first

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
        if path.endswith(COPILOT_STORE):
            return store.UsageStore(path, state)
        return CopilotTranscript(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read_hook(event, given, received_ms, intake)
        intake.add_if(execution(PRODUCT, event, given, received_ms, words.hook_event))


AGENT = CopilotCli()
