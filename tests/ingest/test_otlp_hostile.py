"""OTLP bodies that are broken, huge or lie: refused with a reason, and nothing else is lost."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import BadRequest, Malformed, TooLarge, UnsupportedMedia
from stationmaster.ingest import delivery
from stationmaster.lake import rows
from stationmaster.lake.rows import Delivery
from stationmaster.lake.schema import to_table
from tests.ingest.otlp_bodies import (
    JSON,
    PROTOBUF,
    RECEIVED_MS,
    a_caller,
    a_model_call,
    decode,
    logs_json,
    logs_protobuf,
)

pytestmark = pytest.mark.attack

SIGNALS: list[Any] = ["logs", "metrics", "traces"]
MEDIA = [PROTOBUF, JSON]


def delivered(body: bytes, media: str = PROTOBUF) -> Delivery:
    """What reaches the inbox of a body; proves on the way that it can be stored."""
    decoded = decode(body, media)
    taken = delivery.prepare(a_caller(), decoded.events, decoded.drops, received_ms=RECEIVED_MS)
    rows.of_delivery(taken)
    to_table(taken.events)
    return taken


@pytest.mark.parametrize("signal", SIGNALS)
@given(body=st.binary(max_size=300))
def test_random_bytes_decode_or_are_malformed(signal: Any, body: bytes) -> None:
    for media in MEDIA:
        with suppress(Malformed):
            decode(body, media, signal)


_MEMBERS = (
    *("resourceLogs", "resource", "scopeLogs", "logRecords", "attributes", "key", "value", "x"),
    *("intValue", "stringValue", "timeUnixNano", "body", "scope", "resourceMetrics"),
    *("scopeMetrics", "metrics", "sum", "dataPoints", "asInt"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_MEMBERS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("signal", SIGNALS)
@given(value=_JSON)
def test_json_of_any_shape_decodes_or_is_malformed(signal: Any, value: Any) -> None:
    with suppress(Malformed):
        decode(json.dumps(value).encode(), JSON, signal)


_SCALARS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.booleans()
)


@given(
    st.sampled_from(
        ["api_request", "tool_result", "tool_decision", "user_prompt", "skill_activated"]
    ),
    st.dictionaries(
        st.sampled_from(
            [key.replace("__", ".") for key in a_model_call() if key != "event.name"]
            + ["tool_name", "tool_use_id", "tool_parameters", "tool_input", "success", "decision"]
            + ["user.email", "query_source", "app.entrypoint", "prompt_length", "num_hooks"]
        ),
        _SCALARS,
    ),
)
def test_any_values_in_known_attributes_become_storable_events_or_are_refused(
    name: str, attributes: dict[str, Any]
) -> None:
    taken = delivered(logs_protobuf(a_model_call(**attributes) | {"event.name": name}))
    assert sum(taken.tally.values()) >= 1
    for event in taken.events:
        assert event.session_id is None or event.session_id.isprintable()


@pytest.mark.parametrize("media", MEDIA)
def test_a_compressed_bomb_is_refused_before_it_fills_memory(media: str) -> None:
    bomb = gzip.compress(b"\0" * 2**27)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decode(bomb, media, encoding="gzip", body_max=2**20)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def test_many_members_count_together_against_the_limit() -> None:
    with pytest.raises(TooLarge):
        decode(gzip.compress(b"\0" * 1000) * 3, PROTOBUF, encoding="gzip", body_max=2999)


def test_a_plain_body_over_the_limit_is_too_large() -> None:
    with pytest.raises(TooLarge):
        decode(b" " * 101, JSON, body_max=100)


@pytest.mark.parametrize("cut", [0, 1, 9, -1])
def test_a_truncated_gzip_body_is_malformed(cut: int) -> None:
    with pytest.raises(Malformed):
        decode(gzip.compress(logs_protobuf(a_model_call()))[:cut], PROTOBUF, encoding="gzip")


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), ("GZIP", gzip.compress), ("deflate", zlib.compress), ("", bytes)],
)
def test_spoken_encodings(encoding: str, compress: Any) -> None:
    body = compress(logs_protobuf(a_model_call()))
    if encoding == "":
        encoding = "identity"
    assert len(decode(body, PROTOBUF, encoding=encoding).events) == 1


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(UnsupportedMedia):
        decode(b"", PROTOBUF, encoding=encoding)


@pytest.mark.parametrize("media", [None, "", "text/plain", "application/json; charset=latin-1"])
def test_other_media_types_are_refused(media: Any) -> None:
    with pytest.raises(UnsupportedMedia):
        decode(b"{}", media)


@pytest.mark.parametrize("media", ["application/json; charset=UTF-8", "Application/JSON"])
def test_json_may_name_its_charset(media: str) -> None:
    assert decode(b"{}", media).items == 0


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"null",
        b'"x"',
        b"{",
        b'{"resourceLogs": {}}',
        b'{"resourceLogs": [{"resource": {"attributes": [{"key": "\xff"}]}}]}',
        b'{"resourceLogs": [{"resource": {"attributes": [{"key": 5}]}}]}',
        b'{"resourceLogs":' + b"[" * 100_000,
        b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["array", "null", "text", "cut", "object", "no-utf-8", "key", "deep-cut", "deep-unknown"],
)
def test_json_that_is_no_request_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed) as refusal:
        decode(body, JSON)
    assert isinstance(refusal.value, BadRequest)


def test_deeply_nested_values_are_malformed() -> None:
    value = '{"arrayValue":{"values":[' * 5_000 + "{}" + "]}}" * 5_000
    body = b'{"resourceLogs":[{"resource":{"attributes":[{"key":"a","value":%s}]}}]}'
    with pytest.raises(Malformed):
        decode(body % value.encode(), JSON)


def test_ten_thousand_attributes_are_read_past() -> None:
    noise = {f"noise.{n}": "x" for n in range(10_000)}
    (event,) = delivered(logs_protobuf(a_model_call() | noise)).events
    assert event.input_tokens == 10


@pytest.mark.parametrize("key", ["model", "session.id", "user.email", "request_id", "prompt"])
def test_a_megabyte_in_one_attribute_is_cut_or_dropped(key: str) -> None:
    body = logs_protobuf(a_model_call() | {key: "m" * 1_000_000})
    taken = delivered(body[: 2**22])
    row = rows.of_delivery(taken)
    assert row.plain is not None
    assert len(row.plain) < 2_000


@pytest.mark.parametrize("year", ["1970", "2019", "2100", "9999"])
def test_times_that_cannot_be_true_become_the_time_of_receipt(year: str) -> None:
    call = a_model_call() | {"event.timestamp": f"{year}-01-01T00:00:00.000Z"}
    (event,) = delivered(logs_protobuf(call)).events
    assert (event.ts, event.ts_source, event.quality) == (RECEIVED_MS, "received", "clock_skew")


@pytest.mark.parametrize("tokens", [-1, 2**62, -(2**63), 1.5, "many", True])
def test_impossible_tokens_are_rejected(tokens: Any) -> None:
    decoded = decode(logs_protobuf(a_model_call(input_tokens=tokens)))
    assert (decoded.rejected, decoded.events) == (1, [])


def test_tokens_beyond_64_bits_in_json_are_rejected() -> None:
    for number in (2**63, str(2**63), "9" * 5_000):
        body = logs_json(a_model_call(input_tokens={"intValue": number}))
        decoded = decode(body, JSON)
        assert decoded.events == [] or decoded.events[0].input_tokens is None


MARK = "zq7-marked-content-zq7"


@pytest.mark.parametrize(
    "name",
    ["api_request", "tool_result", "user_prompt", "api_error", "assistant_response", "no_such"],
)
@pytest.mark.parametrize("media", MEDIA)
def test_marked_content_never_reaches_the_inbox(name: str, media: str) -> None:
    gated = ["prompt", "response", "tool_output", "body", "error", "full_command", "tool.output"]
    marked = dict.fromkeys(gated, MARK)
    details = json.dumps({"full_command": f"cat {MARK}", "description": MARK, "content": MARK})
    given = json.dumps({"file_path": f"/home/ada/{MARK}.py", "new_string": MARK})
    record = (
        a_model_call(tool_name="Edit", tool_use_id="t1", success="true")
        | {"event.name": name, "tool_parameters": details, "tool_input": given}
        | marked
    )
    make = logs_protobuf if media == PROTOBUF else logs_json
    body = make(record, resource={"process.command_line": MARK, "host.name": MARK})
    assert MARK.encode() in body
    row = rows.of_delivery(delivered(body, media))
    assert MARK.encode() not in (row.plain or b"") + row.tally
