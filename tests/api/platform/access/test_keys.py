"""API keys: made, seen and revoked by who may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.access import reads, service
from tests.api.conftest import Ask
from tests.spec import day
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

PATH = "/api/platform/v1/keys"
ME = "/api/platform/v1/me"
NOW_MS = int(day.NOW.timestamp() * 1000)


def made(ask: Ask, caller: str, **more: object) -> dict[str, Any]:
    answer = ask(caller, "POST", PATH, json={"name": "laptop", "scope": "full", **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["metadata"]["code"]


@pytest.mark.parametrize("caller", ["owner", "manager", "member"])
def test_a_key_of_ones_own_works_and_is_shown_once(ask: Ask, cast: Cast, caller: str) -> None:
    key = made(ask, caller, expiresAt=NOW_MS + 60_000)

    text = key.pop("apiKey")
    assert key == {
        "keyId": key["keyId"],
        "principalKind": "human",
        "principalId": cast.people[caller].user_id,
        "name": "laptop",
        "scope": "full",
        "hint": text[:7] + "…",
        "createdAt": NOW_MS,
        "expiresAt": NOW_MS + 60_000,
        "revokedAt": None,
        "lastUsedAt": None,
        "role": None,
        "madeWith": ask(caller, "GET", ME).json()["key_id"],
    }
    assert ask(text, "GET", ME).json()["key_id"] == key["keyId"]
    read = ask(caller, "GET", f"{PATH}/{key['keyId']}")
    assert read.json() == key
    assert text not in ask(caller, "GET", PATH).text + read.text


@pytest.mark.parametrize("caller", ["owner", "manager", "svc-mgr"])
def test_owners_and_managers_make_keys_of_service_accounts(
    ask: Ask, cast: Cast, caller: str
) -> None:
    account = cast.program.service_account_id

    key = made(ask, caller, serviceAccountId=account, scope="ingest")

    assert (key["principalKind"], key["principalId"]) == ("service", account)
    me = ask(key["apiKey"], "GET", ME).json()
    assert (me["principal_id"], me["scope"]) == (account, "ingest")


@pytest.mark.parametrize(
    ("caller", "more", "expected"),
    [
        ("manager", {"scope": "ingest"}, 201),
        ("svc-mgr", {"scope": "ingest"}, 201),
        ("manager", {"scope": "full"}, (403, "not_yours")),
        ("member", {"scope": "ingest"}, (403, "insufficient_role")),
        ("manager", {"scope": "ingest", "serviceAccountId": "svc_x"}, (400, "two_holders")),
    ],
)
def test_for_another_member_owners_and_managers_make_keys_that_send_telemetry(
    ask: Ask, cast: Cast, caller: str, more: dict[str, str], expected: object
) -> None:
    user = cast.people["owner"].user_id

    answer = ask(caller, "POST", PATH, json={"name": "laptop", "userId": user, **more})

    if expected != 201:
        assert code(answer) == expected
        return
    assert (answer.status_code, answer.json()["principalId"]) == (201, user)


def test_a_program_with_a_managers_grant_makes_its_own_next_key(ask: Ask) -> None:
    me = ask("svc-mgr", "GET", ME).json()

    assert made(ask, "svc-mgr")["principalId"] == me["principal_id"]


@pytest.mark.parametrize(
    ("caller", "of_program", "expected"),
    [
        ("guest", False, "insufficient_role"),
        ("svc", False, "insufficient_role"),
        ("member", True, "insufficient_role"),
        ("svc", True, "insufficient_role"),
        ("ingest", False, "insufficient_scope"),
    ],
)
def test_others_make_none(
    ask: Ask, cast: Cast, caller: str, of_program: bool, expected: str
) -> None:
    body = {"name": "x", "scope": "full"}
    if of_program:
        body["serviceAccountId"] = cast.program.service_account_id

    before = len(reads.list_keys(cast.db, cast.org))
    assert code(ask(caller, "POST", PATH, json=body)) == (403, expected)
    assert len(reads.list_keys(cast.db, cast.org)) == before


def test_a_paused_account_gets_no_key(ask: Ask, cast: Cast) -> None:
    account = cast.program.service_account_id
    service.change_service_account(cast.db, cast.org, account, is_active=False)

    answer = ask(
        "owner", "POST", PATH, json={"name": "x", "scope": "full", "serviceAccountId": account}
    )

    assert code(answer) == (409, "inactive")


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "full"},
        {"name": "x"},
        {"name": "", "scope": "full"},
        {"name": "x\x00", "scope": "full"},
        {"name": "x", "scope": "admin"},
        {"name": "x", "scope": "full", "expiresAt": NOW_MS},
        {"name": "x", "scope": "full", "expiresAt": -1},
        {"name": "x", "scope": "full", "expiresAt": 2**53},
        {"name": "x", "scope": "full", "expiresAt": "2099-01-01"},
        {"name": "x", "scope": "full", "expiresAt": True},
        {"name": "x", "scope": "full", "serviceAccountId": "svc\x00"},
        {"name": "x", "scope": "full", "principalId": "user_x"},
    ],
)
def test_a_key_that_makes_no_sense_is_400(ask: Ask, cast: Cast, body: object) -> None:
    before = len(reads.list_keys(cast.db, cast.org))
    assert ask("owner", "POST", PATH, json=body).status_code == 400
    assert len(reads.list_keys(cast.db, cast.org)) == before


def test_everybody_lists_their_own_keys_by_default(ask: Ask, cast: Cast) -> None:
    for caller in ("owner", "manager", "member", "svc", "svc-mgr"):
        me = ask(caller, "GET", ME).json()["principal_id"]

        listed = ask(caller, "GET", PATH).json()["keys"]

        assert {key["principalId"] for key in listed} == {me}
        own = ask(caller, "GET", PATH, params={"principalId": me}).json()["keys"]
        # When a key was last used is stored in between.
        assert [key | {"lastUsedAt": 0} for key in own] == [
            key | {"lastUsedAt": 0} for key in listed
        ]


@pytest.mark.parametrize("caller", ["owner", "manager", "svc-mgr"])
def test_owners_and_managers_list_the_keys_of_all_or_of_one(
    ask: Ask, cast: Cast, caller: str
) -> None:
    everybody = ask(caller, "GET", PATH, params={"all": "true"}).json()["keys"]
    member = cast.people["member"].user_id
    one = ask(caller, "GET", PATH, params={"principalId": member}).json()["keys"]

    known = reads.list_keys(cast.db, cast.org)
    assert [key["keyId"] for key in everybody] == [key.key_id for key in known]
    assert [key["principalId"] for key in one] == [member]


@pytest.mark.parametrize("query", ["all=true", "principalId=user_x", "all=true&principalId=x"])
def test_members_list_only_their_own(ask: Ask, query: str) -> None:
    for caller in ("member", "svc"):
        assert code(ask(caller, "GET", f"{PATH}?{query}")) == (403, "insufficient_role")


@pytest.mark.parametrize("query", ["all=maybe", "principalId=%00", "principalId="])
def test_a_list_that_cannot_be_is_400(ask: Ask, query: str) -> None:
    assert ask("owner", "GET", f"{PATH}?{query}").status_code == 400


@pytest.mark.parametrize("caller", ["owner", "manager", "member"])
def test_ones_own_key_is_revoked_at_once_and_once(ask: Ask, caller: str) -> None:
    key = made(ask, caller)
    path = f"{PATH}/{key['keyId']}"

    statuses = [ask(caller, "DELETE", path).status_code for _ in range(2)]

    assert statuses == [204, 204]
    assert ask(key["apiKey"], "GET", ME).status_code == 401
    assert ask(caller, "GET", path).json()["revokedAt"] == NOW_MS
    events = ask("owner", "GET", "/api/platform/v1/audit").json()["events"]
    kinds = [event["eventType"] for event in events]
    assert kinds[:2] == ["api_key_revoked", "api_key_created"]


@pytest.mark.parametrize("caller", ["owner", "member"])
def test_a_key_may_end_itself_however_little_it_may_do(ask: Ask, caller: str) -> None:
    key = made(ask, caller, role="member")

    assert ask(key["apiKey"], "DELETE", f"{PATH}/{key['keyId']}").status_code == 204
    assert ask(key["apiKey"], "GET", ME).status_code == 401


@pytest.mark.parametrize("caller", ["owner", "manager", "svc-mgr"])
@pytest.mark.parametrize("holder", ["member", "svc", "manager"])
def test_owners_and_managers_revoke_the_keys_of_others(ask: Ask, caller: str, holder: str) -> None:
    [key] = ask(holder, "GET", PATH).json()["keys"]

    assert ask(caller, "DELETE", f"{PATH}/{key['keyId']}").status_code == 204
    assert ask(holder, "GET", ME).status_code == 401


def test_only_owners_revoke_the_keys_of_owners(ask: Ask) -> None:
    key = made(ask, "owner")
    path = f"{PATH}/{key['keyId']}"

    assert code(ask("manager", "DELETE", path)) == (403, "owners_only")
    assert ask(key["apiKey"], "GET", ME).status_code == 200


def test_to_a_member_others_keys_are_like_none(ask: Ask) -> None:
    for owner in ("manager", "svc"):
        [key] = ask(owner, "GET", PATH).json()["keys"]
        for method in ("GET", "DELETE"):
            foreign = ask("member", method, f"{PATH}/{key['keyId']}")
            unknown = ask("member", method, f"{PATH}/key_unknown")
            assert foreign.status_code == 404
            assert foreign.json() == unknown.json()


def test_to_an_owner_another_organizations_keys_are_like_none(
    ask: Ask, cast: Cast, any_server: Server
) -> None:
    theirs = Cast(any_server.services.db, f"not-{cast.mark}")
    key = reads.list_keys(theirs.db, theirs.org)[0]
    for method in ("GET", "DELETE"):
        answer = ask("owner", method, f"{PATH}/{key.key_id}")
        assert (answer.status_code, answer.json()["detail"]) == (404, "There is no such key.")
    new = {"name": "x", "scope": "full", "serviceAccountId": theirs.program.service_account_id}
    assert ask("owner", "POST", PATH, json=new).status_code == 404
    assert service.get_key(theirs.db, theirs.org, key.key_id) == key


@pytest.mark.parametrize("caller", ["guest", "ingest"])
def test_guests_and_ingest_keys_do_nothing_here(ask: Ask, caller: str) -> None:
    refused = [
        ask(caller, "GET", PATH),
        ask(caller, "GET", f"{PATH}/key_x"),
        ask(caller, "DELETE", f"{PATH}/key_x"),
    ]

    assert {answer.status_code for answer in refused} == {403}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("strict")
    settings = settings_for(folder, "sqlite", restrict_api_key_creation_to_managers=True)
    with running_server(settings) as server:
        yield server


@pytest.mark.parametrize(
    ("caller", "status"), [("owner", 201), ("manager", 201), ("svc-mgr", 201), ("member", 403)]
)
def test_by_a_setting_only_owners_and_managers_make_keys(
    strict: Server, caller: str, status: int
) -> None:
    cast = Cast(strict.services.db, f"strict-{caller}")
    with strict.client(cast.keys[caller]) as client:
        answer = client.post(PATH, json={"name": "x", "scope": "ingest"})
        assert answer.status_code == status
        assert client.get(PATH).status_code == 200


def test_a_revocation_lists_the_keys_that_stay_active(ask: Ask) -> None:
    leaked = made(ask, "member", name="leaked", expiresAt=NOW_MS + 60_000)
    child = made(ask, leaked["apiKey"], name="child")
    other = made(ask, "member", name="other")
    address = f"{PATH}/{leaked['keyId']}/revoke"

    alone = ask("member", "POST", address, json={}).json()
    works = ask(child["apiKey"], "GET", ME).status_code
    together = ask("member", "POST", address, json={"includeMade": True}).json()

    assert alone["key"]["revokedAt"] == NOW_MS
    assert [key["keyId"] for key in alone["madeKeys"]] == [child["keyId"]]
    assert other["keyId"] in [key["keyId"] for key in alone["otherKeys"]]
    assert child["expiresAt"] == leaked["expiresAt"]
    assert (works, ask(child["apiKey"], "GET", ME).status_code) == (200, 401)
    assert together["madeKeys"] == []


def test_a_key_that_would_outlive_its_maker_is_403(ask: Ask) -> None:
    short = made(ask, "member", expiresAt=NOW_MS + 60_000)

    answer = ask(
        short["apiKey"],
        "POST",
        PATH,
        json={"name": "longer", "scope": "full", "expiresAt": NOW_MS + 60_001},
    )

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (403, "outlives_maker")
