"""Publishing days without events, many in one step: they differ in dates and windows alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy import Connection, text

from stationmaster.db.tables.rollups import day_facts, day_slices
from stationmaster.db.upserts import upsert
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import store
from stationmaster.lake.rollups.model import FACTS_FORM, Report

_USED = " UNION ".join(
    f"SELECT day FROM {table} WHERE org_id = :org AND day BETWEEN :first AND :last"
    for table in ("active_users", "session_days", "agent_sessions", "day_quality")
)


def among(connection: Connection, org: OrgId, run: list[date]) -> list[date]:
    """Those of some days, given in order, of which no people, sessions or agents are stored."""
    if not run:
        return []
    key = {"org": org, "first": run[0].isoformat(), "last": run[-1].isoformat()}
    used = set(connection.execute(text(_USED), key).scalars())
    return [day for day in run if day.isoformat() not in used]


def publish(
    connection: Connection,
    org: OrgId,
    landed: Mapping[date, int],
    documents: Mapping[date, Mapping[Report, bytes]],
    slices: bytes,
    facts: bytes,
) -> dict[date, list[Report]]:
    """Replace the documents of days that `among` returns, after `store.begin`; of each day the
    reports whose bytes changed. All of them have the same slices and facts."""
    changed = store.put_reports(connection, org, documents)
    rows = [
        {"org_id": org, "day": day.isoformat(), "landed": number} for day, number in landed.items()
    ]
    upsert(connection, day_slices, [{**row, "body": slices} for row in rows])
    upsert(connection, day_facts, [{**row, "body": facts, "form": FACTS_FORM} for row in rows])
    store.settle(connection, org, landed, 0)
    return changed
