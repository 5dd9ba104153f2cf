"""One organization with a caller of each kind: who asks, wherever a test tells roles apart."""

from __future__ import annotations

from stationmaster.access import service
from stationmaster.access.model import ROLES, Member, ServiceAccount
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.support.builders import a_key, a_member, a_service_account, an_organization

CALLERS = ("owner", "manager", "member", "guest", "svc", "svc-mgr", "ingest", "none", "revoked")
"""`svc` and `svc-mgr` are programs with a member's and a manager's grant, `ingest` is the owner's
key for telemetry alone, `none` sends no credential, `revoked` one that was revoked."""


class Cast:
    """People `owner@<mark>.example`, …, programs, and a key of each."""

    def __init__(self, db: Database, mark: str) -> None:
        self.db = db
        self.mark = mark
        self.org: OrgId = an_organization(db, mark)
        self.people: dict[str, Member] = {
            role: a_member(db, self.org, f"{role}@{mark}.example", role) for role in ROLES
        }
        self.program: ServiceAccount = a_service_account(db, self.org, f"{mark}-svc")
        manager = a_service_account(db, self.org, f"{mark}-svc-mgr", "manager")
        self.keys: dict[str, str | None] = {
            role: a_key(db, self.org, person) for role, person in self.people.items()
        }
        self.keys["svc"] = a_key(db, self.org, self.program)
        self.keys["svc-mgr"] = a_key(db, self.org, manager)
        self.keys["ingest"] = a_key(db, self.org, self.people["owner"], "ingest")
        self.keys["none"] = None
        self.keys["revoked"] = self._revoked()

    def ids(self) -> list[str]:
        """Identifiers that no other organization may ever see."""
        return [self.program.service_account_id, *(p.user_id for p in self.people.values())]

    def _revoked(self) -> str:
        key, secret = service.create_key(
            self.db, self.org, self.people["owner"], name=f"{self.mark} revoked"
        )
        service.revoke_key(self.db, self.org, key.key_id)
        return secret.reveal()
