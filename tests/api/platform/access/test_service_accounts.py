"""Identities of programs: made, paused, given roles and removed by owners and managers."""

from __future__ import annotations

from typing import Any

import pytest

from stationmaster.access import reads, service
from tests.api.conftest import Ask
from tests.spec import day
from tests.support.builders import a_key
from tests.support.cast import Cast
from tests.support.servers import Server

PATH = "/api/platform/v1/service-accounts"
ME = "/api/platform/v1/me"
NOW_MS = int(day.NOW.timestamp() * 1000)
MANAGING = ["owner", "manager", "svc-mgr"]


def made(ask: Ask, name: str = "nightly", role: str = "member") -> dict[str, Any]:
    answer = ask("manager", "POST", PATH, json={"name": name, "role": role})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("caller", MANAGING)
def test_an_account_is_made_active_and_found(ask: Ask, caller: str) -> None:
    answer = ask(caller, "POST", PATH, json={"name": " nightly ", "role": "guest"})

    account = answer.json()
    account_id = account["serviceAccountId"]
    assert (answer.status_code, account) == (
        201,
        {
            "serviceAccountId": account_id,
            "name": "nightly",
            "role": "guest",
            "isActive": True,
            "createdAt": NOW_MS,
        },
    )
    assert account_id.startswith("svc_")
    assert ask(caller, "GET", f"{PATH}/{account_id}").json() == account


def test_accounts_are_listed_by_name(ask: Ask, cast: Cast) -> None:
    made(ask, "zebra")
    made(ask, "alpha")

    listed = ask("owner", "GET", PATH).json()["serviceAccounts"]

    names = [account["name"] for account in listed]
    assert names == ["alpha", f"{cast.mark}-svc", f"{cast.mark}-svc-mgr", "zebra"]


def test_a_paused_account_stops_at_once_and_goes_on_when_resumed(ask: Ask, cast: Cast) -> None:
    path = f"{PATH}/{cast.program.service_account_id}"

    paused = ask("manager", "PATCH", path, json={"isActive": False})
    while_paused = ask("svc", "GET", ME).status_code
    resumed = ask("manager", "PATCH", path, json={"isActive": True})

    assert (paused.json()["isActive"], while_paused) == (False, 401)
    assert (resumed.json()["isActive"], ask("svc", "GET", ME).status_code) == (True, 200)


def test_another_role_is_effective_with_the_next_request(ask: Ask, cast: Cast) -> None:
    path = f"{PATH}/{cast.program.service_account_id}"

    changed = ask("manager", "PATCH", path, json={"role": "admin"})

    assert changed.json()["role"] == "manager"
    assert ask("svc", "GET", PATH).status_code == 200


def test_a_change_of_nothing_changes_nothing(ask: Ask) -> None:
    account = made(ask)
    path = f"{PATH}/{account['serviceAccountId']}"

    for change in ({}, {"isActive": None, "role": None}, {"isActive": True, "role": "member"}):
        assert ask("owner", "PATCH", path, json=change).json() == account
    events = ask("owner", "GET", "/api/platform/v1/audit").json()["events"]
    assert events[0]["eventType"] == "service_account_created"


def test_a_removed_account_is_gone_and_its_keys_stop_at_once(ask: Ask, cast: Cast) -> None:
    path = f"{PATH}/{cast.program.service_account_id}"

    answer = ask("manager", "DELETE", path)

    assert (answer.status_code, answer.content) == (204, b"")
    assert ask("svc", "GET", ME).status_code == 401
    assert ask("owner", "GET", path).status_code == 404
    assert ask("owner", "PATCH", path, json={"isActive": True}).status_code == 404
    assert ask("owner", "DELETE", path).status_code == 404
    new = {"name": "x", "scope": "full", "serviceAccountId": cast.program.service_account_id}
    assert ask("owner", "POST", "/api/platform/v1/keys", json=new).status_code == 404
    names = [each["name"] for each in ask("owner", "GET", PATH).json()["serviceAccounts"]]
    assert names == [f"{cast.mark}-svc-mgr"]


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_name_is_given_once_for_good(ask: Ask, is_removed: bool) -> None:
    account = made(ask)
    if is_removed:
        ask("owner", "DELETE", f"{PATH}/{account['serviceAccountId']}")

    answer = ask("owner", "POST", PATH, json={"name": "nightly", "role": "guest"})

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    "change", [{"name": "other"}, {"isActive": "yes"}, {"isActive": 1}, {"role": "owner"}, []]
)
def test_a_change_that_cannot_be_is_400(ask: Ask, change: object) -> None:
    account = made(ask)
    path = f"{PATH}/{account['serviceAccountId']}"

    assert ask("owner", "PATCH", path, json=change).status_code == 400
    assert ask("owner", "GET", path).json() == account


@pytest.mark.parametrize(
    "body",
    [
        {"name": "nightly", "role": "owner"},
        {"name": "nightly"},
        {"role": "member"},
        {"name": "", "role": "member"},
        {"name": "  ", "role": "member"},
        {"name": "x" * 101, "role": "member"},
        {"name": "a\x00b", "role": "member"},
        {"name": "nightly", "role": "member", "isActive": False},
    ],
)
def test_an_account_that_makes_no_sense_is_400(ask: Ask, body: object) -> None:
    assert ask("owner", "POST", PATH, json=body).status_code == 400
    assert len(ask("owner", "GET", PATH).json()["serviceAccounts"]) == 2


@pytest.mark.parametrize("caller", ["member", "guest", "svc", "ingest"])
def test_others_neither_see_nor_change_accounts(ask: Ask, cast: Cast, caller: str) -> None:
    path = f"{PATH}/{cast.program.service_account_id}"
    refused = [
        ask(caller, "GET", PATH),
        ask(caller, "GET", path),
        ask(caller, "POST", PATH, json={"name": "nightly", "role": "guest"}),
        ask(caller, "PATCH", path, json={"role": "manager"}),
        ask(caller, "DELETE", path),
    ]

    assert {answer.status_code for answer in refused} == {403}


def test_accounts_of_another_organization_are_like_none(
    ask: Ask, cast: Cast, any_server: Server
) -> None:
    theirs = Cast(any_server.services.db, f"not-{cast.mark}").program.service_account_id
    for account in (theirs, "svc_unknown"):
        answers = [
            ask("owner", "GET", f"{PATH}/{account}"),
            ask("owner", "PATCH", f"{PATH}/{account}", json={"isActive": False}),
            ask("owner", "DELETE", f"{PATH}/{account}"),
        ]
        told = {(a.status_code, a.json()["detail"]) for a in answers}
        assert told == {(404, "There is no such service account.")}


def test_a_removed_account_is_still_told_from_people(cast: Cast) -> None:
    account = cast.program
    a_key(cast.db, cast.org, account)

    service.remove_service_account(cast.db, cast.org, account.service_account_id)

    assert account.service_account_id in reads.service_account_ids(cast.db, cast.org)
