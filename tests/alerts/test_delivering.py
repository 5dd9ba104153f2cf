"""Messages arrive once they were raised, are tried again as Standard Webhooks says, and survive."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise

import pytest
from standardwebhooks import Webhook

from stationmaster import clock
from stationmaster.alerts import delivering, destinations, queue, store
from stationmaster.alerts.delivering import THREADS, WAITS_S
from tests.alerts.conftest import NOW, Office
from tests.support.builders import a_caller, a_member, an_organization, audited
from tests.support.mail_server import MailServer
from tests.support.patience import PATIENCE_S
from tests.support.receivers import Receiver

_NOW_S = int(NOW.timestamp())


@pytest.fixture(autouse=True)
def _no_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "JITTER", 0.0)


def verified(receiver: Receiver, secret: str) -> object:
    """The last message, verified by the library of Standard Webhooks against the real time."""
    request = receiver.requests[-1]
    return Webhook(secret).verify(request.body, request.headers)


def test_a_webhook_has_the_headers_the_signature_and_the_body_of_standard_webhooks(
    office: Office, receiver: Receiver
) -> None:
    clock.freeze(None)
    _, secret = office.add(address=receiver.url)
    assert secret is not None
    office.raised(data={"share": 80}, until=1_795_000_000_000)

    assert office.deliver() == 1
    message = verified(receiver, secret.reveal())
    [delivery] = office.deliveries()
    [request] = receiver.requests
    assert request.headers["webhook-id"] == delivery.delivery_id
    assert request.headers["content-type"] == "application/json"
    assert message == request.json
    assert set(request.json) == {"type", "timestamp", "data"}
    assert request.json["type"] == "limit.threshold"
    at = datetime.fromisoformat(request.json["timestamp"])
    assert abs((at - datetime.now(UTC)).total_seconds()) < 60
    assert request.json["data"] == {
        "organization": {"id": office.org, "name": "Acme"},
        "id": delivery.alert_id,
        "status": "raised",
        "title": "80 % used",
        "text": "Of 5 dollars.",
        "person": None,
        "until": 1_795_000_000_000,
        "details": {"share": 80},
        "url": "https://agents.example/limits",
    }
    assert (delivery.state, office.ended) == ("delivered", [("webhook", "delivered")])


def test_the_largest_alert_stays_under_20_kb(office: Office, receiver: Receiver) -> None:
    office.add(address=receiver.url)
    office.raised(title="😀" * 500, body="\x01" * 5000, data={"x": "é" * 3900})
    office.deliver()

    assert len(receiver.requests[0].body) < 20_000


@pytest.mark.both_databases
def test_failures_are_retried_after_the_waits_of_the_standard_under_the_same_id(
    office: Office, receiver: Receiver
) -> None:
    made, _ = office.add(address=receiver.url)
    receiver.answer(500, b"no\x00\x1b[31m room" + b"x" * 10_000)
    office.raised()

    for wait_s in WAITS_S:
        assert office.deliver() == 1
        office.later(seconds=wait_s - 1)
        assert office.deliver() == 0
        office.later(seconds=1)
    assert office.deliver() == 1

    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    stamps = [int(request.headers["webhook-timestamp"]) for request in receiver.requests]
    assert [b - a for a, b in pairwise(stamps)] == [
        *(5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
    ]
    attempts = office.attempts()
    assert len(attempts) == 10
    assert attempts[0].status == 500
    error = attempts[0].error or ""
    assert error.startswith("no [31m room")
    assert len(error) <= 300
    [delivery, *_] = office.deliveries()
    assert delivery.state == "failed"
    destination = office.destination(made.destination_id)
    assert (destination.state, destination.reason) == ("disabled", "failing")


def test_waits_have_jitter(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "JITTER", 0.1)
    office.add(address=receiver.url)
    receiver.answer(500)
    for n in range(20):
        office.raised(f"k{n}")
    assert office.deliver() == 20

    waits = {delivery.due_at - clock.now_ms() for delivery in office.deliveries()}
    assert len(waits) > 5
    assert 5_000 <= min(waits) <= max(waits) <= 5_500


@pytest.mark.parametrize("status", [100, 301, 302, 307, 308, 400, 401, 404, 500, 503])
def test_only_2xx_is_success(office: Office, receiver: Receiver, status: int) -> None:
    office.add(address=receiver.url)
    receiver.answer(status, location=f"http://{receiver.place}/elsewhere")
    office.raised()
    office.deliver()

    [delivery] = office.deliveries()
    assert (delivery.state, delivery.attempts) == ("waiting", 1)
    assert {request.path for request in receiver.requests} == {"/hook"}


@pytest.mark.both_databases
def test_410_disables_the_destination_and_is_reported_by_other_ways(
    office: Office, receiver: Receiver, mail_server: MailServer
) -> None:
    made, _ = office.add(address=receiver.url)
    office.add(name="mail", format="mail", recipients=["ops@example.com"])
    receiver.answer(410)
    office.raised()
    office.deliver()

    destination = office.destination(made.destination_id)
    assert (destination.state, destination.reason) == ("disabled", "gone")
    assert len(receiver.requests) == 1
    assert [list(to) for to in mail_server.recipients] == [["ops@example.com"]] * 2
    assert "not sent to hook any more" in str(mail_server.messages[-1]["Subject"])
    [(waiting,)] = office.db.rows("SELECT COUNT(*) FROM outgoing_mail WHERE org_id = ?", office.org)
    assert waiting == 1, "the owners' own mail waits in the outbox"
    record = audited(office.db, office.org, "alert_destination_disabled")
    assert (record.actor, record.payload) == (None, {"reason": "gone"})
    office.raised("later")
    assert [each.destination_id for each in office.deliveries()].count(made.destination_id) == 1


@pytest.mark.parametrize("status", [429, 502, 504])
def test_a_busy_destination_is_left_alone_with_all_that_waits(
    office: Office, receiver: Receiver, status: int
) -> None:
    office.add(address=receiver.url)
    receiver.answer(status)
    office.raised("first")
    office.raised("second")

    assert office.deliver() == 1
    office.raised("third")
    office.later(seconds=59)
    assert office.deliver() == 0
    receiver.answer(200)
    office.later(seconds=1)
    assert office.deliver() == 3


@pytest.mark.parametrize(
    ("value", "wait_s"),
    [
        ("120", 120),
        ("Sat, 21 Nov 2026 12:10:00 GMT", 600),
        ("Sat, 21 Nov 2020 12:10:00 GMT", 5),
        ("99999999", 24 * 3600),
        ("soon", 5),
        ("-5", 5),
    ],
)
def test_retry_after_is_honoured(
    office: Office, receiver: Receiver, value: str, wait_s: int
) -> None:
    office.add(address=receiver.url)
    receiver.answer(503, retry_after=value)
    office.raised()
    office.deliver()

    [delivery] = office.deliveries()
    assert delivery.due_at - clock.now_ms() == wait_s * 1000


@pytest.mark.both_databases
def test_success_ends_the_count_of_failures(office: Office, receiver: Receiver) -> None:
    made, _ = office.add(address=receiver.url)
    receiver.answers = [(500, {}, b""), (200, {}, b"")]
    office.raised()
    office.deliver()
    assert office.destination(made.destination_id).failing_since == clock.now_ms()
    office.later(seconds=5)
    office.deliver()

    assert office.destination(made.destination_id).failing_since is None
    assert [attempt.status for attempt in office.attempts()] == [500, 200]


@pytest.mark.both_databases
def test_for_a_day_after_a_rotation_both_secrets_sign(office: Office, receiver: Receiver) -> None:
    clock.freeze(None)
    made, old = office.add(address=receiver.url)
    _, new = destinations.rotate(office.db, office.vault, office.owner, made.destination_id)
    assert old is not None
    office.raised()
    office.deliver()
    assert receiver.requests[0].headers["webhook-signature"].count("v1,") == 2
    assert verified(receiver, old.reveal()) == verified(receiver, new.reveal())

    at_rotation = clock.now_ms()
    clock.freeze(datetime.fromtimestamp(at_rotation / 1000 + 24 * 3600 + 1, UTC))
    office.raised("k2")
    office.deliver()
    assert receiver.requests[1].headers["webhook-signature"].count("v1,") == 1


@pytest.mark.both_databases
def test_who_died_while_sending_is_followed_after_the_lease_under_the_same_id(
    office: Office, receiver: Receiver
) -> None:
    made, _ = office.add(address=receiver.url)
    office.raised()
    taken = queue.take(office.db, office.org, made.destination_id)
    assert taken is not None
    assert queue.take(office.db, office.org, made.destination_id) is None
    assert office.deliver() == 0

    office.later(milliseconds=queue.LEASE_MS)
    assert office.deliver() == 1
    assert receiver.requests[0].headers["webhook-id"] == taken.delivery.delivery_id
    assert [attempt.ended_at is None for attempt in office.attempts()] == [True, False]


@pytest.mark.both_databases
def test_a_clock_that_was_wrong_keeps_no_delivery_waiting(
    office: Office, receiver: Receiver
) -> None:
    office.add(address=receiver.url)
    clock.freeze(NOW.replace(year=2036))
    office.raised()
    clock.freeze(NOW)

    assert office.deliver() == 1


@pytest.mark.both_databases
def test_two_processes_send_a_message_once(office: Office, receiver: Receiver) -> None:
    office.add(address=receiver.url)
    for n in range(10):
        office.raised(f"k{n}")
    deliverers = [office.deliverer, office.another_deliverer()]

    def work(one: delivering.Deliverer) -> None:
        while one.deliver_next():
            pass

    threads = [threading.Thread(target=work, args=(one,)) for one in deliverers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = [request.headers["webhook-id"] for request in receiver.requests]
    assert len(sent) == len(set(sent)) == 10


@pytest.mark.both_databases
def test_an_organization_never_has_all_threads(office: Office, receiver: Receiver) -> None:
    entered = threading.Semaphore(0)

    def stall(handler: BaseHTTPRequestHandler) -> None:
        entered.release()
        receiver.stop.wait(30)
        handler.close_connection = True

    receiver.answering = stall
    for n in range(THREADS):
        office.add(name=f"slow {n}", address=f"{receiver.url}/{n}")
    office.raised()
    threads = [threading.Thread(target=office.deliverer.deliver_next) for _ in range(THREADS - 1)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert entered.acquire(timeout=PATIENCE_S)
    assert not office.deliverer.deliver_next()

    receiver.answering = None
    other = an_organization(office.db, "Other")
    owner = a_caller(office.db, other, a_member(office.db, other, "o@example.com", "owner"))
    wanted = destinations.DestinationForm("hook", "webhook", receiver.url)
    made, _ = destinations.add(office.db, office.settings, office.vault, owner, wanted)
    destinations.test(office.db, owner, made.destination_id)
    assert office.deliverer.deliver_next()
    assert receiver.requests[-1].json["type"] == "test"
    receiver.stop.set()
    for thread in threads:
        thread.join()


@pytest.mark.both_databases
def test_a_replay_sends_the_same_id_again(office: Office, receiver: Receiver) -> None:
    office.add(address=receiver.url)
    office.raised()
    office.deliver()
    [delivery] = office.deliveries()

    queue.replay(office.db, office.owner, delivery.delivery_id)
    office.deliver()
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert ids == [delivery.delivery_id] * 2
    assert len(office.attempts()) == 2
    assert audited(office.db, office.org, "alert_deliveries_replayed").payload == {"count": 1}


@pytest.mark.both_databases
def test_a_replay_since_a_time_sends_all_of_that_time(office: Office, receiver: Receiver) -> None:
    made, _ = office.add(address=receiver.url)
    office.raised("before")
    office.later(hours=1)
    since = clock.now_ms()
    receiver.answer(404)
    office.raised("failed")
    office.raised("also failed")
    office.deliver()
    destinations.change(office.db, office.owner, made.destination_id, is_enabled=False)
    destinations.change(office.db, office.owner, made.destination_id, is_enabled=True)
    receiver.answer(200)

    count = queue.replay_since(office.db, office.owner, made.destination_id, since)
    assert (count, office.deliver()) == (2, 2)
    assert sorted(each.state for each in office.deliveries()) == ["delivered"] * 2 + ["failed"]
    assert store.attempts(office.db, office.org, office.deliveries()[1].delivery_id)[-1].status
