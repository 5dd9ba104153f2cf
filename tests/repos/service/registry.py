"""Owners, tokens and audit records of registered repositories."""

from __future__ import annotations

from datetime import UTC, datetime

from stationmaster.access import audit, operator
from stationmaster.access.model import Caller, Secret
from stationmaster.db.engine import Database
from stationmaster.repos.model import Credential
from tests.support.builders import a_member, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


NOW_MS = int(NOW.timestamp() * 1000)


URL = "https://git.example/acme/app"


SECRET = "marked-secret-0451"


def an_owner(db: Database, name: str) -> Caller:
    org = an_organization(db, name)
    a_member(db, org, role="owner")
    return operator.owner(db, org)


def a_token() -> Credential:
    return Credential("token", None, Secret(SECRET))


def events(db: Database, caller: Caller) -> list[tuple[str, str | None, object]]:
    """What the audit log says of repositories, oldest first."""
    found = reversed(audit.page(db, caller.org_id, limit=100))
    return [
        (each.event_type, each.target and each.target.id, each.payload)
        for each in found
        if each.event_type.startswith("repository_")
    ]
