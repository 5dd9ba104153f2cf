"""A running server over time: freshness, restatement, limits, large answers, tenants, the end."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster import clock
from stationmaster.analytics import freshness
from stationmaster.api.background.worker import Worker
from stationmaster.lake.rollups.store import digest
from tests.spec import day
from tests.support.builders import a_key, a_member, an_event
from tests.support.servers import Server, running_server, settings_for

WEEK = {"startDate": "2026-11-16", "endDate": "2026-11-20"}


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path, database_url)) as running:
        yield running


def get(client: httpx.Client, report: str, **params: str) -> httpx.Response:
    return client.get(f"/api/v1/analytics/{report}", params=WEEK | params)


def user_messages(client: httpx.Client) -> list[int]:
    return [row["user_messages"] for row in get(client, "activity").json()["data"]]


def test_what_was_just_accepted_is_in_the_next_answer(client: httpx.Client) -> None:
    day.send(client, [an_event(kind="user_message")])

    assert user_messages(client) == [1]


def test_an_earlier_day_that_arrives_later_extends_the_answer(client: httpx.Client) -> None:
    day.send(client, [an_event(kind="user_message")])
    assert user_messages(client) == [1]

    day.send(client, [an_event(kind="user_message", ts=day.TUESDAY)])
    clock.freeze(day.NOW + timedelta(hours=1))

    assert user_messages(client) == [1, 0, 0, 1]


def test_late_data_restates_the_day_with_a_new_revision_and_tag(client: httpx.Client) -> None:
    day.send(client, [an_event(kind="user_message")])
    before = get(client, "activity")
    day.send(client, [an_event(kind="user_message")])
    clock.freeze(day.NOW + timedelta(hours=1))

    after = get(client, "activity")

    revisions = [answer.headers["x-stationmaster-revision"] for answer in (before, after)]
    assert revisions == ["1", "2"]
    assert before.headers["etag"] != after.headers["etag"]
    assert user_messages(client) == [2]


def test_a_small_day_is_restated_right_after_its_roll_up(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine: a first roll-up may take it over a second.
    monkeypatch.setattr(freshness, "CHEAP_MS", 60_000)
    day.send(client, [an_event(kind="user_message")])
    assert user_messages(client) == [1]
    day.send(client, [an_event(kind="user_message")])

    assert user_messages(client) == [2]


def test_many_questions_at_once_roll_a_day_up_once(
    server: Server, acme: day.Acme, client: httpx.Client
) -> None:
    day.send(client, [an_event(kind="user_message")])
    answers: list[httpx.Response] = []

    def ask() -> None:
        with server.client(acme.key) as own:
            answers.append(get(own, "activity"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({answer.content for answer in answers}) == 1
    assert {answer.headers["x-stationmaster-revision"] for answer in answers} == {"1"}


def test_the_worker_rolls_days_up_without_a_question(
    server: Server, acme: day.Acme, client: httpx.Client
) -> None:
    day.send(client, [an_event(kind="user_message")])
    worker = Worker(server.services)
    worker.start()
    try:
        found = _await_documents(server)
    finally:
        worker.stop()

    assert found == 1


def _await_documents(server: Server) -> int:
    sql = "SELECT count(*) FROM report_documents WHERE report = 'activity'"
    for _ in range(600):
        count: int = server.services.db.rows(sql)[0][0]
        if count:
            return count
        threading.Event().wait(0.05)
    return 0


def test_requests_above_the_limit_are_refused_and_304_is_free(
    database_url: str, tmp_path: Path
) -> None:
    clock.freeze(day.NOW)
    limited = settings_for(tmp_path, database_url, analytics_requests_per_minute=3)
    with running_server(limited) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            first = get(client, "tokens")
            tag = {"If-None-Match": first.headers["etag"]}
            free = [client.get(first.request.url, headers=tag) for _ in range(10)]
            rest = [get(client, "tokens") for _ in range(3)]

    assert [answer.status_code for answer in free] == [304] * 10
    assert first.headers["ratelimit-policy"] == '"key";q=3;w=60, "organization";q=3;w=60'
    assert [answer.status_code for answer in rest] == [200, 200, 429]
    refused = rest[2]
    assert int(refused.headers["retry-after"]) == refused.json()["metadata"]["retry_after_seconds"]
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert refused.headers["ratelimit"].startswith('"key";r=0;t=')
    assert refused.json()["title"] == "Too Many Requests"
    assert refused.json()["requestId"] == refused.headers["x-request-id"]


def test_a_large_range_comes_in_chunks_and_is_whole(
    server: Server, acme: day.Acme, client: httpx.Client
) -> None:
    rows = _publish_large(server, acme, count=40)

    answer = client.get(
        "/api/v1/analytics/tokens", params={"startDate": "2026-10-01", "endDate": "2026-11-20"}
    )

    assert "content-length" not in answer.headers
    assert answer.headers["transfer-encoding"] == "chunked"
    assert answer.json()["data"] == rows
    head = client.head(answer.request.url)
    assert (head.status_code, head.headers["etag"]) == (200, answer.headers["etag"])


def _publish_large(server: Server, acme: day.Acme, count: int) -> list[dict[str, Any]]:
    """Documents of 100 KB a day, too large to be held at once."""
    last = date(2026, 11, 20)
    rows = [
        {"date": (last - timedelta(days=n)).isoformat(), "padding": "x" * 100_000}
        for n in reversed(range(count))
    ]
    with server.services.db.transaction() as connection:
        for row in rows:
            body = json.dumps(row).encode()
            driver: Any = connection.connection.driver_connection
            mark = "?" if server.services.db.dialect == "sqlite" else "%s"
            marks = ", ".join([mark] * 6)
            driver.execute(
                f"INSERT INTO report_documents VALUES ({marks})",
                (acme.org, "tokens", row["date"], 1, digest(body), body),
            )
            driver.execute(
                "INSERT INTO lake_days (org_id, day, landed, rolled, rolled_at, cost_ms)"
                f" VALUES ({marks})",
                (acme.org, row["date"], 1, 1, 0, 1),
            )
    return rows


def test_a_healthy_server_is_alive_and_ready(server: Server) -> None:
    with server.client() as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/readyz").json() == {"status": "ok"}


@pytest.mark.slow
def test_a_server_whose_state_takes_no_writes_is_not_ready_and_says_why(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite")) as server, server.client() as client:
        holder = sqlite3.connect(server.settings.data_dir / "stationmaster.sqlite3")
        holder.execute("BEGIN IMMEDIATE")
        answer = client.get("/readyz")
        holder.close()

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["status"] == "unavailable"
    assert [reason.partition(":")[0] for reason in answer.json()["reasons"]] == ["state"]


def test_me_tells_who_the_caller_is(client: httpx.Client, acme: day.Acme) -> None:
    body = client.get("/api/platform/v1/me").json()

    assert body == {
        "org_id": acme.org,
        "principal_kind": "human",
        "principal_id": acme.ada.user_id,
        "email": "ada@example.com",
        "role": "owner",
        "key_id": body["key_id"],
        "scope": "full",
    }


def test_what_was_accepted_survives_the_end_of_the_server(
    database_url: str, tmp_path: Path
) -> None:
    clock.freeze(day.NOW)
    settings = settings_for(tmp_path, database_url)
    with running_server(settings) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            day.send(client, [an_event(kind="user_message")])

    with running_server(settings) as again, again.client(acme.key) as client:
        assert user_messages(client) == [1]


@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(["s1", "s2"]), st.integers(0, 3)),
        min_size=1,
        max_size=8,
    )
)
def test_two_organizations_driven_at_once_never_see_each_other(
    server: Server, sent: list[tuple[bool, str, int]]
) -> None:
    db = server.services.db
    tenants = []
    for name in ("left", "right"):
        acme = day.Acme(db)
        other = a_member(db, acme.org, f"{name}@example.com", "owner")
        tenants.append((name, server.client(a_key(db, acme.org, other)), acme.org))
    expected = {"left": 0, "right": 0}
    for is_left, session, age in sent:
        name, client, _ = tenants[0 if is_left else 1]
        event = an_event(
            kind="user_message",
            session_id=session,
            ts=day.THURSDAY - age * 86_400_000,
            user_email=f"{name}@example.com",
        )
        day.send(client, [event])
        expected[name] += 1

    for name, client, org in tenants:
        answer = get(client, "users", limit="100")
        assert sum(row["user_messages"] for row in answer.json()["data"]) == expected[name]
        assert {row["user_email"] for row in answer.json()["data"]} <= {f"{name}@example.com"}
        assert answer.json()["meta"]["org_id"] == org
        foreign = "right" if name == "left" else "left"
        everything = b"".join(get(client, r).content for r in ("tokens", "tools", "users"))
        assert foreign.encode() not in everything
        client.close()
