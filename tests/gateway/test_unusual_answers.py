"""Answers in forms that few providers send: each passes as it is, and is counted within bounds."""

from __future__ import annotations

import socket
import zlib
from typing import Any

import httpx
import pytest

from tests.gateway.test_budgets import DOLLARS_PER_MILLION, PATHS, body, settled, sse, until
from tests.limits.cases import a_budget, open_holds
from tests.support.gateways import Installation
from tests.support.raw_provider import RawProvider

pytestmark = pytest.mark.attack
ANSWER = b'{"usage":{"input_tokens":10,"output_tokens":7}}'
COST = (10 * 3 + 7 * 15) * DOLLARS_PER_MILLION
EVENTS = {"content-type": "text/event-stream"}


def raw(agent: httpx.Client, org: Installation, api: str, **members: Any) -> tuple[int, bytes]:
    """Status and body of a call as they pass, not unpacked."""
    headers = {"x-api-key": org.key}
    sent = body(api, **members)
    with agent.stream("POST", PATHS[api], json=sent, headers=headers) as answer:
        return answer.status_code, b"".join(answer.iter_raw())


def packed(encoding: str, content: bytes) -> bytes:
    if encoding == "zstd":
        zstd = pytest.importorskip("backports.zstd")
        return bytes(zstd.compress(content))
    if encoding == "raw deflate":
        engine = zlib.compressobj(wbits=-15)
        return engine.compress(content) + engine.flush()
    return content


