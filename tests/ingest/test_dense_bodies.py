"""Bodies that cost far more than their size: refused before they take the memory or the time."""

from __future__ import annotations

import gzip
import resource
import time
from collections.abc import Callable

import pytest

from stationmaster.errors import StationmasterError, TooLarge
from stationmaster.ingest import events, media, otlp
from stationmaster.ingest.signals import Signal

pytestmark = pytest.mark.attack
BODY_MAX = 32 * 2**20
SIZE = 8 * 2**20
SIGNALS: dict[str, Signal] = {
    "resourceLogs": "logs",
    "resourceMetrics": "metrics",
    "resourceSpans": "traces",
}
CPU_MAX_S = 8.0
"""Some of these took over 15 s, others did not end; now none takes one."""


def field(number: int, body: bytes) -> bytes:
    """One length-delimited protobuf field."""
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def empty(number: int, size: int) -> bytes:
    """A list of messages without content."""
    one = _varint(number << 3 | 2) + b"\0"
    return one * (size // len(one))


DENSE: dict[str, Callable[[], bytes]] = {
    "resources": lambda: empty(1, SIZE),
    "resources with one record": lambda: b"\x0a\x04\x12\x02\x12\x00" * (SIZE // 6),
    "scopes": lambda: field(1, empty(2, SIZE)),
    "records": lambda: field(1, field(2, empty(2, SIZE))),
    "attributes of a resource": lambda: field(1, field(1, empty(1, SIZE))),
    "attributes of a log record": lambda: field(1, field(2, field(2, empty(6, SIZE)))),
    "attributes of a span": lambda: field(1, field(2, field(2, empty(9, SIZE)))),
    "data points": lambda: field(1, field(2, field(2, field(7, empty(1, SIZE))))),
    "attributes of a data point": lambda: field(
        1, field(2, field(2, field(7, field(1, empty(7, SIZE)))))
    ),
    "unknown fields": lambda: field(1, field(2, field(2, empty(99, SIZE)))),
    "numbers": lambda: field(1, field(2, field(2, b"\x08\x01" * (SIZE // 2)))),
    "values of a body": lambda: field(1, field(2, field(2, field(5, field(5, empty(1, SIZE)))))),
    "small resources": lambda: empty(1, 500_000),
    "small records": lambda: field(1, field(2, empty(2, 500_000))),
}
READ_AS: dict[str, tuple[Signal, ...]] = {
    "records": ("logs", "metrics", "traces"),
    "attributes of a span": ("traces",),
    "data points": ("metrics",),
    "attributes of a data point": ("metrics",),
    "small records": ("logs", "metrics", "traces"),
}
"""The signals of which a kind is something of its own; the others are counted alike as any, and are
tried as logs."""


def spent(work: Callable[[], object]) -> tuple[StationmasterError | None, float]:
    """What it was refused with, and the seconds of CPU that it took."""
    began = time.process_time()
    try:
        work()
    except StationmasterError as fault:
        return fault, time.process_time() - began
    return None, time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "signal"),
    [(kind, signal) for kind in DENSE for signal in READ_AS.get(kind, ("logs",))],
)
def test_protobuf_of_tiny_messages_costs_no_more_than_other_bodies(
    kind: str, signal: Signal
) -> None:
    body = DENSE[kind]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    _, seconds = spent(
        lambda: otlp.decode(signal, media.PROTOBUF, None, body, received_ms=1, body_max=BODY_MAX)
    )

    assert seconds < CPU_MAX_S
    # Kibibytes: at most some ten times the body.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 * 1024


@pytest.mark.parametrize("kind", ["resources", "resources with one record", "records"])
def test_it_is_refused_with_a_reason(kind: str) -> None:
    refusal, _ = spent(
        lambda: otlp.decode(
            "logs", media.PROTOBUF, "gzip", gzip.compress(DENSE[kind]()),
            received_ms=1, body_max=BODY_MAX,
        )
    )  # fmt: skip

    assert isinstance(refusal, TooLarge)
    assert refusal.code == "too_dense"


@pytest.mark.parametrize("list_name", SIGNALS)
@pytest.mark.parametrize("value", [b"{}", b"null", b"[]", b'{"scopeLogs":[{}]}'])
def test_json_of_tiny_values_costs_no_more_than_other_bodies(list_name: str, value: bytes) -> None:
    signal = SIGNALS[list_name]
    values = (value + b",") * (SIZE // (len(value) + 1)) + value
    body = b'{"%s":[%s]}' % (list_name.encode(), values)

    refusal, seconds = spent(
        lambda: otlp.decode(signal, media.JSON, None, body, received_ms=1, body_max=BODY_MAX)
    )

    assert refusal is not None
    assert seconds < CPU_MAX_S


def test_a_request_holds_so_many_records_and_no_more() -> None:
    def records(number: int) -> object:
        body = field(1, field(2, b"\x12\x00" * number))
        return otlp.decode("logs", media.PROTOBUF, None, body, received_ms=1, body_max=BODY_MAX)

    refusal, _ = spent(lambda: records(50_001))

    assert spent(lambda: records(50_000))[0] is None
    assert refusal is not None
    assert refusal.code == "too_many_records"


@pytest.mark.parametrize(
    "body",
    [b"\n" * SIZE, b"0\n" * (SIZE // 2), b" \n" * (SIZE // 2)],
    ids=["line ends", "numbers", "spaces"],
)
def test_events_in_tiny_lines_are_refused(body: bytes) -> None:
    refusal, seconds = spent(lambda: events.decode(media.NDJSON, None, body, body_max=BODY_MAX))

    assert isinstance(refusal, TooLarge)
    assert seconds < CPU_MAX_S


@pytest.mark.parametrize("value", [b"0", b"{}", b"[]", b'""'])
def test_events_in_tiny_values_are_refused(value: bytes) -> None:
    body = b"[" + (value + b",") * (SIZE // (len(value) + 1)) + value + b"]"

    refusal, seconds = spent(lambda: events.decode(media.JSON, None, body, body_max=BODY_MAX))

    assert isinstance(refusal, TooLarge)
    assert seconds < CPU_MAX_S


def test_a_gzip_body_of_many_members_is_decompressed_in_proportion_to_its_size() -> None:
    member = gzip.compress(b"x" * 100, mtime=0)

    assert media.plain(member * 9_999, "gzip", BODY_MAX) == b"x" * 999_900
    refusal, seconds = spent(lambda: media.plain(gzip.compress(b"") * 400_000, "gzip", BODY_MAX))
    assert isinstance(refusal, TooLarge)
    assert refusal.code == "too_many_members"
    assert seconds < CPU_MAX_S


@pytest.mark.parametrize("cut", [1, 5, 50])
def test_a_member_that_ends_too_early_is_malformed(cut: int) -> None:
    whole = gzip.compress(b"a" * 200_000, mtime=0) * 2

    with pytest.raises(StationmasterError) as refused:
        media.plain(whole[:-cut], "gzip", BODY_MAX)

    assert refused.value.code == "malformed_body"
