"""GET and PUT /api/v0/organization/usage/limits/{users,global}."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stationmaster.access import audit
from stationmaster.ids import OrgId
from tests.support.builders import a_key, a_member, a_service_account, an_organization
from tests.support.servers import Server

USERS = "/api/v0/organization/usage/limits/users"
GLOBAL = "/api/v0/organization/usage/limits/global"
M = 1_000_000
MOST = 9_007_199_254_740_991


@pytest.fixture
def org(any_server: Server) -> OrgId:
    """An organization with the member Ada."""
    org = an_organization(any_server.services.db)
    a_member(any_server.services.db, org, "ada@example.com")
    return org


@pytest.fixture
def manager(any_server: Server, org: OrgId) -> Iterator[httpx.Client]:
    db = any_server.services.db
    with any_server.client(a_key(db, org, a_member(db, org, "m@example.com", "manager"))) as client:
        yield client


def put(client: httpx.Client, *entries: tuple[object, object]) -> httpx.Response:
    users = [{"email": email, "limit": limit} for email, limit in entries]
    return client.put(USERS, json={"users": users})


def test_a_limit_that_was_set_is_read_back(manager: httpx.Client) -> None:
    answer = put(manager, ("Ada@example.com", M), ("m@example.com", MOST))

    assert answer.status_code == 200
    assert answer.json() == {
        "updated": [
            {"email": "Ada@example.com", "limit": M},
            {"email": "m@example.com", "limit": MOST},
        ],
        "errors": [],
    }
    assert manager.get(USERS).json() == {
        "globalLimit": None,
        "userLimits": [
            {"email": "ada@example.com", "limit": M},
            {"email": "m@example.com", "limit": MOST},
        ],
    }


def test_a_limit_is_removed_with_null_however_often(manager: httpx.Client) -> None:
    put(manager, ("ada@example.com", M))

    answers = [put(manager, ("ada@example.com", None)) for _ in range(2)]
    manager.put(GLOBAL, json={"globalLimit": 5 * M})
    answers.append(put(manager, ("ada@example.com", None)))

    assert [answer.json()["updated"] for answer in answers] == [
        [{"email": "ada@example.com", "limit": None}],
        [{"email": "ada@example.com", "limit": None}],
        [{"email": "ada@example.com", "limit": 5 * M}],
    ]
    assert manager.get(USERS).json() == {"globalLimit": 5 * M, "userLimits": []}


def test_entries_that_cannot_be_applied_are_told_and_the_others_applied(
    manager: httpx.Client,
) -> None:
    answer = put(
        manager,
        ("nobody@example.com", M),
        ("ada@example.com", 2 * M),
        ("m@example.com", 3 * M),
        ("Ada@example.com", 4 * M),
    )

    assert answer.status_code == 200
    assert [each["email"] for each in answer.json()["updated"]] == [
        "ada@example.com",
        "m@example.com",
    ]
    assert [each["email"] for each in answer.json()["errors"]] == [
        "nobody@example.com",
        "Ada@example.com",
    ]
    limits = manager.get(USERS).json()["userLimits"]
    assert [each["limit"] for each in limits] == [2 * M, 3 * M]


def test_a_hundred_entries_are_taken(manager: httpx.Client) -> None:
    answer = put(manager, *((f"p{n}@example.com", M) for n in range(100)))

    assert answer.status_code == 200
    assert len(answer.json()["errors"]) == 100


GOOD = '{"email": "m@example.com", "limit": 1000000}'


@pytest.mark.parametrize(
    ("users", "field"),
    [
        ("[]", "users"),
        (f"[{','.join([GOOD] * 101)}]", "users"),
        ("null", "users"),
        ('{"0": {}}', "users"),
        (f"[{GOOD}, 7]", "users.1"),
        (f'[{GOOD}, {{"email": "ada@example.com"}}]', "users.1.limit"),
        (f'[{GOOD}, {{"limit": null}}]', "users.1.email"),
        (f'[{GOOD}, {{"email": "ada@example.com", "limit": 1000000, "x": 1}}]', "users.1.x"),
    ],
)
def test_a_body_of_another_form_is_refused_whole(
    manager: httpx.Client, users: str, field: str
) -> None:
    answer = _put_text(manager, USERS, f'{{"users": {users}}}')

    assert (answer.status_code, _fields(answer)) == (400, [field])
    assert manager.get(USERS).json()["userLimits"] == []


@pytest.mark.parametrize("limit", ["1e6", "1000000.0"])
def test_a_whole_number_is_an_integer_however_it_is_written(
    manager: httpx.Client, limit: str
) -> None:
    answer = _put_text(manager, GLOBAL, f'{{"globalLimit": {limit}}}')

    assert (answer.status_code, answer.json()) == (200, {"globalLimit": 1_000_000})


@pytest.mark.parametrize(
    "limit",
    ["999999", "0", "-1000000", str(MOST + 1), "1e400", "9" * 5000,
     "1000000.5", '"1000000"', "true", "[]", "{}", "NaN"],
)  # fmt: skip
def test_a_limit_that_is_no_integer_in_its_bounds_is_refused(
    manager: httpx.Client, limit: str
) -> None:
    entry = f'{{"email": "ada@example.com", "limit": {limit}}}'

    for answer in (
        _put_text(manager, USERS, f'{{"users": [{GOOD}, {entry}]}}'),
        _put_text(manager, GLOBAL, f'{{"globalLimit": {limit}}}'),
    ):
        assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert manager.get(USERS).json() == {"globalLimit": None, "userLimits": []}


@pytest.mark.parametrize(
    "email",
    ["", "ada", "@example.com", "ada@", "a@b@c", "a b@example.com", "a\0@example.com",
     "\ud800@example.com", "x" * 251 + "@b.c", 7, None, ["ada@example.com"]],
)  # fmt: skip
def test_what_is_no_address_is_refused(manager: httpx.Client, email: object) -> None:
    body = json.dumps({"users": [{"email": email, "limit": M}]})

    answer = _put_text(manager, USERS, body)

    assert (answer.status_code, _fields(answer)) == (400, ["users.0.email"])


def test_the_longest_address_is_looked_for(manager: httpx.Client) -> None:
    answer = put(manager, ("x" * 250 + "@b.c", M), ("y" * 242 + "@example.com", M))

    assert answer.status_code == 200
    assert len(answer.json()["errors"]) == 2


def test_the_default_is_set_read_and_cleared(manager: httpx.Client) -> None:
    steps = [
        manager.get(GLOBAL),
        manager.put(GLOBAL, json={"globalLimit": M}),
        manager.get(GLOBAL),
        manager.put(GLOBAL, json={"globalLimit": None}),
        manager.get(GLOBAL),
    ]

    assert [step.status_code for step in steps] == [200] * 5
    assert [step.json() for step in steps] == [
        {"globalLimit": limit} for limit in (None, M, M, None, None)
    ]


@pytest.mark.parametrize("body", ["{}", '{"limit": 1000000}', "[]", "null", '"x"', "7"])
def test_a_default_of_another_form_is_refused(manager: httpx.Client, body: str) -> None:
    assert _put_text(manager, GLOBAL, body).status_code == 400


def test_each_change_is_audited_with_the_door_it_came_through(
    any_server: Server, org: OrgId, manager: httpx.Client
) -> None:
    put(manager, ("ada@example.com", M))
    put(manager, ("ada@example.com", M))
    manager.put(GLOBAL, json={"globalLimit": 2 * M})

    found = audit.page(any_server.services.db, org, limit=10)

    told = [(each.source, each.payload) for each in found if each.event_type == "user_limit_change"]
    assert sorted(told, key=repr) == [
        ("public_api_v0", {"scope": "global", "limit": 2 * M}),
        ("public_api_v0", {"scope": "individual", "limit": M}),
    ]


def test_owners_and_managers_may_programs_among_them_and_others_not(
    any_server: Server, org: OrgId
) -> None:
    db = any_server.services.db
    keys: dict[str, Any] = {
        "owner": a_key(db, org, a_member(db, org, "o@example.com", "owner")),
        "manager": a_key(db, org, a_member(db, org, "m@example.com", "manager")),
        "program": a_key(db, org, a_service_account(db, org, "deploy", "manager")),
        "member": a_key(db, org, a_member(db, org, "ada@example.com")),
        "guest": a_key(db, org, a_member(db, org, "g@example.com", "guest")),
        "plain program": a_key(db, org, a_service_account(db, org, "nightly")),
        "ingest": a_key(db, org, a_member(db, org, "o@example.com"), "ingest"),
        "stranger": None,
    }
    statuses = {}
    for who, key in keys.items():
        with any_server.client(key) as client:
            answers = [
                client.get(USERS),
                put(client, ("ada@example.com", M)),
                client.get(GLOBAL),
                client.put(GLOBAL, json={"globalLimit": M}),
            ]
        statuses[who] = {answer.status_code for answer in answers}

    assert statuses == {
        "owner": {200},
        "manager": {200},
        "program": {200},
        "member": {403},
        "guest": {403},
        "plain program": {403},
        "ingest": {403},
        "stranger": {401},
    }


def test_a_member_of_another_organization_is_as_unknown_as_nobody(
    any_server: Server, manager: httpx.Client
) -> None:
    db = any_server.services.db
    a_member(db, an_organization(db, "Other"), "theirs@example.com")

    answer = put(manager, ("theirs@example.com", M), ("nobody@example.com", M))

    assert answer.json()["updated"] == []
    assert len({each["error"] for each in answer.json()["errors"]}) == 1


def _put_text(client: httpx.Client, path: str, text: str) -> httpx.Response:
    return client.put(path, content=text, headers={"Content-Type": "application/json"})


def _fields(answer: httpx.Response) -> list[str]:
    return [each["field"] for each in answer.json()["metadata"]["errors"]]
