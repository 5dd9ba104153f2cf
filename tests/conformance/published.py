"""The operations that the specification publishes, with a path that can be asked for."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    method: str
    template: str
    """As the description has it."""
    path: str
    """With parameters filled in: of nothing that exists."""


def _analytics(report: str) -> Operation:
    path = f"/api/v1/analytics/{report}"
    return Operation("GET", path, path)


PUBLISHED = (
    _analytics("tokens"),
    _analytics("tools"),
    _analytics("activity"),
    _analytics("productivity"),
    _analytics("users"),
    Operation(
        "PUT",
        "/api/v0/organization/usage/limits/users",
        "/api/v0/organization/usage/limits/users",
    ),
    Operation("GET", "/api/v0/computers/name/{name}", "/api/v0/computers/name/nothing"),
    Operation(
        "GET",
        "/api/organization/maturity-level-reports",
        "/api/organization/maturity-level-reports",
    ),
)
