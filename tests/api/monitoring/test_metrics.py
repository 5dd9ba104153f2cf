"""`/metrics`: what it counts, in whose words, who may read it, and what a look costs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from stationmaster import clock
from stationmaster.api.monitoring.installation import Ages, RecentLook
from stationmaster.cli import application
from stationmaster.settings import Settings
from tests.lake.installation import Installation, a_delivery
from tests.spec import day
from tests.support.builders import an_event, an_organization
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for

LATENCY = "stationmaster_http_request_duration_seconds_count"


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path, database_url, analytics_requests_per_minute=1)) as s:
        yield s


def scrape(client: httpx.Client, **headers: str) -> dict[tuple[str, ...], float]:
    """Every sample: its name, and the values of its labels in the order of their names."""
    page = client.get("/metrics", headers=headers)
    assert page.status_code == 200
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in parse(page.text)
        for sample in family.samples
    }


def test_requests_are_counted_by_the_route_and_never_by_the_address(client: httpx.Client) -> None:
    client.get("/api/v0/computers/cmp_secretname")
    client.get("/nowhere/secretname")
    client.request("PURGE", "/api/platform/v1/me")
    client.get("/api/platform/v1/me")

    found = scrape(client)

    assert found[LATENCY, "GET", "/api/v0/computers/{computer_id}", "404"] == 1
    assert found[LATENCY, "GET", "unmatched", "404"] == 1
    assert found[LATENCY, "other", "/api/platform/v1/me", "405"] == 1
    assert found[LATENCY, "GET", "/api/platform/v1/me", "200"] == 1
    assert "secretname" not in client.get("/metrics").text


def test_records_are_counted_by_outcome_and_senders_choose_no_label(client: httpx.Client) -> None:
    events = [an_event(kind="user_message"), an_event(kind="user_message", product="my-own")]
    day.send(client, events)

    found = scrape(client)

    records = {key[1:]: n for key, n in found.items() if key[0].endswith("ingest_records_total")}
    assert sorted(records) == [("kept", "claude-code", "otlp_logs"), ("kept", "other", "otlp_logs")]
    assert found["stationmaster_ingest_requests_total", "events"] == 1
    assert found["stationmaster_ingest_bytes_total", "events"] > 100
    assert found[("stationmaster_inbox_rows",)] == 1


def test_moves_and_roll_ups_are_counted_when_they_are_done(client: httpx.Client) -> None:
    day.send(client, [an_event(kind="user_message", ts=day.TUESDAY)])
    span = {"startDate": "2026-11-17", "endDate": "2026-11-20"}
    assert client.get("/api/v1/analytics/activity", params=span).status_code == 200

    found = scrape(client)

    assert found[("stationmaster_mover_events_total",)] == 1
    assert found[("stationmaster_mover_parts_total",)] == 1
    assert found[("stationmaster_mover_batch_seconds_count",)] == 1
    assert found[("stationmaster_rollup_day_seconds_count",)] == 4
    assert found[("stationmaster_inbox_rows",)] == 0
    assert found[("stationmaster_rollup_due_days",)] == 0


def test_what_is_due_tells_since_when(server: Server, client: httpx.Client) -> None:
    day.send(client, [an_event(kind="user_message", ts=day.TUESDAY)])
    server.services.mover.drain()

    found = scrape(client)

    # The clock stands at nine o'clock of the fourth day after it.
    assert found[("stationmaster_rollup_due_days",)] == 4
    assert found[("stationmaster_rollup_oldest_due_age_seconds",)] == (3 * 24 + 9) * 3600


def test_a_refused_request_is_counted_as_shed(client: httpx.Client) -> None:
    span = {"startDate": "2026-11-17", "endDate": "2026-11-17"}
    asked = [client.get("/api/v1/analytics/tools", params=span).status_code for _ in range(3)]

    assert asked[1:] == [429, 429]
    assert scrape(client)["stationmaster_http_requests_shed_total", "rate_limited", "429"] == 2


def test_no_tenant_is_told_of(server: Server, client: httpx.Client, acme: day.Acme) -> None:
    day.send(client, day.tuesday())
    client.get("/api/platform/v1/members")
    page = client.get("/metrics").text

    told = (acme.org, acme.ada.user_id, "ada@example.com", "example.com", acme.key[-12:])
    assert [word for word in told if word in page] == []


def test_open_metrics_is_spoken_to_whoever_accepts_it(client: httpx.Client) -> None:
    accept = "application/openmetrics-text; version=1.0.0"
    page = client.get("/metrics", headers={"Accept": accept})

    assert page.headers["content-type"].startswith(accept)
    assert page.text.endswith("# EOF\n")


def _statuses(settings: Settings, *asked: tuple[str, dict[str, str]]) -> list[int]:
    """Of a request for the metrics from each address, with its header fields."""
    app = application.create(settings, background=None)

    async def ask(host: str, headers: dict[str, str]) -> int:
        transport = httpx.ASGITransport(app, client=(host, 1))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://here", timeout=PATIENCE_S
        ) as asking:
            return (await asking.get("/metrics", headers=headers)).status_code

    async def all_of_them() -> list[int]:
        async with app.router.lifespan_context(app):
            return [await ask(host, headers) for host, headers in asked]

    return asyncio.run(all_of_them())


def test_nobody_reads_them_without_a_key_unless_an_address_is_allowed(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", metrics_addresses="")
    assert _statuses(settings, *((host, {}) for host in ("127.0.0.1", "::1", "10.0.0.9"))) == [
        401,
        401,
        401,
    ]


def test_an_allowed_address_reads_them_without_a_key(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", metrics_addresses="10.0.0.0/24, ::1")
    asked = [(host, {}) for host in ("10.0.0.9", "::1", "::ffff:10.0.0.9", "10.0.1.9", "x")]
    assert _statuses(settings, *asked) == [200, 200, 200, 401, 401]


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_what_a_proxy_passes_on_does_not_come_from_the_proxys_address(
    tmp_path: Path, name: str
) -> None:
    settings = settings_for(tmp_path, "sqlite", metrics_addresses="127.0.0.1")
    assert _statuses(settings, ("127.0.0.1", {name: "127.0.0.1"})) == [401]


def test_behind_a_trusted_proxy_the_senders_address_must_be_allowed(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path, "sqlite", metrics_addresses="127.0.0.1,10.0.0.9", trusted_proxies="127.0.0.1"
    )
    through = [{"X-Forwarded-For": said} for said in ("10.0.0.9", "10.0.0.8", "10.0.0.9, 6.6.6.6")]
    asked = [("127.0.0.1", headers) for headers in ({}, *through)]
    assert _statuses(settings, *asked) == [401, 200, 401, 401]


def test_the_owner_of_the_only_organization_reads_them(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", metrics_addresses="")
    with running_server(settings) as server:
        cast = Cast(server.services.db, "acme")

        def status(key: str | None) -> int:
            with server.client(key) as client:
                return client.get("/metrics").status_code

        told = {who: status(cast.keys[who]) for who in ("owner", "manager", "member", "ingest")}
        an_organization(server.services.db, "Another")
        of_several = status(cast.keys["owner"])

    assert told == {"owner": 200, "manager": 403, "member": 403, "ingest": 403}
    assert of_several == 403


def test_with_a_token_whoever_has_it_may_read(tmp_path: Path) -> None:
    token = "of-our-prometheus"
    with running_server(
        settings_for(tmp_path, "sqlite", metrics_token=token, metrics_addresses="")
    ) as server:
        with server.client(token) as client:
            assert client.get("/metrics").status_code == 200
        for key in (None, token + "x", "sm_" + token):
            with server.client(key) as client:
                answer = client.get("/metrics")
            assert (answer.status_code, "www-authenticate" in answer.headers) == (401, True)


def test_a_database_that_does_not_answer_is_told_and_the_rest_stays(
    client: httpx.Client, server: Server
) -> None:
    with server.services.db.transaction() as connection:
        connection.exec_driver_sql("DROP TABLE lake_days")

    found = scrape(client)

    assert found[("stationmaster_storage_up",)] == 0
    assert ("stationmaster_inbox_commit_failures_total",) in found


class TestTheAgeOfTheOldestRow:
    @pytest.fixture
    def place(self, tmp_path: Path, database_url: str) -> Iterator[Installation]:
        place = Installation.open(tmp_path, database_url)
        yield place
        place.state.close()
        place.inbox.close()

    def test_it_is_the_time_since_it_was_first_seen(self, place: Installation) -> None:
        now = [100.0]
        ages = Ages(place.inbox, lambda: now[0])

        def look(at: float) -> float:
            now[0] = at
            return ages.look()

        assert look(100) == 0
        place.fill(a_delivery())
        assert look(101) == 0
        place.fill(a_delivery())
        assert look(111) == 10
        [(first,)] = place.inbox.rows("SELECT min(id) FROM inbox")
        place.inbox.write("DELETE FROM inbox WHERE id = ?", [(first,)])
        assert look(121) == 10  # The second one waits since the look at 111.
        place.inbox.write("DELETE FROM inbox WHERE id > ?", [(0,)])
        assert look(131) == 0

    def test_rows_that_are_set_aside_do_not_count(self, place: Installation) -> None:
        place.fill(a_delivery())
        place.inbox.write("UPDATE inbox SET batch_id = ?", [("corrupt:1",)])
        now = iter((0.0, 50.0))

        ages = Ages(place.inbox, lambda: next(now))

        assert (ages.look(), ages.look()) == (0, 0)


def test_scraping_looks_at_the_databases_once_a_second_at_most() -> None:
    looks: list[int] = []

    def look() -> int:
        looks.append(1)
        return len(looks)

    kept = RecentLook(look)

    assert [kept.get() for _ in range(100)] == [1] * 100
