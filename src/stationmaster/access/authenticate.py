"""From a bearer token to a caller, in one query and without a cache.

Without one because a revoked key, a removed member, a demotion or a paused service account must
count at the very next request of every process. The query costs some 20 µs.
"""

from __future__ import annotations

import threading

from stationmaster import clock
from stationmaster.access import store
from stationmaster.access.model import Caller, hash_of, is_whole_key, lesser
from stationmaster.access.signing_in import sessions, store as signin_store
from stationmaster.db.engine import Database
from stationmaster.errors import Unauthorized
from stationmaster.ids import KeyId, OrgId

WRITE_EVERY_MS = 60_000
_KEPT = ("key_", sessions.ID_PREFIX)
"""Beginnings of what is stored; an issuer's token, for one, is not."""

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
    account get the same error; an expired key has its own, to help its owner, who alone has it.
    """
    return authenticate_until(db, token)[0]


def authenticate_until(db: Database, token: str) -> tuple[Caller, int | None]:
    """The same, and when the key expires (UTC ms)."""
    if not is_whole_key(token):
        raise _invalid()
    rows = db.rows(_BY_HASH, hash_of(token))
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


class LastUse:
    """When each key and session was last used, noted in memory and written now and then: a write
    per request would cost more than the request, and a crash loses less than a minute.

    One per process; safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: dict[KeyId, tuple[OrgId, int]] = {}
        self._written: dict[KeyId, int] = {}

    def note(self, caller: Caller) -> None:
        """Remember that the caller's key or session is used now."""
        if not caller.key_id.startswith(_KEPT):
            return
        with self._lock:
            self._noted[caller.key_id] = (caller.org_id, clock.now_ms())

    def flush(self, db: Database) -> None:
        """Write what is due: a key at most once a minute. Keeps it all when storage fails."""
        with self._lock:
            due = {
                key: (org, at)
                for key, (org, at) in self._noted.items()
                if key not in self._written or at - self._written[key] >= WRITE_EVERY_MS
            }
        if due:
            with db.transaction() as connection:
                # In one order, so that two processes never wait for each other's rows.
                for key, (org, at) in sorted(due.items()):
                    if key.startswith(sessions.ID_PREFIX):
                        signin_store.set_session_used(connection, org, key, at)
                    else:
                        store.set_last_used(connection, org, key, at)
        with self._lock:
            for key, noted in due.items():
                if self._noted.get(key) == noted:
                    del self._noted[key]
                self._written[key] = noted[1]
            oldest = clock.now_ms() - WRITE_EVERY_MS
            self._written = {key: at for key, at in self._written.items() if at > oldest}
