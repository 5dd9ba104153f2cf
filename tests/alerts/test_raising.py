"""An alert is stored once for its key, with a delivery to each destination that wants it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert

from stationmaster.alerts import raising
from stationmaster.alerts.model import Kind
from stationmaster.alerts.raising import digest_of, raise_alert, resolve_alert
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import alert_destinations
from stationmaster.ids import OrgId
from tests.support.builders import an_organization


def raised(db: Database, org: OrgId, key: str, kind: Kind = "limit.threshold", **more: Any) -> bool:
    with db.transaction() as connection:
        fields = {"title": "80 % used", "body": "…", "data": {}} | more
        return raise_alert(connection, org, kind, key, **fields)


def a_destination(db: Database, org: OrgId, name: str, **more: Any) -> None:
    fields = {"format": "webhook", "kinds": "", "recipients": "", "state": "enabled"} | more
    with db.transaction() as connection:
        connection.execute(
            insert(alert_destinations).values(
                org_id=org, destination_id=name, name=name, created_at=1, created_by="u", **fields
            )
        )


def deliveries(db: Database, org: OrgId) -> list[tuple[str, str, str]]:
    return sorted(
        db.rows(
            "SELECT destination_id, event, audience FROM alert_deliveries WHERE org_id = ?", org
        )
    )


def test_the_same_key_is_raised_once_and_another_key_again(db: Database) -> None:
    org = an_organization(db)
    a_destination(db, org, "dest_1")

    assert [raised(db, org, key) for key in ("b 2026-11 80", "b 2026-11 80", "b 2026-12 80")] == [
        *(True, False, True)
    ]
    assert deliveries(db, org) == [("dest_1", "raised", "all")] * 2


def test_kinds_and_organizations_have_keys_of_their_own(db: Database) -> None:
    org, other = an_organization(db), an_organization(db, "Other")
    a_destination(db, other, "dest_other")

    assert raised(db, org, "k")
    assert raised(db, org, "k", "job.failed")
    assert raised(db, other, "k")
    assert deliveries(db, org) == []
    assert deliveries(db, other) == [("dest_other", "raised", "all")]


def test_only_enabled_destinations_that_want_the_kind_have_a_delivery(db: Database) -> None:
    org = an_organization(db)
    a_destination(db, org, "dest_all")
    a_destination(db, org, "dest_jobs", kinds="job.failed ci.critical")
    a_destination(db, org, "dest_off", state="disabled")

    raised(db, org, "k", "limit.request")
    assert deliveries(db, org) == [("dest_all", "raised", "all")]


def test_the_person_that_an_alert_is_about_has_a_message_of_its_own(db: Database) -> None:
    org = an_organization(db)
    a_destination(db, org, "dest_both", format="mail", recipients="owners\nperson")
    a_destination(db, org, "dest_person", format="mail", recipients="person")

    raised(db, org, "k", person="user_1")
    raised(db, org, "of nobody")
    assert deliveries(db, org) == [
        *[("dest_both", "raised", "all")] * 2,
        ("dest_both", "raised", "person"),
        ("dest_person", "raised", "person"),
    ]


def test_an_alert_is_resolved_once_and_people_are_not_sent_that(db: Database) -> None:
    org = an_organization(db)
    a_destination(db, org, "dest_hook", kinds="sender.silent")
    a_destination(db, org, "dest_slack", format="slack", kinds="sender.silent")
    raised(db, org, "k", "sender.silent")

    with db.transaction() as connection:
        assert resolve_alert(connection, org, "sender.silent", digest_of("k"))
        assert not resolve_alert(connection, org, "sender.silent", digest_of("k"))
        assert not resolve_alert(connection, org, "sender.silent", digest_of("never raised"))
    assert deliveries(db, org) == [
        ("dest_hook", "raised", "all"),
        ("dest_hook", "resolved", "all"),
        ("dest_slack", "raised", "all"),
    ]


def test_texts_are_cut_and_data_without_bounds_are_left_out(db: Database) -> None:
    org = an_organization(db)
    raised(db, org, "k", title="t" * 500, body="b" * 5000, data={"x": "y" * raising.DATA_MAX})

    [(title, body, data)] = db.rows("SELECT title, body, data FROM alerts WHERE org_id = ?", org)
    assert (len(title), len(body), data) == (raising.TITLE_MAX, raising.BODY_MAX, "{}")
