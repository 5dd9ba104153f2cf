"""How an organization's people are shown: what it has decided, as of this moment.

`named`: as they are. `pseudonymous`: every person under another name, the same in every answer.
`team-only`: groups of at least `minimum` people. `off`: none. Storage keeps the truth; what
shows people calls this first.
"""

from __future__ import annotations

import base64
import secrets
from hashlib import blake2b
from typing import NamedTuple

from sqlalchemy import Connection, select

from stationmaster.access import change_rules
from stationmaster.access.audit import note
from stationmaster.access.model import Caller, PrivacyMode, is_program
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import organization_privacy
from stationmaster.db.upserts import upsert
from stationmaster.errors import BadRequest, Forbidden
from stationmaster.ids import OrgId

MINIMUM = 5
"""The fewest people of a group, unless an organization sets another number."""
MINIMUM_MIN, MINIMUM_MAX = 2, 1000
GROUPED: frozenset[PrivacyMode] = frozenset({"team-only", "off"})
"""The modes in which no person is shown alone, under any name."""
_SEED_BYTES = 32
_OF = "SELECT mode, minimum, seed FROM organization_privacy WHERE org_id = ?"


class Policy(NamedTuple):
    """How an organization shows its people; `minimum` is the fewest people of a group."""

    mode: PrivacyMode = "named"
    minimum: int = MINIMUM
    seed: bytes = b""
    """Of the organization's pseudonyms; it stays, so that they do. Not sealed: a reader of the
    database reads the people next to it."""

    @property
    def is_named(self) -> bool:
        """True where people are shown as they are."""
        return self.mode == "named"

    @property
    def is_grouped(self) -> bool:
        """Is no person shown alone, under any name?"""
        return self.mode in GROUPED

    def pseudonym(self, user: str) -> str:
        """Another name of a person; a service account keeps its own."""
        if is_program(user):
            return user
        digest = blake2b(user.encode(), key=self.seed, digest_size=10).digest()
        return "anon_" + base64.b32encode(digest).decode().lower()


NAMED = Policy()


def of(db: Database, org: OrgId) -> Policy:
    """What holds now; one read of a row by its key, and never a copy of before."""
    rows = db.rows(_OF, org)
    return _policy(*rows[0]) if rows else NAMED


def within(connection: Connection, org: OrgId) -> Policy:
    """What holds in a transaction."""
    columns = organization_privacy.c
    row = connection.execute(
        select(columns.mode, columns.minimum, columns.seed).where(columns.org_id == org)
    ).first()
    return NAMED if row is None else _policy(*row)


def check_reader(policy: Policy, by: Caller) -> None:
    """Let only owners see, and change, identities where people are not shown by name: how answers
    move with a merge or a team would reveal them. Raises Forbidden.
    """
    if by.role != "owner" and not policy.is_named:
        raise Forbidden(
            "People are not shown by name in this organization; this needs an owner.",
            code="owners_only",
        )


def put(db: Database, org: OrgId, mode: PrivacyMode, minimum: int | None, *, by: Caller) -> Policy:
    """Decide how people are shown, from the next request of every process on.

    `minimum` None keeps it. BadRequest for one outside its bounds.
    """
    if minimum is not None and not MINIMUM_MIN <= minimum <= MINIMUM_MAX:
        reason = f"A group has at least {MINIMUM_MIN} people, and at most {MINIMUM_MAX} are asked."
        raise BadRequest(reason, code="invalid_minimum")
    with db.transaction() as connection:
        change_rules.lock(connection, org)
        before = within(connection, org)
        after = Policy(
            mode,
            before.minimum if minimum is None else minimum,
            before.seed or secrets.token_bytes(_SEED_BYTES),
        )
        if after[:2] == before[:2]:
            return before
        upsert(connection, organization_privacy, [{"org_id": org, **after._asdict()}])
        payload = {"mode": mode, "minimum": after.minimum, "previous_mode": before.mode}
        note(connection, by, "privacy_changed", "organization", org, **payload)
    return after


def _policy(mode: PrivacyMode, minimum: int, seed: bytes) -> Policy:
    return Policy(mode, minimum, bytes(seed))
