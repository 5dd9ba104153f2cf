"""A message goes to the address that was checked, whatever the other side does."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from stationmaster.alerts import addresses, sending
from stationmaster.alerts.sending import AttemptOutcome
from stationmaster.errors import BadRequest
from stationmaster.repos.model import FetchFailed
from tests.alerts.conftest import Office
from tests.support.receivers import Receiver

pytestmark = pytest.mark.attack


def posted(office: Office, url: str) -> AttemptOutcome:
    return sending.post(office.settings, url, b"{}", {})


@pytest.mark.parametrize(
    "url",
    ["https://127.0.0.1/h", "https://localhost/h", "https://[::1]/h", "https://2130706433/h",
     "https://0x7f000001/h", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/h",
     "https://10.0.0.1:8443/h", "https://[fd00:ec2::254]/h", "http://8.8.8.8/h"],
)  # fmt: skip
def test_private_addresses_and_plain_http_are_refused(office: Office, url: str) -> None:
    with pytest.raises(BadRequest) as refused:
        office.add(address=url)

    assert refused.value.code == "address_refused"
    assert "STATIONMASTER_ALERTS_" in refused.value.detail


@pytest.mark.parametrize(
    "url",
    ["", "hook", "ftp://host/h", "file:///etc/passwd", "https://", "https:///h", "https://a b/h",
     "https://host/h\nHost: x", "https://user:pass@8.8.8.8/h", "https://host:99999/h",
     "https://host/h#x", "https://host\\@10.0.0.1/h", "https://" + "a" * 3000, "//host/h"],
)  # fmt: skip
def test_what_is_not_an_address_is_refused(office: Office, url: str) -> None:
    with pytest.raises(BadRequest):
        office.add(address=url)


def test_a_name_that_moves_to_a_private_address_is_not_followed(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = receiver.place.rpartition(":")[2]
    names = {"hook.example": "8.8.8.8"}
    ask = socket.getaddrinfo

    def answer(host: str, *rest: Any, **more: Any) -> Any:
        return ask(names.get(host, host), *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    office.add(address=f"https://hook.example:{port}/h")
    names["hook.example"] = "127.0.0.1"
    office.raised()
    office.deliver()

    [attempt] = office.attempts()
    assert "a local or private address" in (attempt.error or "")
    assert receiver.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebinding: the second answer of a name server never counts."""
    looked_up: list[str] = []
    ask = socket.getaddrinfo

    def answer(host: str, *rest: Any, **more: Any) -> Any:
        if host != "hook.example":
            return ask(host, *rest, **more)
        looked_up.append(host)
        return ask("127.0.0.1" if len(looked_up) == 1 else "10.255.255.1", *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    place = f"hook.example:{receiver.place.rpartition(':')[2]}"
    settings = type(office.settings)(
        data_dir=office.settings.data_dir, alerts_private_hosts=place, alerts_http_hosts=place
    )

    assert sending.post(settings, f"http://{place}/h", b"{}", {}).is_taken
    assert looked_up == ["hook.example"]
    assert receiver.requests[0].headers["host"] == place


def test_redirects_are_not_followed(office: Office, receiver: Receiver) -> None:
    receiver.answer(302, location=f"http://{receiver.place}/internal")
    outcome = posted(office, receiver.url)

    assert outcome.status == 302
    assert "enter the new address" in (outcome.error or "")
    assert [request.path for request in receiver.requests] == ["/hook"]


def test_who_never_answers_is_left_in_time(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_S", 0.3)
    receiver.answering = lambda _: receiver.stop.wait(30)
    began = time.monotonic()
    outcome = posted(office, receiver.url)

    assert outcome.status is None
    assert "no answer" in (outcome.error or "")
    assert time.monotonic() - began < 5


def test_who_sends_header_fields_slowly_is_left_in_time(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_S", 0.5)

    def drip(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not receiver.stop.wait(0.05):
            handler.wfile.write(b"X: y\r\n")

    receiver.answering = drip
    assert posted(office, receiver.url).status is None


@pytest.mark.parametrize("status", [200, 500])
def test_an_endless_answer_is_not_read(office: Office, receiver: Receiver, status: int) -> None:
    sent = 0

    def flood(handler: Any) -> None:
        nonlocal sent
        handler.wfile.write(b"HTTP/1.1 %d X\r\nTransfer-Encoding: chunked\r\n\r\n" % status)
        while not receiver.stop.is_set():
            handler.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            sent += 1

    receiver.answering = flood
    outcome = posted(office, receiver.url)
    assert outcome.status == status
    assert len(outcome.error or "") <= sending.ERROR_MAX
    assert sent < 1000


def test_a_failure_with_a_body_that_never_comes_keeps_its_status(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "BODY_S", 0.2)

    def stall(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nfull")
        receiver.stop.wait(30)

    receiver.answering = stall
    assert posted(office, receiver.url) == AttemptOutcome(503, "full")


@pytest.mark.parametrize("sent", [b"", b"\xff\xfe\n\n", b"HTTP/1.1 200\r\n" + b"X: y\r\n" * 90_000])
def test_what_is_not_http_is_a_failure(office: Office, receiver: Receiver, sent: bytes) -> None:
    def babble(handler: Any) -> None:
        handler.wfile.write(sent)
        handler.close_connection = True

    receiver.answering = babble
    outcome = posted(office, receiver.url)
    assert (outcome.status, outcome.is_taken) == (None, False)


def test_a_server_that_is_away_is_a_failure(office: Office, receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = f"127.0.0.1:{free.getsockname()[1]}"
    settings = type(office.settings)(
        data_dir=office.settings.data_dir, alerts_private_hosts=place, alerts_http_hosts=place
    )
    outcome = sending.post(settings, f"http://{place}/h", b"{}", {})
    assert "connection failed" in (outcome.error or "")


def test_a_permission_is_for_exactly_that_host_and_port(office: Office, receiver: Receiver) -> None:
    assert addresses.server(office.settings, receiver.url).place == receiver.place
    for other in ("http://127.0.0.1/h", "http://127.0.0.1:1/h", "https://127.0.0.1:1/h"):
        with pytest.raises(FetchFailed):
            addresses.server(office.settings, other)


def test_what_is_shown_of_an_address_holds_no_secret() -> None:
    url = "https://u:pw@host.example/a/b?sig=abcdefgh"
    assert addresses.shown("alertmanager", url) == "https://host.example/a/b?…"
    assert addresses.shown("webhook", url) == "https://host.example/a/b?…"
    assert addresses.shown("slack", "https://hooks.example/services/T0/B0/secret1234") == (
        "https://hooks.example/…1234"
    )
