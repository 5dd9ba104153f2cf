"""A dry run says what would become of a delivery, and nobody ever counts it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stationmaster import clock
from stationmaster.client import agent_samples
from tests.support.builders import a_key, a_member, an_organization
from tests.support.servers import Server, running_server, settings_for

EVENT = {
    "event_id": "ab" * 16,
    "kind": "tool_call",
    "ts": 1_795_176_000_000,
    "product": "codex",
    "source": "hook",
    "tool": "shell",
}
EVENTS = "/api/platform/v1/events"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("dry")
    with running_server(settings_for(folder, "sqlite")) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    db = server.services.db
    org = an_organization(db)
    ada = a_member(db, org, "ada@example.com")
    with server.client(a_key(db, org, ada, scope="ingest")) as client:
        yield client


def stored(server: Server) -> int:
    return server.services.inbox.backlog_bytes


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "copilot-cli", "droid"])
def test_an_export_is_answered_with_its_events_and_not_stored(
    server: Server, client: httpx.Client, agent: str
) -> None:
    now_ms = clock.now_ms()
    sample = agent_samples.export_of(agent, now_ms)
    assert sample is not None
    before = stored(server)

    answer = client.post(
        sample.path,
        content=sample.body,
        headers={"content-type": sample.content_type, "Stationmaster-Dry-Run": "true"},
    )

    told = answer.json()
    assert answer.headers["content-type"] == "application/json"
    assert told["dryRun"] is True
    assert abs(told["receivedAt"] - now_ms) < 60_000
    assert {event["product"] for event in told["events"]} == {agent}
    assert {event["user_email"] for event in told["events"]} == {"ada@example.com"}
    assert [outcome["outcome"] for outcome in told["outcomes"]] == ["kept"]
    assert stored(server) == before


def test_events_are_answered_as_they_would_be_kept_with_what_would_be_refused(
    server: Server, client: httpx.Client
) -> None:
    before = stored(server)

    answer = client.post(
        EVENTS, json=[EVENT, {"kind": "no event"}], headers={"Stationmaster-Dry-Run": "true"}
    )

    told = answer.json()
    assert [event["user_source"] for event in told["events"]] == ["credential"]
    assert {(o["product"], o["outcome"], o["count"]) for o in told["outcomes"]} == {
        ("codex", "kept", 1),
        ("unknown", "invalid", 1),
    }
    assert stored(server) == before


@pytest.mark.parametrize("path", ["/v1/logs", "/v1/metrics", "/v1/traces", EVENTS])
@pytest.mark.parametrize("value", ["yes", "1", "", "true,true", "TRUE"])
def test_a_header_that_says_neither_is_refused_and_nothing_stored(
    server: Server, client: httpx.Client, path: str, value: str
) -> None:
    before = stored(server)

    answer = client.post(path, json=[EVENT], headers={"Stationmaster-Dry-Run": value})

    assert answer.status_code == 400
    assert "Stationmaster-Dry-Run is `true` or `false`" in answer.text
    assert stored(server) == before


@pytest.mark.parametrize("headers", [{}, {"Stationmaster-Dry-Run": "false"}])
def test_what_is_no_dry_run_is_stored(
    server: Server, client: httpx.Client, headers: dict[str, str]
) -> None:
    before = stored(server)

    answer = client.post(EVENTS, json=[EVENT], headers=headers)

    assert answer.json() == {"accepted": 1, "rejected": 0, "errors": []}
    assert stored(server) > before


def test_the_last_events_of_the_keys_person_are_told_of_the_products_at_hand(
    any_server: Server,
) -> None:
    db = any_server.services.db
    org = an_organization(db)
    ada, bob = (a_member(db, org, f"{name}@example.com") for name in ("ada", "bob"))
    of_ada, of_bob = (a_key(db, org, person, scope="ingest") for person in (ada, bob))
    now_ms = clock.now_ms()
    dry = {"Stationmaster-Dry-Run": "true"}
    with any_server.client(of_ada) as http:
        for number, product in enumerate(("codex", "codex", "droid")):
            event = EVENT | {"event_id": f"{number:032x}", "product": product, "ts": now_ms}
            assert http.post(EVENTS, json=[event]).status_code == 200
        any_server.services.mover.drain()
        seen = http.post(EVENTS, json=[EVENT], headers=dry).json()["lastSeen"]
        nothing = http.post(EVENTS, json=[], headers=dry).json()["lastSeen"]
    with any_server.client(of_bob) as http:
        of_nobody_else = http.post(EVENTS, json=[EVENT], headers=dry).json()["lastSeen"]

    assert seen == [{"product": "codex", "source": "hook", "at": now_ms}]
    assert nothing == of_nobody_else == []
