"""The audit log: what changed, newest first, for owners."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain

import pytest

from stationmaster import clock
from stationmaster.access import operator, service
from tests.api.conftest import Ask
from tests.spec import day
from tests.support.builders import an_invited
from tests.support.cast import Cast

PATH = "/api/platform/v1/audit"


def test_a_change_is_told_with_who_made_it_through_which_door_and_to_what(
    ask: Ask, cast: Cast
) -> None:
    manager, guest = cast.people["manager"], cast.people["guest"]
    clock.freeze(day.NOW + timedelta(milliseconds=7))

    ask("manager", "PATCH", f"/api/platform/v1/members/{guest.user_id}", json={"role": "member"})

    newest = ask("owner", "GET", PATH).json()["events"][0]
    assert newest == {
        "auditId": newest["auditId"],
        "eventType": "member_role_changed",
        "source": "platform_api",
        "actor": {
            "kind": "human",
            "id": manager.user_id,
            "email": manager.email,
            "role": "manager",
        },
        "target": {"kind": "member", "id": guest.user_id},
        "payload": {"role": "member", "previous_role": "guest"},
        "createdAt": "2026-11-21T09:00:00.007Z",
    }


def test_the_software_itself_is_no_actor_and_a_program_has_no_address(ask: Ask, cast: Cast) -> None:
    an_invited(cast.db, cast.org)
    ask("svc-mgr", "POST", "/api/platform/v1/keys", json={"name": "x", "scope": "full"})

    by_program, by_itself = ask("owner", "GET", PATH, params={"limit": 2}).json()["events"]

    assert (by_itself["source"], by_itself["actor"]) == ("system", None)
    assert (by_program["actor"]["kind"], by_program["actor"]["email"]) == ("service", None)


def test_the_machines_operator_is_told_by_the_door(ask: Ask, cast: Cast) -> None:
    by = operator.owner(cast.db, cast.org)
    service.add_member(cast.db, cast.org, "zoe@example.com", "guest", by=by)

    newest = ask("owner", "GET", PATH).json()["events"][0]

    assert (newest["eventType"], newest["source"]) == ("member_added", "cli")


def test_pages_follow_one_another_from_the_newest_to_the_first(ask: Ask, cast: Cast) -> None:
    everything = ask("owner", "GET", PATH, params={"limit": 100}).json()
    pages, cursor = [], None
    while True:
        sent = {"limit": 5} if cursor is None else {"limit": 5, "cursor": cursor}
        page = ask("owner", "GET", PATH, params=sent).json()
        pages.append(page["events"])
        cursor = page["pagination"]["nextCursor"]
        assert page["pagination"]["hasMore"] is (cursor is not None)
        if cursor is None:
            break

    assert list(chain(*pages)) == everything["events"]
    assert {len(page) for page in pages[:-1]} == {5}
    assert everything["events"][-1]["eventType"] == "organization_created"
    ids = [event["auditId"] for event in everything["events"]]
    assert ids == sorted(ids, reverse=True)


def test_changes_of_one_type_are_listed_alone(ask: Ask) -> None:
    asked = {"eventType": "member_added", "limit": 3}

    first = ask("owner", "GET", PATH, params=asked).json()
    cursor = first["pagination"]["nextCursor"]
    second = ask("owner", "GET", PATH, params={**asked, "cursor": cursor}).json()

    events = first["events"] + second["events"]
    assert [event["eventType"] for event in events] == ["member_added"] * 4
    assert second["pagination"] == {"hasMore": False, "nextCursor": None}
    none = ask("owner", "GET", PATH, params={"eventType": "never_happened"}).json()
    assert none == {"events": [], "pagination": {"hasMore": False, "nextCursor": None}}


def test_no_secret_of_any_change_is_in_the_log(ask: Ask, cast: Cast) -> None:
    invited = ask(
        "owner",
        "POST",
        "/api/platform/v1/members",
        json={"email": "zoe@example.com", "role": "member"},
    ).json()
    key = ask("owner", "POST", "/api/platform/v1/keys", json={"name": "fog", "scope": "full"})

    told = ask("owner", "GET", PATH, params={"limit": 100}).text

    assert invited["invitationUrl"].rpartition("/")[2] not in told
    assert key.json()["apiKey"][3:] not in told
    assert "fog" not in told


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "cursor=x", "cursor=%00", "eventType=%00", "eventType=A B"],
)
def test_a_page_that_cannot_be_is_400(ask: Ask, query: str) -> None:
    assert ask("owner", "GET", f"{PATH}?{query}").status_code == 400


@pytest.mark.parametrize("caller", ["manager", "member", "guest", "svc", "svc-mgr", "ingest"])
def test_the_log_is_for_owners(ask: Ask, caller: str) -> None:
    assert ask(caller, "GET", PATH).status_code == 403


def test_another_organizations_changes_are_not_in_it(ask: Ask, cast: Cast) -> None:
    events = ask("owner", "GET", PATH, params={"limit": 100}).json()["events"]

    created = [event for event in events if event["eventType"] == "organization_created"]
    assert [event["target"]["id"] for event in created] == [cast.org]