@pytest.mark.parametrize("encoding", ["zstd", "br", "gzip, gzip", "deflate", "x-unknown"])
def test_an_answer_in_an_encoding_that_is_not_read_counts_by_its_bytes(
    encoding: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """`deflate` is sent without its frame, as some servers do."""
    content = packed("raw deflate" if encoding == "deflate" else encoding, ANSWER)
    fields = {"content-encoding": encoding, "content-type": "application/json"}
    provider.answer(content, fields=fields)
    budget = a_budget(org.db, org.org)

    assert raw(agent, org, "anthropic") == (200, content)
    assert 0 < settled(org, budget) < 10 * COST


@pytest.mark.parametrize("fields", ["", "connection: close\r\n", "content-type: text/plain\r\n"])
def test_an_answer_of_http_1_0_lasts_until_its_connection_ends(
    fields: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    def script(connection: socket.socket) -> None:
        connection.sendall(f"HTTP/1.0 200 OK\r\n{fields}\r\n".encode() + ANSWER)
        connection.shutdown(socket.SHUT_RDWR)

    provider.script = script
    budget = a_budget(org.db, org.org)

    assert raw(agent, org, "anthropic") == (200, ANSWER)
    assert settled(org, budget) == COST


def test_trailers_stay_where_they_are(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n"
    chunk = b"%x;name=value\r\n%s\r\n0\r\nx-sum: 1\r\nset-cookie: a=b\r\n\r\n" % (
        len(ANSWER),
        ANSWER,
    )
    provider.script = lambda connection: connection.sendall(head + chunk)
    budget = a_budget(org.db, org.org)

    answer = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    assert (answer.status_code, answer.content) == (200, ANSWER)
    assert not {"trailer", "x-sum", "set-cookie"} & set(answer.headers)
    assert settled(org, budget) == COST


@pytest.mark.parametrize(
    "members",
    [
        *('"input_tokens":-5,"output_tokens":7', '"input_tokens":NaN,"output_tokens":7'),
        *('"input_tokens":1e400,"output_tokens":7', '"input_tokens":"10","output_tokens":"7"'),
        *('"input_tokens":10.5,"output_tokens":7', '"input_tokens":true,"output_tokens":7'),
        *(f'"input_tokens":{2**70},"output_tokens":7', '"input_tokens":[10],"output_tokens":{}'),
        *('"input_tokens":10', '"input_tokens":null,"output_tokens":null'),
        '"input_tokens":10,"output_tokens":7,"cache_read_input_tokens":-1',
    ],
)
@pytest.mark.parametrize("is_stream", [False, True])
def test_figures_that_cannot_be_true_neither_lower_nor_blow_up_what_is_spent(
    members: str, is_stream: bool, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    content = f'{{"type":"message_delta","usage":{{{members}}}}}'.encode()
    if is_stream:
        content = b"data: " + content + b"\n\n"
    provider.answer(content, fields=EVENTS if is_stream else {"content-type": "application/json"})
    budget = a_budget(org.db, org.org)

    assert raw(agent, org, "anthropic", stream=is_stream) == (200, content)
    assert 0 < settled(org, budget) < 100 * COST


def test_a_stream_of_chat_without_usage_counts_by_its_bytes(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """What `stream_options` would have asked for is not there."""
    delta = {"choices": [{"index": 0, "delta": {"content": "word " * 20}}]}
    frames = [*sse(*[delta] * 10), b"data: [DONE]\n\n"]
    provider.answer(b"".join(frames), fields=EVENTS)
    budget = a_budget(org.db, org.org)

    raw(agent, org, "chat", stream=True)

    written = 10 * 100 // 4
    assert settled(org, budget) >= written * 10 * DOLLARS_PER_MILLION


@pytest.mark.parametrize("last", ["response.completed", "response.incomplete", "response.failed"])
def test_the_last_event_of_a_response_has_its_usage_however_it_ends(
    last: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    usage = {"input_tokens": 100, "output_tokens": 8, "output_tokens_details": None}
    frames = sse(
        {"type": "response.created", "response": {"id": "resp_1", "usage": None}},
        {"type": "response.output_text.delta", "delta": "hello"},
        {"type": last, "response": {"id": "resp_1", "usage": usage}},
    )
    provider.answer(b"".join(frames), fields=EVENTS)
    budget = a_budget(org.db, org.org)

    raw(agent, org, "responses", stream=True)

    assert settled(org, budget) == (100 * 1250 + 8 * 10_000) * DOLLARS_PER_MILLION // 1000


def test_of_figures_in_each_part_of_a_gemini_stream_the_last_count(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    frames = [
        {
            "candidates": [{"content": {"parts": [{"text": "x"}]}}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": n},
        }
        for n in (1, 5, 8)
    ]
    provider.answer(b"".join(sse(*frames)), fields=EVENTS)
    budget = a_budget(org.db, org.org)

    raw(agent, org, "gemini-stream")

    assert settled(org, budget) == (100 * 1250 + 8 * 10_000) * DOLLARS_PER_MILLION // 1000


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r", b"\n"])
def test_events_with_any_end_of_a_line_are_read(
    line_end: bytes, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    content = b"".join(
        sse({"type": "message_delta", "usage": {"input_tokens": 10, "output_tokens": 7}})
    ).replace(b"\n", line_end)
    provider.answer(content, fields=EVENTS)
    budget = a_budget(org.db, org.org)

    assert raw(agent, org, "anthropic", stream=True) == (200, content)
    assert settled(org, budget) == COST


def test_data_over_several_lines_is_one_event(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    lines = [b'{"type":"message_delta",', b'"usage":{"input_tokens":10,', b'"output_tokens":7}}']
    content = b"".join(b"data: %s\n" % line for line in lines) + b"\n"
    provider.answer(content, fields=EVENTS)
    budget = a_budget(org.db, org.org)

    raw(agent, org, "anthropic", stream=True)

    assert settled(org, budget) == COST


def test_hints_before_an_answer_are_no_answer(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    hints = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(ANSWER)
    provider.script = lambda connection: connection.sendall(hints + head + ANSWER)
    a_budget(org.db, org.org)

    status, content = raw(agent, org, "anthropic")

    assert (status, content) == (200, ANSWER) or status == 502
    until(lambda: open_holds(org.db) == 0)
