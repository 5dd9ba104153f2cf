"""Which repository a call is for: what the caller says in a header field, else the one that the
session's telemetry has reported. Often it is unknown, and the call counts for no repository.
"""

from __future__ import annotations

import time

from stationmaster import ids
from stationmaster.agents import values
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.gateway.agents import Agent
from stationmaster.gateway.headers import Fields, first
from stationmaster.ids import OrgId

FIELD = b"x-stationmaster-repository"
FRESH_S = 30.0
"""How long the repository of a session, or that none is known, is not asked for again."""
_SESSIONS_MAX = 10_000
_REPORTED = """
SELECT repository FROM agent_sessions
WHERE org_id = ? AND session_id = ? AND repository <> '' ORDER BY day DESC LIMIT 1
"""


class Repositories:
    """Those of the sessions that one process has seen lately."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[tuple[OrgId, str], tuple[float, str]] = {}

    def of(self, org: OrgId, agent: Agent, fields: Fields) -> str:
        """A repository as reports name it (`host/owner/name`); "" where it is not known."""
        reported = values.repository(first(fields, FIELD))
        if reported is not None or agent.session is None:
            return reported or ""
        session, now = ids.session_of(org, agent.product, agent.session), time.monotonic()
        noted_at, repository = self._known.get((org, session), (-FRESH_S, ""))
        if now - noted_at < FRESH_S:
            return repository
        try:
            rows = self._db.rows(_REPORTED, org, session)
        except Unavailable:
            return repository
        if len(self._known) >= _SESSIONS_MAX:
            self._known.clear()
        repository = str(rows[0][0]) if rows else ""
        self._known[org, session] = now, repository
        return repository
