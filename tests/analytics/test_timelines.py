"""The timeline of a session has the calls of the gateway that named none, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stationmaster.aggregate.day import roll_up
from stationmaster.analytics import timelines
from stationmaster.analytics.timelines import SessionStep
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.sessions import SessionDay
from stationmaster.lake.storage import Lake
from stationmaster.pricing import current
from tests.aggregate import lakes
from tests.aggregate.lakes import NOON
from tests.support.builders import an_organization

MINUTE = 60_000
FIGURES = {"input_tokens": 1200, "output_tokens": 57, "cache_read_tokens": 400}
AGENTS = pytest.mark.parametrize("agent", ["gemini-cli", "qwen-code", "copilot-cli"])


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


def event(agent: str, kind: str = "model_call", **fields: Any) -> Event:
    quiet = {"product": agent, "source": "otlp_logs"}
    return lakes.event(kind, **(quiet | (FIGURES if kind == "model_call" else {}) | fields))


def passed(agent: str, **fields: Any) -> Event:
    """A call as the gateway reports it."""
    quiet = {"source": "gateway", "root_session_id": None, "user_source": "credential"}
    return event(agent, **(quiet | {"source_rank": 0, "ts": NOON + 700} | fields))


def calls_of(
    session: str, db: Database, folder: Path, org: OrgId, events: list[Event]
) -> list[SessionStep]:
    """The model calls in the timeline of a session of these events."""
    settings = lakes.settings(folder)
    lakes.land(db, settings, org, [events])
    roll_up(db, settings, org, lakes.DAY)
    columns = ", ".join(SessionDay._fields)
    sql = f"SELECT {columns} FROM agent_sessions WHERE org_id = ? AND agent_session_id = ?"
    rows = [(lakes.DAY, SessionDay._make(row)) for row in db.rows(sql, org, session)]
    card = current.card(db, settings, org)
    found = timelines.read(db, Lake.open(settings), org, rows, card)
    return [step for step in found.steps if step.kind == "model_call"]


@AGENTS
def test_calls_that_only_the_gateway_reports_are_in_the_session_nearest_to_them(
    agent: str, db: Database, tmp_path: Path, org: OrgId
) -> None:
    events = [
        event(agent, "user_message", ts=NOON),
        passed(agent, ts=NOON + MINUTE),
        passed(agent, ts=NOON + 2 * MINUTE),
        event(agent, "user_message", ts=NOON + 3 * MINUTE),
        event(agent, "user_message", root_session_id="s2", ts=NOON + 20 * MINUTE),
        passed(agent, ts=NOON + 21 * MINUTE, output_tokens=5),
    ]

    steps = calls_of("s1", db, tmp_path, org, events)

    assert [(step.at, step.output_tokens) for step in steps] == [
        (NOON + MINUTE, 57),
        (NOON + 2 * MINUTE, 57),
    ]


@AGENTS
def test_a_call_that_the_agent_reports_as_well_is_there_once(
    agent: str, db: Database, tmp_path: Path, org: OrgId
) -> None:
    steps = calls_of("s1", db, tmp_path, org, [event(agent), passed(agent)])

    assert [step.input_tokens for step in steps] == [1200]


@pytest.mark.both_databases
def test_calls_of_others_are_in_nobody_elses_session(
    db: Database, tmp_path: Path, org: OrgId
) -> None:
    events = [
        event("qwen-code", "user_message", ts=NOON),
        event("qwen-code", "user_message", ts=NOON + 3 * MINUTE),
        passed("qwen-code", ts=NOON + MINUTE, user_id="user_grace"),
        passed("gemini-cli", ts=NOON + MINUTE),
    ]

    assert calls_of("s1", db, tmp_path, org, events) == []
