"""Calls that passed the gateway without naming a session: each counts once beside what the agent
reports of it, in the session that it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.aggregate import lakes
from tests.aggregate.lakes import NOON
from tests.support.builders import an_organization

MINUTE = 60_000
FIGURES = {"input_tokens": 1200, "output_tokens": 57, "cache_read_tokens": 400}


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    return lakes.settings(tmp_path)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


def call(**fields: Any) -> Event:
    """A call of Gemini CLI as it reports it itself."""
    quiet = {"product": "gemini-cli", "model": "gemini-2.5-pro", "source": "otlp_logs", **FIGURES}
    return lakes.event("model_call", **(quiet | fields))


def passed(**fields: Any) -> Event:
    """A call of Gemini CLI as the gateway reports it."""
    quiet = {"source": "gateway", "root_session_id": None, "user_source": "credential"}
    return call(**(quiet | {"source_rank": 0, "ts": NOON + 700} | fields))


class Counted:
    def __init__(self, db: Database, config: Settings, org: OrgId, events: list[Event]) -> None:
        lakes.land(db, config, org, [events])
        roll_up(db, config, org, lakes.DAY)
        tokens = lakes.document(db, org, "tokens")
        self.input = tokens["input_tokens"]
        self.output = tokens["output_tokens"]
        sql = "SELECT agent_session_id, user_id, sources FROM agent_sessions WHERE org_id = ?"
        self.sessions = {session: (user, sources) for session, user, sources in db.rows(sql, org)}


@pytest.mark.both_databases
def test_a_call_that_its_agent_reports_counts_once_in_the_agents_session(
    db: Database, config: Settings, org: OrgId
) -> None:
    counted = Counted(db, config, org, [call(), passed()])

    assert (counted.input, counted.output) == (1200, 57)
    assert counted.sessions == {"s1": ("user_ada", "gateway")}


def test_a_call_of_which_the_figures_differ_counts_once_with_the_larger_ones(
    db: Database, config: Settings, org: OrgId
) -> None:
    counted = Counted(db, config, org, [call(input_tokens=1000, output_tokens=50), passed()])

    assert (counted.input, counted.output) == (1200, 57)


def test_of_two_sessions_at_once_a_call_belongs_to_the_one_that_reports_it(
    db: Database, config: Settings, org: OrgId
) -> None:
    events = [
        call(),
        call(root_session_id="s2", input_tokens=90, ts=NOON + 300),
        passed(ts=NOON + 301),
        passed(input_tokens=90, ts=NOON + 1),
    ]

    counted = Counted(db, config, org, events)

    assert counted.input == 1290
    assert counted.sessions == {"s1": ("user_ada", "gateway"), "s2": ("user_ada", "gateway")}


def test_equal_calls_of_two_people_stay_two(db: Database, config: Settings, org: OrgId) -> None:
    counted = Counted(db, config, org, [call(), passed(user_id="user_bob")])

    assert counted.input == 2400
    assert counted.sessions == {"s1": ("user_ada", "otlp_logs")}


def test_equal_calls_of_two_agents_stay_two(db: Database, config: Settings, org: OrgId) -> None:
    assert Counted(db, config, org, [call(), passed(product="qwen-code")]).input == 2400


def test_equal_calls_an_hour_apart_stay_two(db: Database, config: Settings, org: OrgId) -> None:
    assert Counted(db, config, org, [call(), passed(ts=NOON + 60 * MINUTE)]).input == 2400


def test_repeated_calls_are_matched_one_to_one(db: Database, config: Settings, org: OrgId) -> None:
    times = [NOON + number * 1000 for number in range(5)]
    reported = [call(ts=ts) for ts in times[:3]]

    counted = Counted(db, config, org, [*reported, *(passed(ts=ts + 20) for ts in times)])

    assert counted.input == 5 * 1200


def test_a_session_of_nobody_known_is_of_whoever_made_its_call_and_shows_nothing_else(
    db: Database, config: Settings, org: OrgId
) -> None:
    """The machine is not taken for the person's on the strength of equal figures."""
    on_machine = {"user_id": "user_of_machine", "user_source": "installation"}
    events = [
        call(**on_machine, installation="i1"),
        call(**on_machine, installation="i1", root_session_id="s2", ts=NOON + 60 * MINUTE),
    ]

    counted = Counted(db, config, org, [*events, passed()])

    assert counted.input == 2400
    assert {name: user for name, (user, _) in counted.sessions.items()} == {
        "s1": "user_ada",
        "s2": "user_of_machine",
    }


def test_calls_beside_counters_alone_count_once(db: Database, config: Settings, org: OrgId) -> None:
    counters = call(source="otlp_metrics", is_aggregate=True, ts=NOON + MINUTE)

    assert Counted(db, config, org, [counters, passed()]).input == 1200


def test_a_call_that_nothing_else_reports_counts_without_a_session(
    db: Database, config: Settings, org: OrgId
) -> None:
    counted = Counted(db, config, org, [passed(), passed(product="other")])

    assert counted.input == 2400
    assert counted.sessions == {}
