"""The same alert for each kind of receiver, none of which interprets what somebody typed."""

from __future__ import annotations

from typing import Any

from stationmaster import clock
from stationmaster.access import privacy, service
from stationmaster.alerts import destinations
from stationmaster.alerts.raising import digest_of, resolve_alert
from tests.alerts.conftest import Office
from tests.support.builders import a_member
from tests.support.mail_server import MailServer
from tests.support.receivers import Receiver

HOSTILE = "<!channel> *b* [x](https://evil.example) @here {person}"


def sent(office: Office, receiver: Receiver, format: str, **more: Any) -> Any:
    office.add(format=format, address=receiver.url)
    office.raised(**more)
    assert office.deliver() == 1
    return receiver.requests[-1].json


def test_slack_gets_text_and_blocks_of_plain_text(office: Office, receiver: Receiver) -> None:
    body = sent(office, receiver, "slack", title=HOSTILE, body="B")

    assert body["text"].startswith("&lt;!channel&gt; ")
    texts = [block["text"] for block in body["blocks"] if "text" in block]
    assert {text["type"] for text in texts} == {"plain_text"}
    assert texts[0]["text"].startswith("<!channel> *b*")
    assert len(texts[0]["text"]) <= 150
    assert body["blocks"][-1]["elements"][0]["url"] == "https://agents.example/limits"
    assert "webhook-id" not in receiver.requests[0].headers


def test_teams_gets_an_adaptive_card_of_text_runs(office: Office, receiver: Receiver) -> None:
    body = sent(office, receiver, "teams", title=HOSTILE, body="B")

    [attachment] = body["attachments"]
    assert body["type"] == "message"
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    runs = [run for block in card["body"] for run in block["inlines"]]
    assert {run["type"] for run in runs} == {"TextRun"}
    assert runs[0]["text"].startswith("<!channel> *b* [x](https://evil.example)")


def test_alertmanager_gets_labels_that_stay_and_an_end(office: Office, receiver: Receiver) -> None:
    office.add(format="alertmanager", address=f"http://{receiver.place}/prefix/")
    office.raised(kind="sender.silent")
    office.deliver()
    office.later(hours=1)
    with office.db.transaction() as connection:
        resolve_alert(connection, office.org, "sender.silent", digest_of("k"))
    office.deliver()

    paths = [request.path for request in receiver.requests]
    [raised], [resolved] = [request.json for request in receiver.requests]
    assert paths == ["/prefix/api/v2/alerts"] * 2
    assert raised["labels"] == resolved["labels"]
    assert raised["labels"]["alertname"] == "StationmasterSenderSilent"
    assert raised["labels"]["severity"] == "warning"
    assert raised["startsAt"] == resolved["startsAt"] == "2026-11-21T12:00:00.000Z"
    assert raised["endsAt"] == "2026-11-28T12:00:00.000Z"
    assert resolved["endsAt"] == "2026-11-21T13:00:00.000Z"
    assert raised["annotations"] == {"summary": "80 % used", "description": "Of 5 dollars."}


def test_alertmanager_knows_when_a_period_ends(office: Office, receiver: Receiver) -> None:
    [alert] = sent(office, receiver, "alertmanager", until=clock.now_ms() + 60_000)

    assert alert["endsAt"] == "2026-11-21T12:01:00.000Z"


def test_alertmanager_may_ask_for_a_password(office: Office, receiver: Receiver) -> None:
    made, _ = office.add(format="alertmanager", address=f"http://u:p%40w@{receiver.place}/")
    office.raised()
    office.deliver()

    assert receiver.requests[0].headers["authorization"] == "Basic dTpwQHc="
    assert made.address == f"http://{receiver.place}/api/v2/alerts"


def test_mail_goes_to_addresses_owners_and_managers_once_each(
    office: Office, mail_server: MailServer
) -> None:
    a_member(office.db, office.org, "manager@example.com", "manager")
    a_member(office.db, office.org, "member@example.com")
    office.add(
        format="mail", recipients=["Ops@example.com", "owners", "managers", "owner@example.com"]
    )
    office.raised()
    office.deliver()

    [to] = mail_server.recipients
    assert sorted(to) == ["manager@example.com", "ops@example.com", "owner@example.com"]
    [message] = mail_server.messages
    assert message["Subject"] == "Acme: 80 % used"
    text = message.get_content()
    assert "Of 5 dollars." in text
    assert "https://agents.example/limits" in text
    [delivery] = office.deliveries()
    assert message["Message-ID"] == f"<{delivery.delivery_id}@example.com>"


def test_mail_that_the_server_refuses_for_good_is_not_sent_again(
    office: Office, mail_server: MailServer
) -> None:
    mail_server.answers["RCPT"] = "550 no such address"
    made, _ = office.add(format="mail", recipients=["gone@example.com"])
    office.raised()
    office.deliver()

    [delivery] = office.deliveries()
    assert delivery.state == "failed"
    assert office.destination(made.destination_id).is_enabled


def test_mail_that_the_server_defers_is_sent_later(office: Office, mail_server: MailServer) -> None:
    mail_server.answers["RCPT"] = "451 later"
    office.add(format="mail", recipients=["slow@example.com"])
    office.raised()
    office.deliver()
    mail_server.answers.clear()
    office.later(seconds=6)

    assert office.deliver() == 1
    assert [delivery.state for delivery in office.deliveries()] == ["delivered"]


def test_a_person_is_named_where_people_are(office: Office, receiver: Receiver) -> None:
    zoe = a_member(office.db, office.org, "zoe@example.com")
    body = sent(
        office, receiver, "webhook", title="{person} used 80 %", body="x", person=zoe.user_id
    )

    assert body["data"]["title"] == "zoe@example.com used 80 %"
    assert body["data"]["person"] == {"id": zoe.user_id, "email": "zoe@example.com"}


def test_where_people_are_not_shown_only_the_person_is_named_to_the_person(
    office: Office, receiver: Receiver, mail_server: MailServer
) -> None:
    zoe = a_member(office.db, office.org, "zoe@example.com")
    privacy.put(office.db, office.org, "team-only", None, by=office.owner)
    office.add(address=receiver.url)
    office.add(name="mail", format="mail", recipients=["owners", "person"])
    office.raised(title="{person} used 80 %", body="So did {person}.", person=zoe.user_id)
    assert office.deliver() == 3

    body = receiver.requests[0].json
    assert body["data"]["title"] == "A person used 80 %"
    assert body["data"]["person"] is None
    assert zoe.user_id.encode() not in receiver.requests[0].body
    told = {
        recipients[0]: message["Subject"]
        for recipients, message in zip(mail_server.recipients, mail_server.messages, strict=True)
    }
    assert told == {
        "owner@example.com": "Acme: A person used 80 %",
        "zoe@example.com": "Acme: zoe@example.com used 80 %",
    }


def test_who_left_is_not_sent_mail(office: Office, mail_server: MailServer) -> None:
    zoe = a_member(office.db, office.org, "zoe@example.com")
    office.add(format="mail", recipients=["person"])
    office.raised(person=zoe.user_id)
    service.remove_member(office.db, office.org, zoe.user_id, by=office.owner)
    office.deliver()

    assert mail_server.messages == []
    assert [delivery.state for delivery in office.deliveries()] == ["failed"]


def test_a_test_goes_to_its_destination_alone(office: Office, mail_server: MailServer) -> None:
    office.add(name="other", format="mail", recipients=["ops@example.com"])
    made, _ = office.add(format="mail", recipients=["person"])
    destinations.test(office.db, office.owner, made.destination_id)
    office.deliver()

    assert mail_server.recipients == [["owner@example.com"]]
