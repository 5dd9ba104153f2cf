"""A call through the gateway and back: what changes on the way, and what does not."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator

import httpx
import pytest

from stationmaster.access.model import new_key
from tests.support.builders import a_key, a_member
from tests.support.gateways import PROVIDER_KEY, Installation
from tests.support.raw_provider import RawProvider, raw_provider

MESSAGES = "/gateway/anthropic/v1/messages"
BODY = b'{"model": "claude-sonnet-4-5", "max_tokens": 9, "unknown":  [1, 2]}'
ANSWER = b'{"type":"message","usage":{"input_tokens":3,"output_tokens":1}}'


@pytest.fixture
def provider(installation: Installation) -> Iterator[RawProvider]:
    with raw_provider() as running:
        running.answer(ANSWER)
        for name, kind in (("anthropic", "anthropic"), ("openai", "openai"), ("gemini", "gemini")):
            installation.provider(name, kind, running.url)
        yield running


def test_body_and_unknown_fields_reach_the_provider_as_they_are(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    sent = {"x-api-key": installation.key, "anthropic-beta": "a,b", "x-new-thing": "ü".encode()}

    answer = agent.post(f"{MESSAGES}?beta=true", content=BODY, headers=sent)

    assert (answer.status_code, answer.content) == (200, ANSWER)
    [request] = provider.requests
    assert request.line == "POST /v1/messages?beta=true HTTP/1.1"
    assert request.body == BODY
    assert request.fields["x-api-key"] == PROVIDER_KEY
    assert request.fields["anthropic-beta"] == "a,b"
    assert request.fields["x-new-thing"].encode("latin-1") == "ü".encode()
    assert installation.key not in request.text


@pytest.mark.parametrize(
    ("name", "path", "shown", "place"),
    [
        ("anthropic", "v1/messages", "x-api-key", "x-api-key"),
        ("anthropic", "v1/messages", "authorization", "x-api-key"),
        ("openai", "v1/responses", "authorization", "authorization"),
        (
            "gemini",
            "v1beta/models/gemini-3-pro:generateContent",
            "x-goog-api-key",
            "x-goog-api-key",
        ),
        ("gemini", "v1/models/gemini-3-pro:streamGenerateContent", "query", "x-goog-api-key"),
    ],
)
def test_the_callers_key_stands_where_the_providers_key_would(
    name: str,
    path: str,
    shown: str,
    place: str,
    agent: httpx.Client,
    installation: Installation,
    provider: RawProvider,
) -> None:
    key = installation.key
    query = f"?alt=sse&key={key}" if shown == "query" else ""
    fields = {shown: f"Bearer {key}" if shown == "authorization" else key}
    fields.pop("query", None)

    answer = agent.post(f"/gateway/{name}/{path}{query}", content=BODY, headers=fields)

    assert answer.status_code == 200
    [request] = provider.requests
    assert request.fields[place].removeprefix("Bearer ") == PROVIDER_KEY
    assert key not in request.text
    if shown == "query":
        assert request.line.split()[1].endswith("?alt=sse")


def test_a_login_beside_the_own_key_passes_unchanged(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    sent = {"authorization": "Bearer sk-ant-oat01-login", "x-stationmaster-key": installation.key}

    assert agent.post(MESSAGES, content=BODY, headers=sent).status_code == 200

    [request] = provider.requests
    assert request.fields["authorization"] == "Bearer sk-ant-oat01-login"
    assert "x-api-key" not in request.fields
    assert "x-stationmaster-key" not in request.fields


def test_a_key_for_telemetry_alone_does_not_spend_the_organizations_money(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    member = a_member(installation.db, installation.org, "ingest@example.com")
    key = a_key(installation.db, installation.org, member, "ingest")

    refused = agent.post(MESSAGES, content=BODY, headers={"x-api-key": key})
    beside = {"authorization": "Bearer own-login", "x-stationmaster-key": key}
    passed = agent.post(MESSAGES, content=BODY, headers=beside)

    assert (refused.status_code, passed.status_code) == (403, 200)
    assert refused.json()["error"]["type"] == "permission_error"


@pytest.mark.parametrize(
    "key", ["", "sk-ant-other", new_key().reveal()], ids=["none", "foreign", "unknown"]
)
def test_whoever_has_no_valid_key_is_refused_in_the_providers_form(
    key: str, agent: httpx.Client, provider: RawProvider
) -> None:
    answer = agent.post(MESSAGES, content=BODY, headers={"x-api-key": key})

    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "authentication_error"
    assert provider.requests == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "anthropic/v1/messages/batches"),
        ("POST", "anthropic/v1/complete"),
        ("GET", "anthropic/v1/files"),
        ("GET", "openai/v1/responses/resp_of_another_person"),
        ("POST", "openai/v1/images/generations"),
        ("POST", "openai/v1/messages"),
        ("DELETE", "openai/v1/models/gpt-5"),
        ("POST", "gemini/v1beta/models/gemini-3-pro:batchGenerateContent"),
        ("POST", "gemini/v1beta/cachedContents"),
        ("POST", "anthropic/v1//messages"),
        ("POST", "anthropic/v1/%6dessages"),
        ("POST", "anthropic/v1/models/../messages"),
        ("POST", "anthropic/v1/messages%3F"),
        ("GET", "nothing/v1/models"),
    ],
)
def test_a_path_that_may_cost_and_is_not_understood_is_refused(
    method: str,
    path: str,
    agent: httpx.Client,
    gateway_url: str,
    installation: Installation,
    provider: RawProvider,
) -> None:
    # By hand, because clients resolve dots themselves.
    host = gateway_url.removeprefix("http://")
    request = (
        f"{method} /gateway/{path} HTTP/1.1\r\nHost: {host}\r\nx-api-key: {installation.key}\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(tuple(host.split(":")), timeout=10) as connection:  # type: ignore[arg-type]  # host and port
        connection.sendall(request.encode())
        status = connection.makefile("rb").readline()

    assert b" 404 " in status
    assert provider.requests == []


def test_free_paths_pass(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    sent = {"x-api-key": installation.key}

    assert agent.get("/gateway/anthropic/v1/models?limit=9", headers=sent).status_code == 200
    assert agent.get("/gateway/openai/v1/models/gpt-5", headers=sent).status_code == 200
    assert agent.post(f"{MESSAGES}/count_tokens", content=BODY, headers=sent).status_code == 200
    assert agent.get("/gateway/gemini/v1beta/models", headers=sent).status_code == 200


def test_an_error_of_the_provider_passes_as_it_is(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    wrong = b'{"type":"error",  "error":{"type":"overloaded_error","message":"Overloaded"}}'
    provider.answer(wrong, status=529, fields={"retry-after": "7", "request-id": "req_1"})

    answer = agent.post(MESSAGES, content=BODY, headers={"x-api-key": installation.key})

    assert (answer.status_code, answer.content) == (529, wrong)
    assert (answer.headers["retry-after"], answer.headers["request-id"]) == ("7", "req_1")


def test_a_compressed_answer_passes_as_it_is(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    packed = gzip.compress(ANSWER)
    provider.answer(packed, fields={"content-encoding": "gzip"})

    answer = agent.post(MESSAGES, content=BODY, headers={"x-api-key": installation.key})

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json() == json.loads(ANSWER)


def test_fields_of_one_connection_stay_there(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    provider.answer(
        ANSWER, fields={"connection": "x-hop", "x-hop": "1", "alt-svc": "h3", "x-a": "b"}
    )
    sent = {
        "x-api-key": installation.key,
        "connection": "close, x-mine",
        "x-mine": "1",
        "te": "trailers",
        "x-forwarded-for": "10.1.2.3",
    }

    answer = agent.post(MESSAGES, content=BODY, headers=sent)

    assert answer.headers["x-a"] == "b"
    assert not {"x-hop", "alt-svc"} & set(answer.headers)
    [request] = provider.requests
    assert not {"x-mine", "te", "x-forwarded-for"} & set(request.fields)


def test_each_part_of_a_stream_arrives_when_it_was_sent(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    parts = [b"event: ping\ndata: {}\n\n", b"data: 1\n\n", b"data: 2\n\n"]
    go_on = provider.stream(parts)

    with agent.stream(
        "POST", MESSAGES, content=BODY, headers={"x-api-key": installation.key}
    ) as answer:
        chunks = answer.iter_raw()
        for part in parts:
            go_on.release()
            assert next(chunks) == part
        go_on.release()
        assert list(chunks) == []


def test_redirects_are_not_followed(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    provider.answer(b"", status=307, fields={"location": "http://127.0.0.1:1/"})

    answer = agent.post(MESSAGES, content=BODY, headers={"x-api-key": installation.key})

    assert answer.status_code == 307
    assert len(provider.requests) == 1


def test_another_provider_is_asked_only_where_one_is_named(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    sent = {"x-api-key": installation.key}
    with raw_provider() as overloaded:
        overloaded.answer(b"{}", status=529)
        installation.provider("first", "anthropic", overloaded.url)
        alone = agent.post("/gateway/first/v1/messages", content=BODY, headers=sent)
        installation.provider("first", "anthropic", overloaded.url, failover=("anthropic",))
        helped = agent.post("/gateway/first/v1/messages", content=BODY, headers=sent)
        overloaded.answer(b"{}", status=400)
        wrong = agent.post("/gateway/first/v1/messages", content=BODY, headers=sent)
    away = agent.post("/gateway/first/v1/messages", content=BODY, headers=sent)

    assert [each.status_code for each in (alone, helped, wrong, away)] == [529, 200, 400, 200]


def test_a_provider_that_is_away_is_reported_in_its_form(
    agent: httpx.Client, installation: Installation
) -> None:
    installation.provider("gone", "openai", "http://127.0.0.1:1")

    answer = agent.post(
        "/gateway/gone/v1/responses",
        content=BODY,
        headers={"authorization": f"Bearer {installation.key}"},
    )

    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "provider_unreachable"
    assert "gone cannot be reached" in answer.json()["error"]["message"]


def test_a_name_that_leads_inside_is_not_connected_to(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    installation.db.write(
        "UPDATE gateway_providers SET url = ?, is_private = ? WHERE name = ?",
        [(provider.url.replace("127.0.0.1", "localhost"), False, "anthropic")],
    )

    answer = agent.post(MESSAGES, content=BODY, headers={"x-api-key": installation.key})

    assert answer.status_code == 502
    assert provider.requests == []


def test_a_header_field_that_is_no_text_is_refused(
    agent: httpx.Client, installation: Installation, provider: RawProvider
) -> None:
    sent = {"x-api-key": installation.key, "x-odd": b"\xff"}

    assert agent.post(MESSAGES, content=BODY, headers=sent).status_code == 400
    assert provider.requests == []


def test_health_needs_no_key(agent: httpx.Client) -> None:
    assert agent.get("/healthz").json() == {"status": "ok"}
    assert agent.get("/readyz").json() == {"status": "ok"}
