"""People of an organization: invited, changed and removed by owners and managers."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

import pytest

from stationmaster import ids
from stationmaster.access import service
from stationmaster.access.signing_in import links
from stationmaster.access.signing_in.links import Peeked
from tests.api.conftest import Ask
from tests.spec import day
from tests.support.builders import a_member, an_invited
from tests.support.cast import Cast
from tests.support.servers import Server

PATH = "/api/platform/v1/members"
NOW_MS = int(day.NOW.timestamp() * 1000)
MANAGING = ["owner", "manager", "svc-mgr"]


def shown(cast: Cast, role: str) -> dict[str, Any]:
    """How somebody of the cast looks."""
    person = cast.people[role]
    return {
        "userId": person.user_id,
        "email": person.email,
        "role": role,
        "status": "active",
        "team": None,
        "createdAt": NOW_MS,
    }


def token_of(url: str) -> str:
    found = re.fullmatch(r"http://127\.0\.0\.1:8700/join/(sml_[A-Za-z0-9_-]{43})", url)
    assert found is not None, url
    return found[1]


@pytest.mark.parametrize("caller", MANAGING)
def test_members_are_listed_by_user_id(ask: Ask, cast: Cast, caller: str) -> None:
    answer = ask(caller, "GET", PATH)

    everybody = sorted((shown(cast, role) for role in cast.people), key=lambda m: m["userId"])
    assert (answer.status_code, answer.json()) == (
        200,
        {"members": everybody, "pagination": {"hasMore": False, "nextCursor": None}},
    )


def test_a_list_is_read_page_by_page(ask: Ask, cast: Cast) -> None:
    pages, cursor = [], None
    while True:
        sent = {"limit": 3} if cursor is None else {"limit": 3, "cursor": cursor}
        page = ask("owner", "GET", PATH, params=sent).json()
        pages.append([each["userId"] for each in page["members"]])
        cursor = page["pagination"]["nextCursor"]
        assert page["pagination"]["hasMore"] is (cursor is not None)
        if cursor is None:
            break

    assert [len(page) for page in pages] == [3, 1]
    assert list(chain(*pages)) == sorted(person.user_id for person in cast.people.values())


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "cursor=%00", "cursor="])
def test_a_page_that_cannot_be_is_400(ask: Ask, query: str) -> None:
    assert ask("owner", "GET", f"{PATH}?{query}").status_code == 400


@pytest.mark.parametrize("caller", MANAGING)
def test_who_is_invited_gets_a_link_that_is_shown_once(
    ask: Ask, cast: Cast, any_server: Server, caller: str
) -> None:
    answer = ask(caller, "POST", PATH, json={"email": " Zoe@Example.com ", "role": "member"})

    user = ids.user_of_email(cast.org, "zoe@example.com")
    zoe = {
        "userId": user,
        "email": "zoe@example.com",
        "role": "member",
        "status": "invited",
        "team": None,
        "createdAt": NOW_MS,
    }
    told = answer.json()
    token = token_of(told.pop("invitationUrl"))
    assert told.pop("invitationExpiresAt") == NOW_MS + 7 * 86_400_000
    assert told.pop("isMailed") is False
    assert (answer.status_code, told) == (201, zoe)
    assert links.peek(any_server.services.db, token) == Peeked(
        cast.org, cast.mark, user, "zoe@example.com", "invitation"
    )
    again = ask("owner", "GET", f"{PATH}/{user}")
    assert again.json() == zoe
    assert token not in ask("owner", "GET", "/api/platform/v1/audit").text


@pytest.mark.parametrize(
    ("word", "role"), [("admin", "manager"), ("user", "member"), ("viewer", "guest")]
)
def test_other_words_for_a_role_are_understood(ask: Ask, cast: Cast, word: str, role: str) -> None:
    invited = ask("owner", "POST", PATH, json={"email": "zoe@example.com", "role": word}).json()
    user = cast.people["member"].user_id

    assert invited["role"] == role
    assert ask("owner", "PATCH", f"{PATH}/{user}", json={"role": word}).json()["role"] == role


@pytest.mark.parametrize("invited_before", [False, True])
def test_whoever_is_in_the_organization_or_invited_is_not_invited_again(
    ask: Ask, cast: Cast, invited_before: bool
) -> None:
    email = cast.people["guest"].email
    if invited_before:
        email = an_invited(cast.db, cast.org)[0].email

    answer = ask("owner", "POST", PATH, json={"email": email, "role": "member"})

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (409, "already_member")


def test_whoever_was_removed_is_invited_as_the_same_user(ask: Ask, cast: Cast) -> None:
    guest = cast.people["guest"]
    service.remove_member(cast.db, cast.org, guest.user_id)

    answer = ask("owner", "POST", PATH, json={"email": guest.email, "role": "member"})

    assert (answer.status_code, answer.json()["userId"]) == (201, guest.user_id)
    assert ask("guest", "GET", "/api/platform/v1/me").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"email": "nobody", "role": "member"},
        {"email": "zoe@example.com", "role": "king"},
        {"email": "zoe@example.com"},
        {"role": "member"},
        {"email": "zoe@example.com", "role": "member", "status": "active"},
        {"email": "zoe\x00@example.com", "role": "member"},
        {"email": "zoe\ud800@example.com", "role": "member"},
        {"email": "z" * 300 + "@example.com", "role": "member"},
        {"email": 7, "role": None},
        [],
    ],
)
def test_an_invitation_that_makes_no_sense_is_400_and_changes_nothing(
    ask: Ask, body: object
) -> None:
    answer = ask("owner", "POST", PATH, content=json.dumps(body))

    assert answer.status_code == 400
    assert len(ask("owner", "GET", PATH).json()["members"]) == 4


def test_an_earlier_invitation_ends_with_the_next_one(
    ask: Ask, cast: Cast, any_server: Server
) -> None:
    zoe, first = an_invited(cast.db, cast.org)

    answer = ask("manager", "POST", f"{PATH}/{zoe.user_id}/link")

    told = answer.json()
    second = token_of(told.pop("url"))
    assert (answer.status_code, told) == (
        201,
        {
            "userId": zoe.user_id,
            "purpose": "invitation",
            "expiresAt": NOW_MS + 7 * 86_400_000,
            "isMailed": False,
        },
    )
    assert links.peek(any_server.services.db, second).user_id == zoe.user_id
    with pytest.raises(Exception, match="no longer valid"):
        links.peek(any_server.services.db, first)


def test_whoever_has_joined_gets_a_link_for_a_new_password(
    ask: Ask, cast: Cast, any_server: Server
) -> None:
    user = cast.people["member"].user_id

    told = ask("manager", "POST", f"{PATH}/{user}/link").json()

    assert told["purpose"] == "password"
    assert links.peek(any_server.services.db, token_of(told["url"])).purpose == "password"


@pytest.mark.parametrize("caller", MANAGING)
def test_another_role_is_effective_with_the_next_request(ask: Ask, cast: Cast, caller: str) -> None:
    user = cast.people["guest"].user_id

    answer = ask(caller, "PATCH", f"{PATH}/{user}", json={"role": "manager"})

    assert answer.json() == shown(cast, "guest") | {"role": "manager"}
    assert ask("guest", "GET", PATH).status_code == 200


@pytest.mark.parametrize("caller", MANAGING)
def test_whoever_is_removed_is_out_with_the_next_request(ask: Ask, cast: Cast, caller: str) -> None:
    user = cast.people["member"].user_id

    answer = ask(caller, "DELETE", f"{PATH}/{user}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert ask("member", "GET", "/api/platform/v1/me").status_code == 401
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/link")):
        assert ask("owner", method, f"{PATH}/{user}{path}").status_code == 404


@pytest.mark.parametrize("caller", ["manager", "svc-mgr"])
def test_only_owners_make_change_and_remove_owners(ask: Ask, cast: Cast, caller: str) -> None:
    owner = a_member(cast.db, cast.org, "second@example.com", "owner").user_id
    guest, me = cast.people["guest"].user_id, cast.people["manager"].user_id
    invitation = {"email": "zoe@example.com", "role": "owner"}

    refused = [
        ask(caller, "POST", PATH, json=invitation),
        ask(caller, "PATCH", f"{PATH}/{guest}", json={"role": "owner"}),
        ask(caller, "PATCH", f"{PATH}/{me}", json={"role": "owner"}),
        ask(caller, "PATCH", f"{PATH}/{owner}", json={"role": "guest"}),
        ask(caller, "DELETE", f"{PATH}/{owner}"),
        ask(caller, "POST", f"{PATH}/{owner}/link"),
    ]

    assert {(a.status_code, a.json()["metadata"]["code"]) for a in refused} == {
        (403, "owners_only")
    }
    assert len(ask("owner", "GET", PATH).json()["members"]) == 5
    assert ask("owner", "POST", PATH, json=invitation).status_code == 201
    assert ask("owner", "DELETE", f"{PATH}/{owner}").status_code == 204


def test_the_last_owner_stays(ask: Ask, cast: Cast) -> None:
    an_invited(cast.db, cast.org, role="owner")
    user = cast.people["owner"].user_id

    refused = [
        ask("owner", "PATCH", f"{PATH}/{user}", json={"role": "manager"}),
        ask("owner", "DELETE", f"{PATH}/{user}"),
    ]

    assert [(a.status_code, a.json()["metadata"]["code"]) for a in refused] == [
        (409, "last_owner"),
        (409, "last_owner"),
    ]


@pytest.mark.parametrize("caller", ["member", "guest", "svc", "ingest"])
def test_others_neither_see_nor_change_members(ask: Ask, cast: Cast, caller: str) -> None:
    user = cast.people["guest"].user_id
    refused = [
        ask(caller, "GET", PATH),
        ask(caller, "GET", f"{PATH}/{user}"),
        ask(caller, "POST", PATH, json={"email": "zoe@example.com", "role": "guest"}),
        ask(caller, "POST", f"{PATH}/{user}/link"),
        ask(caller, "PATCH", f"{PATH}/{user}", json={"role": "manager"}),
        ask(caller, "DELETE", f"{PATH}/{user}"),
    ]

    assert {answer.status_code for answer in refused} == {403}


def test_members_of_another_organization_are_like_nobody(
    ask: Ask, cast: Cast, any_server: Server
) -> None:
    theirs = Cast(any_server.services.db, f"not-{cast.mark}").people["guest"].user_id
    for user in (theirs, "user_unknown"):
        answers = [
            ask("owner", "GET", f"{PATH}/{user}"),
            ask("owner", "PATCH", f"{PATH}/{user}", json={"role": "guest"}),
            ask("owner", "DELETE", f"{PATH}/{user}"),
            ask("owner", "POST", f"{PATH}/{user}/link"),
        ]
        told = {(a.status_code, a.json()["detail"]) for a in answers}
        assert told == {(404, "There is no such member.")}


@pytest.mark.parametrize("user", ["%00", "user%20x", "%ED%A0%80", "x" * 101])
def test_what_cannot_be_a_user_id_is_400(ask: Ask, user: str) -> None:
    assert ask("owner", "GET", f"{PATH}/{user}").status_code == 400
