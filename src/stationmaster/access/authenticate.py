"""From a bearer token to a caller, in one query and without a cache.

Without one because a revoked key, a removed member, a demotion or a paused service account must
count at the very next request of every process. The query costs some 20 µs.
"""

from __future__ import annotations

from stationmaster import clock
from stationmaster.access import keys
from stationmaster.access.model import Caller, lesser
from stationmaster.db.engine import Database
from stationmaster.errors import Unauthorized

# The only statement that finds its organization by the key; all others are given one.
_BY_HASH = """
SELECT k.org_id, k.principal_kind, k.principal_id, k.key_id, k.scope, k.expires_at, k.revoked_at,
       k.role, m.email, m.role, m.removed_at, s.role, s.is_active, coalesce(p.mode, 'named')
FROM api_keys k
LEFT JOIN organization_privacy p ON p.org_id = k.org_id
LEFT JOIN members m
  ON k.principal_kind = 'human' AND m.org_id = k.org_id AND m.user_id = k.principal_id
LEFT JOIN service_accounts s
  ON k.principal_kind = 'service' AND s.org_id = k.org_id
  AND s.service_account_id = k.principal_id
WHERE k.secret_hash = ?
"""


def authenticate(db: Database, token: str) -> Caller:
    """The caller behind an API key, with the role of this moment.

    Raises Unauthorized. A broken, unknown or revoked key, a removed member and an inactive service
    account are told apart for nobody; an expired key is, to help its owner, who alone has it.
    """
    return authenticate_until(db, token)[0]


def authenticate_until(db: Database, token: str) -> tuple[Caller, int | None]:
    """The same, and when the key expires (UTC ms)."""
    if not keys.is_whole(token):
        raise _invalid()
    rows = db.rows(_BY_HASH, keys.hash_of(token))
    if not rows:
        raise _invalid()
    org, kind, principal, key, scope, expires_at, revoked_at, *holder = rows[0]
    most, email, member_role, removed_at, service_role, is_active, privacy = holder
    role = service_role if kind == "service" else member_role
    if revoked_at is not None or role is None:
        raise _invalid()
    if (not is_active) if kind == "service" else (removed_at is not None):
        raise _invalid()
    if expires_at is not None and expires_at <= clock.now_ms():
        raise Unauthorized("The API key has expired; create another one.")
    role = lesser(role, most or role)
    caller = Caller(org, kind, principal, email, role, key, scope, privacy=privacy)
    return caller, expires_at


def _invalid() -> Unauthorized:
    return Unauthorized("The API key is not valid.")
