"""OpenCode as one Agent: where its records come from and who reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stationmaster.agents.dialect import Document, Intake, Log, Point, Resource, Span
from stationmaster.agents.opencode import attributes, counters, hooks, logs, spans
from stationmaster.agents.opencode.files import SessionFiles
from stationmaster.agents.opencode.store import Store
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.sqlite import HEAD

_DATABASE = re.compile(r"(?:^|[/\\])opencode[\w.-]*\.db$", re.ASCII)
_SESSION = re.compile(r"[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$")


class OpenCode:
    """See dialect.Agent."""

    product = PRODUCT

    def sends(self, service_name: str, scope: str, name: str) -> bool:
        if name.startswith(("codex.", "gemini_cli.", "qwen-code.")):
            return False
        # A plugin can be told to use another agent's names; where it comes from tells them apart.
        return (
            service_name.startswith("opencode")
            or scope.startswith("com.opencode")
            or name.startswith("opencode.")
        )

    def attributes_of(self, name: str) -> frozenset[str]:
        return attributes.of(name)

    def log(self, resource: Resource, record: Log, intake: Intake) -> None:
        logs.read_log(resource, record, intake)

    def span(self, resource: Resource, span: Span, intake: Intake) -> None:
        spans.read_span(resource, span, intake)

    def points(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        counters.read_points(resource, points, intake)

    def is_transcript(self, path: str, head: bytes) -> bool:
        if _DATABASE.search(path):
            return head.startswith(HEAD)
        if not _SESSION.search(path) or head[:1] != b"{":
            return False
        return b'"projectID"' in head and b'"directory"' in head

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Document:
        return SessionFiles(path, state) if path.endswith(".json") else Store(path, state)

    def hook(
        self, event: str | None, given: dict[str, Any], received_ms: int, intake: Intake
    ) -> None:
        hooks.read_hook(event, given, received_ms, intake)


AGENT = OpenCode()
