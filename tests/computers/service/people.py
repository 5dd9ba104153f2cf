"""People and programs of the organization, and its audit records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from stationmaster.access import audit
from stationmaster.access.model import Caller, Role
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.support.builders import a_caller, a_member, a_service_account

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


HASH, OTHER_HASH = "0" * 64, "1" * 64


def person(db: Database, org: OrgId, name: str, role: Role = "member") -> Caller:
    return a_caller(db, org, a_member(db, org, f"{name}@example.com", role))


def program(db: Database, org: OrgId, name: str = "nightly") -> Caller:
    return a_caller(db, org, a_service_account(db, org, name))


def records(db: Database, org: OrgId, event_type: str) -> list[tuple[str | None, Any]]:
    """The target and the payload of each audit record of a type."""
    found = [each for each in audit.page(db, org, limit=100) if each.event_type == event_type]
    return [(record.target and record.target.id, record.payload) for record in found]
