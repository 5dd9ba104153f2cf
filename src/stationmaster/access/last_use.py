"""When each key and session was last used, noted in memory and written now and then.

A write per request would cost more than the request. What a crash loses is under a minute.
"""

from __future__ import annotations

import threading

from stationmaster import clock
from stationmaster.access import store
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import sessions, store as signin_store
from stationmaster.db.engine import Database
from stationmaster.ids import KeyId, OrgId

WRITE_EVERY_MS = 60_000
_KEPT = ("key_", sessions.ID_PREFIX)
"""Beginnings of what is stored; an issuer's token, for one, is not."""


class LastUse:
    """One per process; safe to share between threads."""

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
