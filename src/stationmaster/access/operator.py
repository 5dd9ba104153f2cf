"""What the operator of an installation may see of it, who needs no key: which organizations there
are, and in whose name the machine itself acts. Read by the driver alone, to start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stationmaster.access.model import Caller
from stationmaster.errors import NotFound
from stationmaster.ids import KeyId, OrgId

if TYPE_CHECKING:
    from stationmaster.db.engine import Database


class Tenant(NamedTuple):
    """An organization of the installation."""

    org_id: OrgId
    name: str


def tenants(db: Database) -> list[Tenant]:
    """The organizations of this installation, oldest first."""
    return [
        Tenant(OrgId(org_id), name)
        for org_id, name in db.rows(
            "SELECT org_id, name FROM organizations ORDER BY created_at, org_id"
        )
    ]


def owner(db: Database, org: OrgId) -> Caller:
    """The first owner of an organization, as a caller of the machine itself."""
    rows = db.rows(
        "SELECT user_id, email FROM members WHERE org_id = ? AND role = 'owner' "
        "AND joined_at IS NOT NULL AND removed_at IS NULL ORDER BY created_at, user_id LIMIT 1",
        org,
    )
    if not rows:
        raise NotFound("The organization has no owner.")
    user_id, email = rows[0]
    return Caller(org, "human", user_id, email, "owner", KeyId("local"), "full", "cli")
