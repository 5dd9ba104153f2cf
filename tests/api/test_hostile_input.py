"""What a server meets from broken and hostile senders: the documented shape, and nothing stored."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.builders import a_key, an_event
from tests.support.servers import Server, running_server, settings_for

pytestmark = pytest.mark.attack

EVENTS = "/api/platform/v1/events"
JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}
MIB = 2**20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hostile")
    with running_server(settings_for(folder, "sqlite", request_body_max=MIB)) as running:
        yield running


def rows(client: httpx.Client, report: str = "users") -> list[dict[str, Any]]:
    span = {"startDate": "2026-11-01", "endDate": "2026-11-20"}
    answer = client.get(f"/api/v1/analytics/{report}", params=span)
    assert answer.status_code == 200
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


def bomb() -> bytes:
    return gzip.compress(bytes(64 * MIB))


@pytest.mark.parametrize("signal", ["logs", "metrics", "traces"])
@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (PROTOBUF, b"\xff\xff\xff\xff", 400),
        (PROTOBUF, b"not protobuf at all", 400),
        (JSON, b"{", 400),
        (JSON, b"[]", 400),
        (JSON, b'"\xff\xfe"', 400),
        (JSON, b"[" * 100_000, 400),
        ({}, b"", 415),
        ({"Content-Type": "text/plain"}, b"hello", 415),
        (PROTOBUF | {"Content-Encoding": "br"}, b"x", 415),
        (PROTOBUF | {"Content-Encoding": "gzip"}, b"not gzip", 400),
        (PROTOBUF | {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 1000, mtime=0)[:-9], 400),
        (PROTOBUF | {"Content-Encoding": "gzip"}, bomb(), 413),
        (PROTOBUF, bytes(MIB + 1), 413),
    ],
    ids=lambda value: "" if isinstance(value, dict | bytes) else str(value),
)
def test_a_bad_otlp_body_is_refused_with_a_status_in_its_encoding(
    client: httpx.Client, signal: str, headers: dict[str, str], body: bytes, status: int
) -> None:
    answer = client.post(f"/v1/{signal}", content=body, headers=headers)

    assert answer.status_code == status
    if headers.get("Content-Type") == PROTOBUF["Content-Type"]:
        assert answer.headers["content-type"] == "application/x-protobuf"
        assert answer.content[:2] == b"\x08\x03"
    else:
        assert list(answer.json()) == ["code", "message"]
    assert rows(client) == []


def test_a_body_without_a_length_is_refused_once_it_exceeds_the_limit(
    client: httpx.Client,
) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield bytes(MIB)

    try:
        status = client.post("/v1/logs", content=endless(), headers=PROTOBUF).status_code
    except httpx.WriteError:
        status = 413  # The server answered and hung up while we were still sending.

    assert status == 413
    assert rows(client) == []


@pytest.mark.parametrize("signal", ["logs", "metrics", "traces"])
def test_otlp_without_a_valid_key_is_401_in_its_encoding(server: Server, signal: str) -> None:
    with server.client() as client:
        missing = client.post(f"/v1/{signal}", content=b"{}", headers=JSON)
        wrong = client.post(
            f"/v1/{signal}", content=b"", headers=PROTOBUF | {"Authorization": "Bearer sm_x"}
        )

    assert (missing.status_code, missing.json()["code"]) == (401, 16)
    assert missing.headers["www-authenticate"] == 'Bearer realm="stationmaster"'
    assert (wrong.status_code, wrong.content[:2]) == (401, b"\x08\x10")


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        (JSON, b"", 400, "malformed_body"),
        (JSON, b"null", 400, "malformed_body"),
        (JSON, b'{"events": 1}', 400, "malformed_body"),
        (JSON, b"[" * 100_000, 400, "malformed_body"),
        ({"Content-Type": "text/csv"}, b"a,b", 415, "unsupported_media_type"),
        (JSON | {"Content-Encoding": "zstd"}, b"", 415, "unsupported_media_type"),
        (JSON | {"Content-Encoding": "gzip"}, bomb(), 413, "body_too_large"),
        (JSON, b" " * (MIB + 1), 413, "body_too_large"),
        (JSON, b"[" + b"{}," * 10_000 + b"{}]", 413, "too_many_events"),
    ],
    ids=lambda value: str(value) if isinstance(value, str | int) else "",
)
def test_a_bad_batch_of_events_is_refused_as_a_whole(
    client: httpx.Client, headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    answer = client.post(EVENTS, content=body, headers=headers)

    assert answer.status_code == status
    assert list(answer.json()) == ["detail", "status", "title", "metadata"]
    assert answer.json()["metadata"]["code"] == code
    assert rows(client) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"input_tokens": -1},
        {"input_tokens": 1.5},
        {"input_tokens": 2**63},
        {"input_tokens": "7"},
        {"ts": "2026-11-20"},
        {"ts": -1},
        {"kind": "surprise"},
        {"model": "x" * 201},
        {"tool": "line\nbreak"},
        {"event_id": "short"},
        {"prompt": "c0nfidential"},
        {"count": 0},
    ],
    ids=str,
)
def test_one_bad_event_is_named_and_takes_no_other_down(
    client: httpx.Client, wrong: dict[str, Any]
) -> None:
    bad = msgspec.to_builtins(an_event()) | wrong
    good = [msgspec.to_builtins(an_event(kind="user_message")) for _ in range(2)]

    answer = client.post(EVENTS, content=json.dumps([good[0], bad, good[1]]), headers=JSON)

    assert answer.status_code == 207
    assert (answer.json()["accepted"], answer.json()["rejected"]) == (2, 1)
    assert [error["index"] for error in answer.json()["errors"]] == [1]
    assert "c0nfidential" not in answer.text
    assert [row["user_messages"] for row in rows(client)] == [2]


@pytest.mark.parametrize("ts", [0, 1, 4_102_444_800_000])
def test_an_event_of_1970_or_2100_counts_when_it_was_received(
    client: httpx.Client, ts: int
) -> None:
    day.send(client, [an_event(kind="user_message", ts=ts)])
    clock.freeze(day.NOW.replace(day=22))

    found = client.get("/api/v1/analytics/users?startDate=2026-11-21&endDate=2026-11-21").json()

    assert [row["user_messages"] for row in found["data"]] == [1]


def test_the_same_batch_sent_twice_counts_once(client: httpx.Client) -> None:
    events = [an_event(kind="user_message"), an_event(kind="tool_call", tool="Read")]
    day.send(client, events)
    day.send(client, events)

    assert [(r["user_messages"], r["tool_calls"]) for r in rows(client)] == [(1, 1)]


@pytest.mark.parametrize(
    "email", ["o'brien@example.com", '"a b"@example.com', "x@example.com\nBcc: y", "é@example.com"]
)
def test_an_odd_address_never_breaks_a_report(client: httpx.Client, email: str) -> None:
    event = msgspec.to_builtins(an_event(kind="user_message")) | {"user_email": email}
    answer = client.post(EVENTS, content=json.dumps([event]), headers=JSON)

    assert answer.status_code == (200 if answer.json()["accepted"] else 422)
    assert len(rows(client)) == answer.json()["accepted"]


def test_a_megabyte_attribute_and_ten_thousand_attributes_are_dropped_content(
    client: httpx.Client,
) -> None:
    for attributes in (
        [{"key": "prompt", "value": {"stringValue": "x" * (MIB - 5000)}}],
        [{"key": f"a{n}", "value": {"intValue": str(n)}} for n in range(10_000)],
    ):
        record = {
            "timeUnixNano": "1795176000000000000",
            "body": {"stringValue": "claude_code.user_prompt"},
            "attributes": [
                {"key": "event.name", "value": {"stringValue": "user_prompt"}},
                {"key": "session.id", "value": {"stringValue": "s1"}},
                *attributes,
            ],
        }
        resource = {
            "attributes": [{"key": "service.name", "value": {"stringValue": "claude-code"}}]
        }
        body = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}
        answer = client.post("/v1/logs", content=json.dumps(body), headers=JSON)
        assert answer.status_code == 200


def test_an_ingest_key_may_send_and_nothing_else(server: Server, acme: day.Acme) -> None:
    key = a_key(server.services.db, acme.org, acme.ada, "ingest")
    with server.client(key) as sender, server.client(acme.key) as reader:
        day.send(sender, [an_event(kind="user_message", user_email="else@example.com")])
        refused = sender.get("/api/v1/analytics/tokens?startDate=2026-11-01&endDate=2026-11-20")

        assert refused.status_code == 403
        assert refused.json()["metadata"]["code"] == "insufficient_scope"
        assert [row["user_email"] for row in rows(reader)] == ["ada@example.com"]


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/nothing", 404, None),
        ("GET", "/api/v1/analytics/", 404, None),
        ("GET", "/api/v1/analytics/tokens/", 404, None),
        ("GET", "/api/v1/analytics/TOKENS", 404, None),
        ("GET", "//api/v1/analytics/tokens", 404, None),
        ("GET", "/docs", 404, None),
        ("POST", "/api/v1/analytics/tokens", 405, "GET, HEAD"),
        ("DELETE", "/healthz", 405, "GET, HEAD"),
        ("GET", "/v1/logs", 405, "POST"),
        ("PUT", EVENTS, 405, "POST"),
        ("OPTIONS", "/api/v1/analytics/users", 405, "GET, HEAD"),
        ("DELETE", "/openapi.json", 405, "GET, HEAD"),
    ],
)
def test_unknown_routes_and_methods_have_the_error_body(
    client: httpx.Client, method: str, path: str, status: int, allow: str | None
) -> None:
    answer = client.request(method, str(client.base_url).rstrip("/") + path)

    assert answer.status_code == status
    assert answer.headers.get("allow") == allow
    assert answer.headers["x-request-id"].startswith("req_")
    members = set(answer.json()) - {"requestId"}
    assert members == {"detail", "status", "title", "metadata"}
    assert ("requestId" in answer.json()) == path.startswith("/api/v1/analytics")


def test_the_data_folder_holds_nothing_of_a_refused_body(server: Server) -> None:
    files: list[Path] = [p for p in server.settings.data_dir.rglob("*") if p.is_file()]

    assert not [p for p in files if b"c0nfidential" in p.read_bytes()]
