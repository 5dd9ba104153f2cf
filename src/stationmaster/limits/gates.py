"""Which agents of a principal budgets can stop, and when that was last seen: those whose hook asks
before the agent works (it is a gate, which reports itself when it fetches what is left of budgets),
and those whose calls passed the gateway. `effective` reads both.
"""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

FRESH_MS = 3_600_000
"""A report is not written again while the last one is younger."""
_KNOWN = """
SELECT agent FROM gate_reports WHERE org_id = ? AND principal_id = ? AND seen_at > ?
"""
_PUT = """
INSERT INTO gate_reports (org_id, principal_id, agent, seen_at) VALUES (?, ?, ?, ?)
ON CONFLICT (org_id, principal_id, agent) DO UPDATE SET seen_at = excluded.seen_at
"""
_PUT_PASSED = """
INSERT INTO gate_reports (org_id, principal_id, agent, seen_at, passed_at) VALUES (?, ?, ?, 0, ?)
ON CONFLICT (org_id, principal_id, agent) DO UPDATE SET passed_at = excluded.passed_at
"""


def note(db: Database, org: OrgId, principal_id: str, agents: Sequence[str]) -> None:
    """Note that agents of a principal have gates."""
    now = clock.now_ms()
    fresh = {agent for (agent,) in db.rows(_KNOWN, org, principal_id, now - FRESH_MS)}
    new = sorted({*agents} - fresh)
    if new:
        db.write(_PUT, [(org, principal_id, agent, now) for agent in new])


def note_passed(db: Database, org: OrgId, principal_id: str, agent: str) -> None:
    """Note that an agent of a principal has passed the gateway just now."""
    db.write(_PUT_PASSED, [(org, principal_id, agent, clock.now_ms())])
