"""The published list of an organization's people."""

from __future__ import annotations

import pytest

from stationmaster.access import service
from tests.api.conftest import Ask
from tests.support.builders import an_invited
from tests.support.cast import Cast

PATH = "/api/v0/organization/users"


@pytest.mark.parametrize("caller", ["owner", "manager", "member", "svc", "svc-mgr"])
def test_users_are_those_who_have_joined(ask: Ask, cast: Cast, caller: str) -> None:
    an_invited(cast.db, cast.org, "zoe@example.com")
    service.remove_member(cast.db, cast.org, cast.people["guest"].user_id)

    answer = ask(caller, "GET", PATH)

    people = [cast.people[role] for role in ("owner", "manager", "member")]
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "users": [
                {
                    "id": person.user_id,
                    "userId": person.user_id,
                    "email": person.email,
                    "firstName": None,
                    "lastName": None,
                    "role": person.role,
                    "createdAt": person.created_at,
                }
                for person in sorted(people, key=lambda person: person.user_id)
            ],
            "pagination": {"hasMore": False, "nextCursor": None},
        },
    )


def test_a_page_begins_after_its_cursor(ask: Ask, cast: Cast) -> None:
    ids = sorted(person.user_id for person in cast.people.values())

    first = ask("member", "GET", PATH, params={"limit": 3}).json()
    cursor = first["pagination"]["nextCursor"]
    second = ask("member", "GET", PATH, params={"limit": 3, "cursor": cursor}).json()

    assert [user["userId"] for user in first["users"]] == ids[:3]
    assert (first["pagination"]["hasMore"], cursor) == (True, ids[2])
    assert [user["userId"] for user in second["users"]] == ids[3:]
    assert second["pagination"] == {"hasMore": False, "nextCursor": None}


def test_a_page_holds_20_unless_asked(ask: Ask, cast: Cast) -> None:
    for number in range(18):
        service.add_member(cast.db, cast.org, f"n{number}@example.com", "guest")

    page = ask("owner", "GET", PATH).json()
    whole = ask("owner", "GET", PATH, params={"limit": 100}).json()

    assert (len(page["users"]), page["pagination"]["hasMore"]) == (20, True)
    assert (len(whole["users"]), whole["pagination"]["hasMore"]) == (22, False)


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=1.5", "limit=", "cursor=%00"])
def test_a_page_that_cannot_be_is_400(ask: Ask, query: str) -> None:
    assert ask("owner", "GET", f"{PATH}?{query}").status_code == 400


@pytest.mark.parametrize(("caller", "status"), [("guest", 403), ("ingest", 403), ("none", 401)])
def test_others_are_refused(ask: Ask, caller: str, status: int) -> None:
    assert ask(caller, "GET", PATH).status_code == status
