"""GET /api/platform/v1/sessions, …/{id} and /me/sessions."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pytest
from sqlalchemy import insert

from stationmaster import clock
from stationmaster.access import privacy
from stationmaster.db.tables.rollups import active_users
from stationmaster.lake.rollups import sessions as stored
from stationmaster.people import service as people
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, a_session, an_event
from tests.support.servers import Server

SESSIONS = "/api/platform/v1/sessions"
MINE = "/api/platform/v1/me/sessions"


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    """Tuesday's and Thursday's work of people and a program."""
    clock.freeze(day.NOW)
    acme = day.Acme(any_server.services.db)
    with any_server.client(acme.key) as client, any_server.client(acme.nightly_key) as program:
        day.send(client, [*day.tuesday(), *day.thursday()])
        day.send(program, day.nightly())
    return acme


def asked(client: httpx.Client, address: str = SESSIONS, **params: str) -> dict[str, Any]:
    answer = client.get(address, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def listed(client: httpx.Client, address: str = SESSIONS, **params: str) -> list[str]:
    return [each["agentSessionId"] for each in asked(client, address, **params)["sessions"]]


@pytest.mark.both_databases
def test_sessions_are_listed_latest_first_each_once_over_all_its_days(ada: httpx.Client) -> None:
    found = asked(ada)

    first = found["sessions"][0]
    assert next(each["agentSessionId"] for each in found["sessions"]) == "s1"
    assert sorted(each["agentSessionId"] for each in found["sessions"]) == ["s1", "s2", "s3"]
    assert (found["startDate"], found["endDate"]) == ("2026-10-22", "2026-11-20")
    assert first["days"] == ["2026-11-17", "2026-11-19"]
    assert (first["startedAt"], first["endedAt"]) == (day.TUESDAY, day.THURSDAY)
    assert (first["email"], first["agent"]) == ("ada@example.com", "claude-code")
    assert (first["userMessages"], first["toolCalls"], first["refusedToolCalls"]) == (3, 6, 1)
    assert (first["filesChanged"], first["commits"], first["pullRequests"]) == (3, 1, 1)
    usage = first["usage"]
    assert (usage["calls"], usage["inputTokens"], usage["outputTokens"]) == (3, 1017, 205)
    assert (usage["cacheReadTokens"], usage["cacheWriteTokens"]) == (500, 30)
    # As costs of the two days: 6358.5 and 30 microdollars.
    assert usage["costUsd"] == "0.0063885"
    assert next((each["tool"], each["calls"]) for each in first["tools"]) == ("Read", 3)


@pytest.mark.both_databases
def test_sessions_of_a_person_a_model_and_a_range(ada: httpx.Client, acme: day.Acme) -> None:
    assert listed(ada, person="bob@example.com") == ["s2"]
    assert listed(ada, person=acme.nightly.service_account_id) == ["s3"]
    assert sorted(listed(ada, model=day.HAIKU)) == ["s2", "s3"]
    assert listed(ada, model=day.SONNET, agent="claude-code") == ["s1"]
    assert listed(ada, agent="codex") == []
    assert listed(ada, repository="unknown", startDate="2026-11-18") == ["s1"]
    assert "s1" in listed(ada, model=day.SONNET, endDate="2026-11-18")


@pytest.mark.both_databases
def test_pages_have_every_session_once(ada: httpx.Client) -> None:
    found: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        answer = asked(ada, limit="1", **cursor)
        found += [each["id"] for each in answer["sessions"]]
        cursor = {"cursor": answer["pagination"]["nextCursor"]}

    assert len(set(found)) == 3
    assert cursor == {"cursor": None}


def test_a_session_has_a_timeline_of_names_and_figures(ada: httpx.Client) -> None:
    [session] = asked(ada, person="bob@example.com")["sessions"]

    found = asked(ada, f"{SESSIONS}/{session['id']}")

    assert found["session"] == session
    steps = found["timeline"]["steps"]
    assert sorted((step["kind"], step["name"], step["outcome"]) for step in steps) == [
        ("model_call", day.HAIKU, "ok"),
        ("tool_call", "Read", "ok"),
        ("user_message", None, "ok"),
    ]
    [call] = [step for step in steps if step["kind"] == "model_call"]
    assert (call["at"], call["inputTokens"], call["outputTokens"]) == (day.TUESDAY, 300, 20)
    assert (found["timeline"]["leftOut"], found["timeline"]["erasedDays"]) == (0, [])


def test_members_see_their_own_sessions_and_nobody_elses(
    any_server: Server, ada: httpx.Client, acme: day.Acme
) -> None:
    bob = a_member(any_server.services.db, acme.org, "bob@example.com", "member")
    [mine] = asked(ada, person=bob.user_id)["sessions"]
    [other] = asked(ada, person=acme.ada.user_id)["sessions"]
    with any_server.client(a_key(any_server.services.db, acme.org, bob)) as client:
        assert listed(client, MINE) == ["s2"]
        assert client.get(SESSIONS).status_code == 403
        assert client.get(f"{SESSIONS}/{mine['id']}").status_code == 200
        assert client.get(f"{SESSIONS}/{other['id']}").status_code == 404


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_where_people_are_not_named_only_programs_are_listed_and_everybodys_own(
    any_server: Server, ada: httpx.Client, acme: day.Acme, mode: Any
) -> None:
    [bobs] = asked(ada, person="bob@example.com")["sessions"]
    by = a_caller(any_server.services.db, acme.org, acme.ada)
    privacy.put(any_server.services.db, acme.org, mode, None, by=by)

    found = asked(ada)

    assert [each["agentSessionId"] for each in found["sessions"]] == ["s3"]
    assert found["onlyPrograms"] is True
    refused = ada.get(SESSIONS, params={"person": "bob@example.com"})
    assert (refused.status_code, refused.json()["metadata"]["code"]) == (403, "privacy_mode")
    assert ada.get(f"{SESSIONS}/{bobs['id']}").status_code == 404
    assert listed(ada, MINE) == ["s1"]
    assert listed(ada, person="ada@example.com") == ["s1"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"cursor": "x"}, "invalid_cursor"),
        ({"startDate": "2026-11-20", "endDate": "2026-11-19"}, "invalid_range"),
        ({"startDate": "2020-01-01"}, "range_too_long"),
        ({"endDate": "2026-11-22"}, "date_not_available"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ada: httpx.Client, params: dict[str, str], code: str
) -> None:
    answer = ada.get(SESSIONS, params=params)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, code)


def test_everybody_has_their_own_usage_in_the_definitions_of_the_report(
    any_server: Server, ada: httpx.Client, acme: day.Acme
) -> None:
    bob = a_member(any_server.services.db, acme.org, "bob@example.com", "guest")
    span = {"startDate": "2026-11-17", "endDate": "2026-11-20", "group_by": "model"}
    spend = "/api/platform/v1/analytics/spend"
    expected = asked(ada, spend, **span, user=bob.user_id)
    by = a_caller(any_server.services.db, acme.org, acme.ada)
    privacy.put(any_server.services.db, acme.org, "off", None, by=by)
    with any_server.client(a_key(any_server.services.db, acme.org, bob)) as client:
        mine = asked(client, "/api/platform/v1/me/usage", **span, user=acme.ada.user_id)

    assert mine["data"] == expected["data"]
    assert [row["group_key"] for row in mine["data"]] == [day.HAIKU]


def test_the_dollars_of_the_calls_in_a_timeline_add_up_to_those_of_the_session(
    any_server: Server, ada: httpx.Client
) -> None:
    call: dict[str, Any] = {
        "session_id": "s9",
        "ts": day.TUESDAY,
        "user_email": "eve@example.com",
        "source": "transcript",
    }
    shared = {"event_id": "9" * 32, "model": day.SONNET, "input_tokens": 1000}
    events = [
        an_event(**call, **shared, cache_write_tokens=50, cache_write_1h_tokens=40),
        # The same call by another source, which knows less of the cache and more of the output.
        an_event(**{**call, "source": "otlp_logs"}, **shared, output_tokens=7, source_rank=0),
        an_event(**call, model=day.SONNET, output_tokens=100, service_tier="batch"),
        an_event(**call, model="claude-opus-4-6", speed="fast", input_tokens=300_000),
        an_event(**call, model="nobodys-model", input_tokens=5),
        an_event(**call, model=day.SONNET),
        an_event(**call, kind="user_message"),
    ]
    day.send(ada, events)

    [listed] = asked(ada, person="eve@example.com")["sessions"]
    found = asked(ada, f"{SESSIONS}/{listed['id']}")

    steps = found["timeline"]["steps"]
    prices = [Decimal(step["costUsd"]) for step in steps if step["costUsd"] is not None]
    assert sum(prices) == Decimal(found["session"]["usage"]["costUsd"])
    # 1000 of input, 7 of output, 10 written for minutes and 40 for an hour, at 3, 15, 3.75 and 6.
    assert Decimal("0.0033825") in prices
    assert {(step["kind"], step["name"]) for step in steps if step["costUsd"] is None} == {
        ("model_call", "nobodys-model"),
        ("model_call", day.SONNET),
        ("user_message", None),
    }


@pytest.mark.both_databases
def test_a_merged_person_has_the_sessions_and_the_usage_of_both_addresses(
    any_server: Server, ada: httpx.Client, acme: day.Acme
) -> None:
    db = any_server.services.db
    assert set(listed(ada)) == {"s1", "s2", "s3"}
    people.merge(db, acme.org, acme.bob_id, "ada@example.com", by=a_caller(db, acme.org, acme.ada))
    # A day whose events are erased is not counted again: its rows keep the id that they had.
    erased, ended = date(2026, 11, 16), day.TUESDAY - 86_400_000
    kept = a_session(acme.org, "kept", user_id=acme.bob_id, started_at=ended, ended_at=ended)
    with db.transaction() as connection:
        stored.replace(connection, acme.org, erased, [kept])
        active = {"org_id": acme.org, "day": f"{erased}", "user_id": acme.bob_id}
        connection.execute(insert(active_users).values(**active, is_counted=True))
    bob = a_member(db, acme.org, "bob@example.com", "member")
    of_both = {"kept", "s1", "s2"}
    span = {"startDate": "2026-11-17", "endDate": "2026-11-20", "group_by": "model"}
    usage = "/api/platform/v1/me/usage"

    with any_server.client(a_key(db, acme.org, bob)) as client:
        assert set(listed(client, MINE)) == of_both
        mine = asked(client, usage, **span)["data"]
        assert {row["group_key"] for row in mine} == {day.SONNET, day.HAIKU}
        assert client.get(f"{SESSIONS}/{kept.session_id}").status_code == 200
    assert set(listed(ada, MINE)) == of_both
    assert asked(ada, usage, **span)["data"] == mine
    for person in ("ada@example.com", "bob@example.com"):
        assert set(listed(ada, person=person)) == of_both
        report = "/api/platform/v1/analytics/spend"
        assert asked(ada, report, **span, user=person)["data"] == mine
    by = a_caller(db, acme.org, acme.ada)
    privacy.put(db, acme.org, "off", None, by=by)
    assert ada.get(f"{SESSIONS}/{kept.session_id}").status_code == 200
    assert set(listed(ada, person="bob@example.com")) == of_both
