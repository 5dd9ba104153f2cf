"""Our own access tokens: short-lived JWTs (RFC 7519) that name a session.

What a token may do is not in it. Its role and organization tell the client; at each request the
session and the member are looked up, so that signing out, a removal and a demotion count at once.
"""

from __future__ import annotations

import msgspec

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import sessions
from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, UserId

AUDIENCE = "stationmaster"
LIFETIME_S = 15 * 60
TYPE = "at+jwt"
"""Tells an access token from every other JWT: RFC 9068, 2.1."""


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
