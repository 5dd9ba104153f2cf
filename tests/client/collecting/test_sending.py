"""Sending events: patient with a server that asks for patience, brief with one that refuses."""

from __future__ import annotations

import json
import threading
import time

import pytest

from stationmaster.agents.interface import Intake
from stationmaster.client.collecting import sending
from stationmaster.client.collecting.sending import HttpSink
from stationmaster.errors import BadRequest, OperatorError, Unavailable
from tests.support.builders import an_event
from tests.support.processes import free_port
from tests.support.scripted import Reply, scripted_server, taken

BUSY = Reply(503, b'{"detail": "The inbox is full."}', {"retry-after": "7"})


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which take no time."""
    found: list[float] = []

    class Time:
        sleep = staticmethod(found.append)

    monkeypatch.setattr(sending, "time", Time)
    return found


def _intake(count: int = 1) -> Intake:
    intake = Intake()
    for _ in range(count):
        intake.add(an_event(source="transcript"))
    return intake


def _deliver(url: str, intake: Intake | None = None, key: str = "sm_key") -> None:
    sink = HttpSink(url, key)
    try:
        sink.deliver("claude-code", _intake() if intake is None else intake)
    finally:
        sink.close()


def test_events_are_sent_as_compressed_lines_with_the_key() -> None:
    intake = _intake(2)
    with scripted_server(taken(2)) as server:
        _deliver(server.url + "/", intake, "sm_secret")

    assert [event["event_id"] for event in server.events] == [e.event_id for e in intake.events]
    [headers] = server.headers
    assert headers["authorization"] == "Bearer sm_secret"
    assert headers["content-type"] == "application/x-ndjson"
    assert headers["content-encoding"] == "gzip"


def test_many_events_are_sent_in_requests_that_a_server_takes() -> None:
    with scripted_server() as server:
        _deliver(server.url, _intake(12_001))

    assert [len(body.splitlines()) for body in server.bodies] == [5_000, 5_000, 2_001]


def test_no_events_are_no_request() -> None:
    with scripted_server() as server:
        _deliver(server.url, Intake())

    assert server.bodies == []


def test_a_busy_server_is_asked_again_when_it_says(waits: list[float]) -> None:
    with scripted_server(BUSY, BUSY, taken(1)) as server:
        _deliver(server.url)

    assert waits == [7.0, 7.0]
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]


def test_a_long_wait_is_cut_to_half_a_minute(waits: list[float]) -> None:
    with scripted_server(Reply(429, b"{}", {"retry-after": "86400"}), taken(1)) as server:
        _deliver(server.url)

    assert waits == [30.0]


def test_a_gateway_without_retry_after_is_asked_again_ever_later(waits: list[float]) -> None:
    with scripted_server(Reply(502), Reply(504), Reply(503), taken(1)) as server:
        _deliver(server.url)

    assert waits == [1.0, 2.0, 4.0]


def test_a_server_that_stays_busy_is_given_up_after_six_attempts(waits: list[float]) -> None:
    with (
        scripted_server(BUSY) as server,
        pytest.raises(Unavailable, match=r"does not accept data now \(.*The inbox is full\.\)"),
    ):
        _deliver(server.url)

    assert len(server.bodies) == 6
    assert len(waits) == 5


def test_a_refused_connection_is_tried_until_the_server_is_there() -> None:
    port = free_port()
    sender = threading.Thread(target=_deliver, args=(f"http://127.0.0.1:{port}",))
    sender.start()
    time.sleep(0.2)

    with scripted_server(taken(1), port=port) as server:
        sender.join(30)

    assert len(server.events) == 1


def test_a_server_that_is_never_there_is_named(waits: list[float]) -> None:
    port = free_port()

    with pytest.raises(Unavailable, match=rf"127\.0\.0\.1:{port}.*nothing is lost"):
        _deliver(f"http://127.0.0.1:{port}")

    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 500])
def test_a_refusal_ends_at_once_with_what_the_server_says(status: int, waits: list[float]) -> None:
    reply = Reply(status, b'{"detail": "No."}')
    with (
        scripted_server(reply) as server,
        pytest.raises(OperatorError, match=rf"^the server answers {status}: No\.$"),
    ):
        _deliver(server.url)

    assert len(server.bodies) == 1
    assert waits == []


def test_a_refusal_without_a_reason_tells_the_status(waits: list[float]) -> None:
    for body in (b"<html>", b"[]", b'{"detail": null}', b"\xff"):
        with (
            scripted_server(Reply(403, body)) as server,
            pytest.raises(OperatorError, match=r"^the server answers 403: Forbidden$"),
        ):
            _deliver(server.url)


@pytest.mark.parametrize(("status", "accepted"), [(200, 1), (207, 1), (422, 0)])
def test_refused_events_are_reported_with_the_first_reason(status: int, accepted: int) -> None:
    """200 is what servers of an earlier version answer."""
    errors = [{"index": 1, "error": "too old"}]
    answer = {"accepted": accepted, "rejected": 2, "errors": errors}
    with (
        scripted_server(Reply(status, json.dumps(answer).encode())) as server,
        pytest.raises(OperatorError, match=r"refused 2 events, the first one because: too old$"),
    ):
        _deliver(server.url, _intake(3))


def test_another_program_at_the_address_is_recognised() -> None:
    for body in (b"<html>", b"{}", b"\xff\xfe"):
        with (
            scripted_server(Reply(200, body)) as server,
            pytest.raises(OperatorError, match="not as a Stationmaster server"),
        ):
            _deliver(server.url)


@pytest.mark.parametrize("url", ["127.0.0.1:8700", "ftp://127.0.0.1", "http://[::1", "http://a:b"])
def test_an_impossible_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadRequest):
        _deliver(url)


@pytest.mark.parametrize("key", ["sm_ä", "sm_a\nb"])
def test_an_impossible_key_is_refused_at_once(key: str) -> None:
    with pytest.raises(BadRequest, match="no API key"):
        _deliver("http://127.0.0.1:1", key=key)
