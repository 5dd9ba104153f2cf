"""Requests about sessions of agents and background jobs."""

from __future__ import annotations

from datetime import date

from stationmaster import ids
from stationmaster.jobs import service as jobs
from stationmaster.lake.rollups import sessions as stored_sessions
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.builders import a_session
from tests.support.cast import Cast


@asks("GET /api/platform/v1/sessions/{session_id}")
def _session(_house: House, cast: Cast, _caller: str) -> Ask:
    """A session of somebody whom only telemetry names."""
    row = a_session(cast.org)
    with cast.db.transaction() as connection:
        stored_sessions.replace(connection, cast.org, date(2026, 11, 20), [row])
    return Ask(path={"session_id": row.session_id})


@asks("GET /api/platform/v1/jobs/{job_id}", "POST /api/platform/v1/jobs/{job_id}/cancel")
def _job(_house: House, cast: Cast, _caller: str) -> Ask:
    # No process knows this kind, so it waits until it is called off.
    waiting = jobs.ask(cast.db, cast.org, "of-tomorrow", ids.new("repo"), by=None)
    return Ask(path={"job_id": waiting.job_id})
