"""Machines with a gate ask once a minute each, and take nothing from the people's allowance."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import sessions
from stationmaster.limits import effective, gates
from stationmaster.settings import Settings
from tests.limits.cases import a_budget
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, a_session, an_organization
from tests.support.servers import Server

EFFECTIVE = "/api/platform/v1/limits/effective"
GATE = {"X-Stationmaster-Gate": "claude-code"}
MACHINES = 1_000


@pytest.fixture(scope="module")
def server_fields() -> dict[str, object]:
    """As an installation has it."""
    usual = Settings()
    return {
        "requests_per_minute": usual.requests_per_minute,
        "gate_requests_per_minute": usual.gate_requests_per_minute,
    }


def test_a_thousand_machines_of_an_organization_ask_within_a_minute(any_server: Server) -> None:
    db = any_server.services.db
    acme = day.Acme(db)
    a_budget(db, acme.org, "each-user", at_end="refuse")
    keys = [a_key(db, acme.org, a_member(db, acme.org, f"p{n}@example.com")) for n in range(20)]
    with any_server.client() as client, ThreadPoolExecutor(8) as threads:

        def ask(number: int) -> int:
            bearer = {"Authorization": f"Bearer {keys[number % len(keys)]}"}
            return client.get(EFFECTIVE, headers=bearer | GATE).status_code

        statuses = set(threads.map(ask, range(MACHINES)))
        person = client.get(EFFECTIVE, headers={"Authorization": f"Bearer {keys[0]}"})

    assert statuses == {200}
    assert person.status_code == 200
    # What people ask is counted towards their own allowance alone.
    assert f'"organization";r={Settings().requests_per_minute - 1};' in person.headers["RateLimit"]


GATE_REPORT = "INSERT INTO gate_reports (org_id, principal_id, agent, seen_at) VALUES (?, ?, ?, ?)"


def rung(
    db: Database, org: OrgId, *, passed_h: int | None, ended_h: int, gate_h: int | None
) -> str:
    """The rung of an agent with sessions and a gate that reported itself some hours ago."""
    boss = a_member(db, org, "boss@example.com", "owner")
    now, hour = clock.now_ms(), 3_600_000
    rows = [
        a_session(
            org, f"s{hours}", user_id=boss.user_id, sources=source, ended_at=now - hours * hour
        )
        for hours, source in ((ended_h, "otlp_logs"), (passed_h, "gateway otlp_logs"))
        if hours is not None
    ]
    with db.transaction() as connection:
        sessions.replace(connection, org, clock.today(), rows)
    if gate_h is not None:
        values = (org, boss.user_id, "claude-code", now - gate_h * hour)
        db.write(GATE_REPORT, [values])
    [found] = effective.of(db, a_caller(db, org, boss), 1).rungs
    return found.rung


@pytest.mark.parametrize(
    ("passed_h", "ended_h", "gate_h", "expected"),
    [
        (None, 1, None, "tells"),
        (None, 1, 1, "asks"),
        # Its last session ended days after the gate was heard of for the last time.
        (None, 1, 72, "tells"),
        (1, 5, None, "stops"),
        # Its last session did not pass.
        (5, 1, None, "tells"),
        (5, 1, 1, "asks"),
    ],
)
@pytest.mark.both_databases
def test_an_agent_stands_on_the_rung_of_its_last_session(
    any_server: Server, passed_h: int | None, ended_h: int, gate_h: int | None, expected: str
) -> None:
    db = any_server.services.db
    org = an_organization(db)

    assert rung(db, org, passed_h=passed_h, ended_h=ended_h, gate_h=gate_h) == expected


@pytest.mark.both_databases
def test_an_agent_without_sessions_stands_at_the_gateway_that_it_passes(
    any_server: Server,
) -> None:
    db = any_server.services.db
    org = an_organization(db)
    boss = a_member(db, org, "boss@example.com", "owner")

    gates.note_passed(db, org, boss.user_id, "gemini-cli")

    assert effective.of(db, a_caller(db, org, boss), 1).rungs == [
        effective.AgentEnforcement("gemini-cli", "stops", None)
    ]
