"""Alerts over the API: what each may see, and that secrets are shown once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stationmaster.alerts.raising import raise_alert
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

ALERTS = "/api/platform/v1/alerts"
DESTINATIONS = f"{ALERTS}/destinations"
SLACK = {
    "name": "slack",
    "format": "slack",
    "url": "https://192.88.98.1/services/T0/B0/secret-0451",
}


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[Server]:
    with running_server(settings_for(tmp_path, database_url)) as running:
        yield running


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, "ours")


@pytest.fixture
def owner(server: Server, cast: Cast) -> Iterator[httpx.Client]:
    with server.client(cast.keys["owner"]) as client:
        yield client


def test_an_address_that_is_a_secret_and_a_signing_secret_are_stored_sealed(
    server: Server, owner: httpx.Client
) -> None:
    made = owner.post(DESTINATIONS, json=SLACK).json()
    hook = {"name": "hook", "format": "webhook", "url": "https://192.88.98.1/secret-path"}
    secret = owner.post(DESTINATIONS, json=hook).json()["secret"]
    listed = owner.get(DESTINATIONS).text
    rows = server.services.db.rows("SELECT * FROM alert_destinations")

    assert made["secret"] is None
    assert made["destination"]["address"] == "https://192.88.98.1/…0451"
    assert "B0" not in listed
    assert secret not in listed
    stored = repr(rows)
    assert "secret-0451" not in stored
    assert secret not in stored


def test_alerts_are_filtered_and_paged(server: Server, cast: Cast, owner: httpx.Client) -> None:
    for n in range(3):
        kind = "job.failed" if n else "ci.critical"
        with server.services.db.transaction() as connection:
            raise_alert(connection, cast.org, kind, f"k{n}", f"Alert {n}", "b", {"n": n})
    first = owner.get(ALERTS, params={"limit": 2}).json()
    second = owner.get(
        ALERTS, params={"limit": 2, "cursor": first["pagination"]["nextCursor"]}
    ).json()
    failed = owner.get(ALERTS, params={"kind": "job.failed", "open": "true"}).json()
    none = owner.get(ALERTS, params={"open": "false"}).json()
    later = owner.get(ALERTS, params={"since": 2**52}).json()

    titles = [each["title"] for each in (*first["alerts"], *second["alerts"])]
    assert titles == ["Alert 2", "Alert 1", "Alert 0"]
    assert [each["details"] for each in failed["alerts"]] == [{"n": 2}, {"n": 1}]
    assert none["alerts"] == later["alerts"] == []


def test_members_see_what_is_about_them_alone(server: Server, cast: Cast) -> None:
    person = cast.people["member"]
    with server.services.db.transaction() as connection:
        raise_alert(connection, cast.org, "job.failed", "k", "Not yours", "b", {})
        raise_alert(
            connection,
            cast.org,
            *("sender.silent", "k", "{person} stopped", "b", {}),
            person=person.user_id,
        )
    with server.client(cast.keys["member"]) as member, server.client(cast.keys["guest"]) as guest:
        seen = member.get(ALERTS).json()["alerts"]
        nothing = guest.get(ALERTS).json()["alerts"]

    assert [each["title"] for each in seen] == [f"{person.email} stopped"]
    assert nothing == []


def test_names_are_given_once_and_disabled_destinations_send_nothing(owner: httpx.Client) -> None:
    made = owner.post(DESTINATIONS, json=SLACK).json()["destination"]["destinationId"]
    twice = owner.post(DESTINATIONS, json=SLACK)
    test = owner.post(f"{DESTINATIONS}/{made}/test").json()
    owner.patch(f"{DESTINATIONS}/{made}", json={"enabled": False})
    refused = [
        owner.post(f"{DESTINATIONS}/{made}/test"),
        owner.post(f"{DESTINATIONS}/{made}/rotate"),
        owner.post(f"{ALERTS}/deliveries/{test['deliveryId']}/replay"),
    ]
    delivery = owner.get(f"{ALERTS}/deliveries/{test['deliveryId']}").json()

    assert twice.json()["metadata"]["code"] == "destination_exists"
    codes = [each.json()["metadata"]["code"] for each in refused]
    assert codes == ["disabled", "no_secret", "disabled"]
    assert delivery["delivery"]["state"] == "failed"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"url": "https://127.0.0.1/h"}, "address_refused"),
        ({"url": "hook"}, "invalid_address"),
        ({"url": None}, "invalid_destination"),
        ({"recipients": ["owners"]}, "invalid_destination"),
        ({"format": "mail", "url": None, "recipients": ["owners"]}, "mail_off"),
        ({"kinds": ["test"]}, "invalid_kind"),
    ],
)
def test_what_cannot_be_a_destination_is_refused(
    owner: httpx.Client, fields: dict[str, object], code: str
) -> None:
    answer = owner.post(DESTINATIONS, json=SLACK | fields)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, code)
