"""Our own access tokens: short-lived JWTs (RFC 7519) that name a session.

What a token may do is not in it. Its role and organization inform the client; at each request the
session and the member are looked up, so that signing out, a removal and a demotion count
immediately.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import jwts, sessions
from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.db.engine import Database
from stationmaster.errors import Unauthorized
from stationmaster.ids import KeyId, OrgId, UserId

MACHINE_AUDIENCE = "stationmaster-telemetry"
MACHINE_LIFETIME_S = 30 * 86_400
"""A computer gets another one whenever it connects; sessions of agents keep theirs."""
MACHINE_TYPE = "telemetry+jwt"
_HASH_DIGITS = 16
"""Of the stored hash of the credential: enough to distinguish two."""
_COMPUTER = """
SELECT c.credential_hash, c.owner_kind, c.owner_id, m.email, m.role, m.removed_at, s.role,
       s.is_active, coalesce(p.mode, 'named')
FROM computers c
LEFT JOIN organization_privacy p ON p.org_id = c.org_id
LEFT JOIN members m ON c.owner_kind = 'human' AND m.org_id = c.org_id AND m.user_id = c.owner_id
LEFT JOIN service_accounts s
  ON c.owner_kind = 'service' AND s.org_id = c.org_id AND s.service_account_id = c.owner_id
WHERE c.org_id = ? AND c.computer_id = ? AND c.removed_at IS NULL
"""

AUDIENCE = "stationmaster"
LIFETIME_S = 15 * 60
TYPE = "at+jwt"
"""Distinguishes an access token from every other JWT: RFC 9068, 2.1."""


class _Claims(msgspec.Struct):
    org: OrgId
    sid: str
    sub: UserId


class Tokens:
    """One per process; safe to share between threads."""

    def __init__(self, db: Database, keys: SigningKeys, issuer: str) -> None:
        self._db = db
        self._keys = keys
        self.issuer = issuer

    def issue(self, caller: Caller) -> str:
        """A token for the session that the caller's `key_id` names."""
        now = clock.now_ms() // 1000
        claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": caller.principal_id,
            "org": caller.org_id,
            "role": caller.role,
            "sid": caller.key_id,
            "jti": ids.new_uuid(),
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME_S,
        }
        return self._keys.sign(claims, TYPE)

    def caller_of(self, token: str) -> Caller:
        """Who a token speaks for, as of now. Raises Unauthorized."""
        named = self._keys.claims_of(
            token, _Claims, typ=TYPE, issuer=self.issuer, audience=AUDIENCE
        )
        return sessions.caller_of_id(self._db, named.org, named.sid, named.sub)


class _MachineClaims(msgspec.Struct):
    org: OrgId
    sub: str
    cred: str


class MachineTokens:
    """Tokens with which a computer sends telemetry as its owner, and can do nothing else.

    A token names the computer and the credential with which it connected, and ends with either,
    and with the owner: all are looked up at each request. Nothing of it is stored, and it opens no
    machine. One per process; safe to share between threads.
    """

    def __init__(self, db: Database, keys: SigningKeys, address: str) -> None:
        self._db = db
        self._keys = keys
        self.issuer = f"{address.rstrip('/')}/computers"

    def issue(self, org: OrgId, computer_id: str) -> str:
        """A token for a computer that is connected. Raises Unauthorized where it was removed."""
        now = clock.now_ms() // 1000
        claims = {
            "iss": self.issuer,
            "aud": MACHINE_AUDIENCE,
            "sub": computer_id,
            "org": org,
            "cred": self._row(org, computer_id)[0][:_HASH_DIGITS],
            "iat": now,
            "exp": now + MACHINE_LIFETIME_S,
        }
        return self._keys.sign(claims, MACHINE_TYPE)

    def caller_of(self, token: str) -> Caller:
        """The owner of the computer, who may send telemetry alone. Raises Unauthorized."""
        named = self._keys.claims_of(
            token, _MachineClaims, typ=MACHINE_TYPE, issuer=self.issuer, audience=MACHINE_AUDIENCE
        )
        hashed, kind, owner, email, member_role, removed_at, service_role, is_active, privacy = (
            self._row(named.org, named.sub)
        )
        role = service_role if kind == "service" else member_role
        is_gone = (not is_active) if kind == "service" else (removed_at is not None)
        if role is None or is_gone or hashed[:_HASH_DIGITS] != named.cred:
            raise jwts.invalid()
        key_id = KeyId(named.sub)
        return Caller(named.org, kind, owner, email, role, key_id, "ingest", privacy=privacy)

    def _row(self, org: OrgId, computer_id: str) -> tuple[Any, ...]:
        rows = self._db.rows(_COMPUTER, org, computer_id)
        if not rows or rows[0][0] is None:
            raise Unauthorized("This computer was removed.")
        return rows[0]
