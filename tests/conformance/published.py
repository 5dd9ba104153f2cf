"""The operations that the specification publishes, with a path that can be asked for."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    method: str
    template: str
    """As the description has it."""
    path: str
    """With parameters filled in: of nothing that exists."""


def _operation(method: str, template: str, **filled: str) -> Operation:
    return Operation(method, template, template.format(**filled))


_ADDRESS = "https%3A%2F%2Fgit.example.com%2Facme%2Fnothing"

PUBLISHED = (
    _operation("GET", "/api/v1/analytics/tokens"),
    _operation("GET", "/api/v1/analytics/tools"),
    _operation("GET", "/api/v1/analytics/activity"),
    _operation("GET", "/api/v1/analytics/productivity"),
    _operation("GET", "/api/v1/analytics/users"),
    _operation("PUT", "/api/v0/organization/usage/limits/users"),
    _operation("GET", "/api/v0/wiki/history/{repoUrl}", repoUrl=_ADDRESS),
    _operation("GET", "/api/v0/wiki/{wikiRunId}", wikiRunId="wiki_nothing"),
    _operation("GET", "/api/v0/wiki/{wikiRunId}/export", wikiRunId="wiki_nothing"),
    _operation("GET", "/api/v0/computers/name/{name}", name="nothing"),
    _operation("GET", "/api/v0/automations/ci/scan"),
    _operation("GET", "/api/organization/maturity-level-reports"),
)
