"""Chapter Events, audit: every change of an organization is in its log, with who made it."""

from __future__ import annotations

import pytest

from tests.conformance.asks import asked, send
from tests.conformance.conftest import House
from tests.conformance.matrix import Row, rows

CHANGES = [
    row
    for row in rows()
    if row.method != "GET" and row.path.startswith("/api/") and row.status["owner"] < 300
]
DOORS = {"/api/v0/": "public_api_v0", "/api/organization/": "public_api"}
OTHERS = (
    "/api/platform/v1/events",
    "/api/platform/v1/auth/",
    "/api/platform/v1/costs/what-if",
    "/api/platform/v1/alerts/destinations/{destination_id}/test",
)
"""Telemetry changes nothing that the log is about, signing in is no caller's doing yet, and asking
what would be, or for a test alert, changes nothing.
"""
OTHER_OPERATIONS = {f"POST /api/platform/v1/pairings{end}" for end in ("", "/claim", "/look-up")}
"""A machine that asks for a code is in no organization, and looking at it changes nothing."""


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in CHANGES
        if not row.path.startswith(OTHERS) and row.operation not in OTHER_OPERATIONS
    ],
    ids=lambda row: row.operation,
)
def test_every_change_is_in_the_audit_log_with_its_actor_and_door_as_decided(
    one_house: House, row: Row
) -> None:
    owner = one_house.client("owner")
    audit = "/api/platform/v1/audit?limit=1"
    ask = asked(one_house, row, "owner")
    before = owner.get(audit).json()["events"]

    answer = send(one_house, row, ask, "owner")
    after = owner.get(audit).json()["events"]

    assert answer.is_success, answer.text
    assert after != before
    door = next((d for prefix, d in DOORS.items() if row.path.startswith(prefix)), "platform_api")
    assert after[0]["actor"]["id"] == one_house.ours.people["owner"].user_id
    assert after[0]["source"] == door
