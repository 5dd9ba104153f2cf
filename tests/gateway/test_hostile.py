"""Providers and callers that break rules: each is bounded, and refused or ended clearly."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from stationmaster.gateway import upstream
from tests.gateway.test_budgets import PATHS, body, settled, until
from tests.limits.cases import a_budget, open_holds, spent
from tests.support.gateways import (
    PROVIDER_KEY,
    Installation,
    client,
    running_gateway,
)
from tests.support.raw_provider import RawProvider, raw_provider

pytestmark = pytest.mark.attack
USAGE = b'{"usage":{"input_tokens":10,"output_tokens":1}}'


@pytest.fixture
def provider(org: Installation) -> Iterator[RawProvider]:
    with raw_provider() as running:
        org.provider("anthropic", "anthropic", running.url)
        yield running


def send(gateway_url: str, request: bytes, ends: bool = True) -> bytes:
    """All that is answered to bytes of the caller's choosing; a caller that `ends` its side of the
    connection behind them counts as gone, and no provider gets its call."""
    host, _, port = gateway_url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(request)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read()


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
        "Content-Length: -1",
        "Content-Length: 5\r\nX: a\x00b",
        "X-A: b\r\n Content-Length: 5",
    ],
)
def test_a_request_whose_length_can_be_read_in_two_ways_never_reaches_the_provider(
    fields: str, gateway_url: str, org: Installation, provider: RawProvider
) -> None:
    request = (
        f"POST {PATHS['anthropic']} HTTP/1.1\r\nHost: x\r\nx-api-key: {org.key}\r\n{fields}\r\n\r\n"
        "0\r\n\r\nPOST /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    )

    answer = send(gateway_url, request.encode())

    assert answer.split(b"\r\n")[0].split(b" ")[1] in (b"400", b"501"), answer
    assert provider.requests == []


def test_header_fields_beyond_all_measure_are_refused(
    gateway_url: str, org: Installation, provider: RawProvider
) -> None:
    fields = "".join(f"x-{number}: {'y' * 1000}\r\n" for number in range(99))
    request = (
        f"POST {PATHS['anthropic']} HTTP/1.1\r\nHost: x\r\nx-api-key: {org.key}\r\n{fields}\r\n"
    )

    assert send(gateway_url, request.encode()).startswith(b"HTTP/1.1 431 ")
    assert provider.requests == []


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"null", b"[]", b'"text"', b"{", b'{"model": 5}', b'{"model": ""}'),
        *(b'{"messages": []}', b'{"model":"a","model":"b"}', b'{"model":"a"}trailing'),
        *(b'{"model":"a","\\u006dodel":"b"}', b"[" * 100_000, b'{"model":"' + b"x" * 300 + b'"}'),
        b"\xff\xfe",
    ],
)
def test_a_body_that_says_no_single_model_is_refused_before_it_may_cost(
    content: bytes, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    answer = agent.post(PATHS["anthropic"], content=content, headers={"x-api-key": org.key})

    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert provider.requests == []
    assert open_holds(org.db) == 0


def test_a_compressed_body_is_read_within_bounds(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    provider.answer(USAGE)
    sent = {"x-api-key": org.key, "content-encoding": "gzip"}
    packed = gzip.compress(json.dumps(body()).encode())
    bomb = gzip.compress(b"0" * 64 * 2**20)

    passed = agent.post(PATHS["anthropic"], content=packed, headers=sent)
    refused = agent.post(PATHS["anthropic"], content=bomb, headers=sent)
    unknown = agent.post(
        PATHS["anthropic"], content=b"x", headers={**sent, "content-encoding": "br"}
    )

    assert [passed.status_code, refused.status_code, unknown.status_code] == [200, 413, 415]
    assert [request.body for request in provider.requests] == [packed]


def test_an_answer_that_unpacks_to_more_than_may_be_read_passes_and_counts_by_its_bytes(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    bomb = gzip.compress(b"{" + b" " * 64 * 2**20 + USAGE[1:])
    provider.answer(bomb, fields={"content-encoding": "gzip", "content-type": "application/json"})

    with agent.stream(
        "POST", PATHS["anthropic"], json=body(), headers={"x-api-key": org.key}
    ) as answer:
        assert b"".join(answer.iter_raw()) == bomb

    assert settled(org, budget) > 0


def test_a_frame_without_an_end_is_passed_and_not_kept(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    endless = b"data: " + b"x" * 10 * 2**20
    usage = b'\n\ndata: {"type":"message_delta","usage":{"input_tokens":10,"output_tokens":7}}\n\n'
    provider.answer(endless + usage, fields={"content-type": "text/event-stream"})

    answer = agent.post(PATHS["anthropic"], json=body(stream=True), headers={"x-api-key": org.key})

    assert len(answer.content) == len(endless + usage)
    assert settled(org, budget) == (10 * 3 + 7 * 15) * 10**6


@pytest.mark.parametrize(
    "frame",
    [
        *(b"data: {", b"data: [[[[", b"data: null", b"data: 5", b"\x00\xff\xfe", b"data:"),
        *(b'data: {"usage": 5}', b'data: {"message": []}', b"event: ping\r\ndata: {}"),
        b"data: " + b"[" * 50_000,
    ],
)
@pytest.mark.both_databases
def test_malformed_frames_pass_as_they_are_and_the_figures_of_others_count(
    frame: bytes, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    last = b'data: {"type":"message_delta","usage":{"input_tokens":10,"output_tokens":7}}\n\n'
    content = frame + b"\n\n" + last
    provider.answer(content, fields={"content-type": "text/event-stream"})

    answer = agent.post(PATHS["anthropic"], json=body(stream=True), headers={"x-api-key": org.key})

    assert answer.content == content
    assert settled(org, budget) > 0


@pytest.mark.parametrize(
    "answer",
    [
        *(b"not http at all\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"",
    ],
)
def test_an_answer_that_is_not_http_is_an_error_of_the_gateway(
    answer: bytes, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    def script(connection: socket.socket) -> None:
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_RDWR)

    provider.script = script

    got = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    assert got.status_code == 502
    assert got.json()["error"]["type"] == "api_error"
    until(lambda: open_holds(org.db) == 0)


def test_an_answer_that_breaks_off_does_not_look_complete(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)

    def script(connection: socket.socket) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"5\r\nhello\r\n")
        connection.shutdown(socket.SHUT_RDWR)

    provider.script = script

    with pytest.raises(httpx.RemoteProtocolError):
        agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})
    until(lambda: open_holds(org.db) == 0 and spent(org.db, budget) > 0)


def test_keys_are_in_no_log_and_no_error(
    agent: httpx.Client,
    org: Installation,
    provider: RawProvider,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="stationmaster")
    provider.script = lambda connection: connection.shutdown(socket.SHUT_RDWR)
    beside = {"x-stationmaster-key": org.key, "authorization": "Bearer sk-ant-oat01-login"}

    answers = [
        agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key}),
        agent.post(PATHS["anthropic"], json=body(), headers=beside),
        agent.post(PATHS["anthropic"], content=b"{", headers={"x-api-key": org.key}),
    ]

    shown = caplog.text + "".join(answer.text for answer in answers)
    for secret in (org.key, PROVIDER_KEY, "sk-ant-oat01-login"):
        assert secret not in shown


@pytest.mark.parametrize("status", [100, 101, 103, 199])
def test_an_answer_that_would_change_the_protocol_is_an_error_of_the_gateway(
    status: int, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """What follows such a status would be read as another answer."""
    second = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"

    def script(connection: socket.socket) -> None:
        head = f"HTTP/1.1 {status} X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n".encode()
        connection.sendall(head + (second if status == 101 else b""))
        connection.shutdown(socket.SHUT_RDWR)

    provider.script = script

    got = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    assert got.status_code == 502
    until(lambda: open_holds(org.db) == 0)


def test_an_answer_without_an_end_is_not_kept_and_ends_with_its_caller(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    ended = threading.Event()

    def script(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
        try:
            while True:
                connection.sendall(b" " * 2**16)
        except OSError:
            ended.set()
            raise

    provider.script = script
    sent = 0

    with agent.stream(
        "POST", PATHS["anthropic"], json=body(), headers={"x-api-key": org.key}
    ) as answer:
        for chunk in answer.iter_raw():
            sent += len(chunk)
            if sent > 32 * 2**20:
                break

    assert ended.wait(20)
    assert settled(org, budget) > 0


def test_a_provider_that_says_nothing_is_given_up(
    org: Installation, provider: RawProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "SILENT_S", 0.5)
    provider.script = lambda _: time.sleep(5)
    with running_gateway(org.settings) as url, client(url) as agent:
        answer = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    assert answer.status_code == 502
    assert answer.json()["error"]["type"] == "api_error"
    assert open_holds(org.db) == 0


@pytest.mark.parametrize("name", ["x-a\r\nx-injected", "x-a: b\r\nx-injected"])
def test_fields_of_an_answer_cannot_bring_others_along(
    name: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """A line break that is bare or folded, in what a provider answers."""
    provider.script = lambda connection: connection.sendall(
        f"HTTP/1.1 200 OK\r\ncontent-length: {len(USAGE)}\r\nx-a: b\rx-injected: 1\r\n\r\n".encode()
        + USAGE
    )

    answer = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    assert answer.status_code in (200, 502)
    assert "x-injected" not in answer.headers


@pytest.mark.parametrize("query", ["a=%0d%0aX-Injected:%201", "key=a&key=b", "a=b%00", "%ff"])
def test_a_query_reaches_the_provider_in_its_own_line_alone(
    query: str, gateway_url: str, org: Installation, provider: RawProvider
) -> None:
    provider.answer(USAGE)
    content = json.dumps(body()).encode()
    head = (
        f"POST {PATHS['anthropic']}?{query} HTTP/1.1\r\nHost: x\r\nx-api-key: {org.key}\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )

    answer = send(gateway_url, head.encode() + content, ends=False)

    assert answer.startswith(b"HTTP/1.1 200 ")

    [request] = provider.requests
    assert "x-injected" not in request.fields
    assert request.line.startswith("POST /v1/messages")
    assert "key=" not in request.line
