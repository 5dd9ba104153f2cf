"""The page of alerts: destinations are added, tested, changed and removed by forms alone."""

from __future__ import annotations

import re

import pytest

from stationmaster.access.model import Role
from stationmaster.alerts import destinations, store
from stationmaster.alerts.raising import raise_alert
from tests.support.builders import audited
from tests.web.conftest import Office

PATH = "/settings/alerts"
# Of a public network that nobody uses, so nothing is looked up or reached.
WHERE = "https://192.88.98.1/hook"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("manager", 200), ("member", 403), ("guest", 403)]
)
def test_owners_and_managers_see_it(office: Office, owner: str, role: Role, status: int) -> None:
    with office.visitor(owner if role == "owner" else office.person(role)) as visitor:
        answers = [
            visitor.get(PATH),
            visitor.post(PATH, data={"name": "x", "format": "webhook", "where": "bad"}),
        ]

    assert answers[0].status_code == status
    assert answers[1].status_code == (400 if status == 200 else 403)


def test_a_webhook_is_added_with_a_secret_that_is_shown_once(office: Office, owner: str) -> None:
    db = office.server.services.db
    with office.visitor(owner) as visitor:
        form = {"name": HOSTILE, "format": "webhook", "where": WHERE}
        added = visitor.post(PATH, data=form | {"kinds": ["ci.critical", "job.failed"]})
        [made] = destinations.list_all(db, office.org)
        path = f"{PATH}/{made.destination_id}"
        rotated = visitor.post(f"{path}/rotate")
        visitor.post(f"{path}/test")
        visitor.post(f"{path}/disable")
        disabled = visitor.get(PATH)
        [delivery] = store.deliveries_page(
            db, office.org, limit=9, before=None, destination_id=None, alert_id=None, state=None
        )
        detail = visitor.get(f"{PATH}/deliveries/{delivery.delivery_id}")
        visitor.post(f"{path}/enable")
        again = visitor.post(f"{PATH}/deliveries/{delivery.delivery_id}/replay")
        asked = visitor.get(f"{path}/remove")
        visitor.post(f"{path}/remove")

    secrets = [re.findall(r"whsec_[\w+/=]+", each.text) for each in (added, rotated)]
    assert secrets[0] != secrets[1]
    assert [len(each) for each in secrets] == [1, 1]
    assert "whsec_" not in disabled.text
    assert HOSTILE not in disabled.text
    assert made.kinds == ("ci.critical", "job.failed")
    assert "disabled by a person" in disabled.text
    assert delivery.delivery_id in detail.text
    assert again.status_code == 303
    assert "Nothing is sent there any more" in asked.text
    assert destinations.list_all(db, office.org) == []
    assert audited(db, office.org, "alert_destination_removed").payload == {"format": "webhook"}


def test_what_cannot_be_added_is_explained_and_stays_in_the_form(
    office: Office, owner: str
) -> None:
    with office.visitor(owner) as visitor:
        form = {"name": "ops", "format": "slack", "where": "https://127.0.0.1/hook"}
        refused = visitor.post(PATH, data=form | {"kinds": "job.failed"})

    assert refused.status_code == 400
    assert "local or private address" in refused.text
    assert 'value="https://127.0.0.1/hook"' in refused.text
    assert 'value="job.failed" checked' in refused.text


def test_the_newest_alerts_are_listed(office: Office, owner: str) -> None:
    db = office.server.services.db
    with db.transaction() as connection:
        raise_alert(connection, office.org, "spend.spike", "k", f"{HOSTILE} spike", "Body.", {})
    with office.visitor(owner) as visitor:
        shown = visitor.get(PATH).text

    assert HOSTILE not in shown
    assert "spike" in shown
    assert 'href="/spend"' in shown


def test_a_destination_that_failed_needs_a_person(office: Office, owner: str) -> None:
    db = office.server.services.db
    db.write(
        "INSERT INTO lake_days (org_id, day, landed, rolled, published)"
        " VALUES (?, '2026-11-20', 1, 1, 0)",
        [(office.org,)],
    )
    with office.visitor(owner) as visitor:
        visitor.post(PATH, data={"name": "ops", "format": "teams", "where": WHERE})
        [made] = destinations.list_all(db, office.org)
        with db.transaction() as connection:
            destinations.give_up(connection, office.org, made.destination_id, "gone")

        assert "Alerts are no longer sent to ops" in visitor.get("/").text
