"""What `POST /api/platform/v1/events` answers, and what docs/events.md says to its clients."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import msgspec
import pytest

from stationmaster.api.openapi import EventsRefused
from stationmaster.events.model import Event, Kind, Source, event_id
from tests.spec import day
from tests.support.builders import an_event
from tests.support.described import description
from tests.support.servers import Server, running_server, settings_for

EVENTS = "/api/platform/v1/events"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "events.md"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(settings_for(tmp_path_factory.mktemp("events"), "sqlite")) as server:
        yield server


def sent(**fields: Any) -> dict[str, Any]:
    event: dict[str, Any] = msgspec.to_builtins(an_event(kind="user_message", **fields))
    return event


def user_messages(client: httpx.Client) -> int:
    range_ = {"startDate": "2026-11-14", "endDate": "2026-11-20"}
    rows = client.get("/api/v1/analytics/activity", params=range_).json()["data"]
    return sum(row["user_messages"] for row in rows)


def test_the_status_says_whether_all_some_or_no_events_were_accepted(client: httpx.Client) -> None:
    good, bad = sent(), {"kind": "user_message"}

    assert client.post(EVENTS, json=[]).status_code == 200
    assert client.post(EVENTS, json=[good]).status_code == 200
    part = client.post(EVENTS, json=[good, bad])
    none = client.post(EVENTS, json=[bad, bad])

    assert (part.status_code, part.json()["accepted"], part.json()["rejected"]) == (207, 1, 1)
    assert none.status_code == 422
    refusal = msgspec.json.decode(none.content, type=EventsRefused)
    assert refusal.metadata.code == "no_event_accepted"
    assert refusal.detail == (
        "None of 2 events was accepted; event 0: Object missing required field `event_id`"
    )
    assert (refusal.accepted, refusal.rejected) == (0, 2)
    assert [each.index for each in refusal.errors] == [0, 1]


def test_what_is_sent_again_after_a_part_was_refused_counts_once(client: httpx.Client) -> None:
    good, bad = sent(), sent(event_id="not hexadecimal")

    for _ in range(2):
        assert client.post(EVENTS, json=[good, bad]).status_code == 207
    assert client.post(EVENTS, json=[good, sent(event_id="ab" * 16)]).status_code == 200

    assert user_messages(client) == 2


def test_refused_events_are_counted_where_an_operator_looks(
    client: httpx.Client, server: Server, acme: day.Acme
) -> None:
    assert client.post(EVENTS, json=[{}]).status_code == 422

    server.services.mover.drain()
    [[count]] = server.services.db.rows(
        "SELECT count FROM intake_counts WHERE org_id = ? AND outcome = 'invalid'", acme.org
    )
    assert count == 1


def test_the_page_marks_the_required_fields_and_lists_kinds_and_sources() -> None:
    table = PAGE.read_text().partition("\n## ")[0]
    marked = set(re.findall(r"^\| `(\w+)`[^|]*\| [^|]*\*\*required\*\*", table, re.MULTILINE))
    required = {field.name for field in msgspec.structs.fields(Event) if field.required}

    assert marked == required
    sources = PAGE.read_text().partition("## Sources")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", sources, re.MULTILINE) == list(get_args(Source))
    [kinds] = re.findall(r"^\| `kind` .*$", table, re.MULTILINE)
    assert set(get_args(Kind)) <= set(re.findall(r"`(\w+)`", kinds))


def test_the_description_marks_the_same() -> None:
    described = description()["paths"][EVENTS]["post"]["requestBody"]
    [array, _] = described["content"]["application/json"]["schema"]["anyOf"]

    required = [field.name for field in msgspec.structs.fields(Event) if field.required]
    assert sorted(array["items"]["required"]) == sorted(required)
    assert array["items"]["properties"]["source"]["enum"] == list(get_args(Source))
    assert array["items"]["properties"]["kind"]["enum"] == list(get_args(Kind))


def test_the_pages_example_of_an_event_id_makes_ours(tmp_path: Path) -> None:
    [example] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, check=True, cwd=tmp_path
    )

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event_id"] for event in events] == [
        event_id("house-agent", "model_call", "session-7", "call-1"),
        event_id("house-agent", "tool_call", "session-7", "call-1", "tool-1"),
    ]
