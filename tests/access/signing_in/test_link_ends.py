"""One-time links end with what they were made for: the role of their person, the rights of whoever
made them, and the key that made them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller, Member, Principal, Role, Secret
from stationmaster.access.signing_in import links, sessions, ways as signin
from stationmaster.db.engine import Database
from stationmaster.errors import Unauthorized
from stationmaster.ids import KeyId, OrgId
from tests.support.builders import (
    a_caller,
    a_member,
    a_service_account,
    an_invited,
    an_organization,
)

pytestmark = pytest.mark.attack

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def org(db: Database) -> OrgId:
    org = an_organization(db)
    a_member(db, org, "first@example.com", "owner")
    return org


def is_usable(db: Database, token: str) -> bool:
    try:
        links.peek(db, token)
    except Unauthorized:
        return False
    return True


def a_link(db: Database, org: OrgId, member: Member, by: Caller | None = None) -> str:
    return service.make_link(db, org, member.user_id, by=by)[1].reveal()


@pytest.mark.parametrize("role", ["owner", "manager", "guest"])
def test_a_password_link_ends_when_its_member_gets_another_role(
    db: Database, org: OrgId, role: Role
) -> None:
    bob = a_member(db, org, "bob@example.com", "member")
    manager = a_caller(db, org, a_member(db, org, "max@example.com", "manager"))
    link = a_link(db, org, bob, manager)

    service.set_role(db, org, bob.user_id, role)

    with pytest.raises(Unauthorized, match="no longer valid"):
        signin.with_link(db, Secret(link), "a long new password")


def test_an_invitation_ends_when_the_invited_get_another_role(db: Database, org: OrgId) -> None:
    zoe, link = an_invited(db, org, "zoe@example.com")
    service.set_role(db, org, zoe.user_id, "owner")

    assert not is_usable(db, link)
    assert is_usable(db, a_link(db, org, zoe))


def test_a_role_that_stays_leaves_the_link(db: Database, org: OrgId) -> None:
    zoe, link = an_invited(db, org, "zoe@example.com")
    service.set_role(db, org, zoe.user_id, "member")
    assert is_usable(db, link)


def test_a_change_of_role_that_is_rolled_back_leaves_the_link(db: Database, org: OrgId) -> None:
    bob = a_member(db, org, "bob@example.com", "owner")
    link = a_link(db, org, bob)
    service.remove_member(db, org, _first(db, org).user_id)

    with pytest.raises(Exception, match="at least one owner"):
        service.set_role(db, org, bob.user_id, "guest")

    assert is_usable(db, link)


def test_the_invitation_of_somebody_who_is_added_never_works_again(
    db: Database, org: OrgId
) -> None:
    zoe, invitation = an_invited(db, org, "zoe@example.com")
    service.add_member(db, org, "zoe@example.com", "member")
    service.remove_member(db, org, zoe.user_id)
    an_invited(db, org, "zoe@example.com", "owner")
    assert not is_usable(db, invitation)


def demoted(db: Database, org: OrgId, maker: Principal) -> None:
    service.set_role(db, org, maker.user_id, "member")  # type: ignore[union-attr]  # it is a person


def removed(db: Database, org: OrgId, maker: Principal) -> None:
    service.remove_member(db, org, maker.user_id)  # type: ignore[union-attr]  # it is a person


@pytest.mark.parametrize("lose_the_right", [demoted, removed])
def test_links_end_when_their_maker_may_not_make_them_any_more(
    db: Database, org: OrgId, lose_the_right: Callable[[Database, OrgId, Principal], None]
) -> None:
    bob = a_member(db, org, "bob@example.com")
    maker, other = (a_member(db, org, f"{name}@example.com", "manager") for name in ("max", "mia"))
    link = a_link(db, org, bob, a_caller(db, org, maker))
    _, invitation = service.invite_member(
        db, org, "zoe@example.com", "member", by=a_caller(db, org, other)
    )

    lose_the_right(db, org, maker)

    assert (is_usable(db, link), is_usable(db, invitation.reveal())) == (False, True)


def test_a_former_owner_who_manages_keeps_the_links_for_others_than_owners(
    db: Database, org: OrgId
) -> None:
    maker = a_member(db, org, "max@example.com", "owner")
    by = a_caller(db, org, maker)
    for_owner = a_link(db, org, _first(db, org), by)
    for_member = a_link(db, org, a_member(db, org, "bob@example.com"), by)

    service.set_role(db, org, maker.user_id, "manager")

    assert (is_usable(db, for_owner), is_usable(db, for_member)) == (False, True)


@pytest.mark.parametrize("change", ["paused", "demoted", "removed"])
def test_links_of_a_program_end_when_it_may_not_make_them_any_more(
    db: Database, org: OrgId, change: str
) -> None:
    account = a_service_account(db, org, role="manager")
    link = a_link(db, org, a_member(db, org, "bob@example.com"), a_caller(db, org, account))
    account_id = account.service_account_id

    if change == "removed":
        service.remove_service_account(db, org, account_id)
    elif change == "paused":
        service.change_service_account(db, org, account_id, is_active=False)
    else:
        service.change_service_account(db, org, account_id, role="member")

    assert not is_usable(db, link)


def test_links_end_with_the_key_that_made_them(db: Database, org: OrgId) -> None:
    owner = _first(db, org)
    soon = clock.now_ms() + 60_000
    bob = a_member(db, org, "bob@example.com")
    key, secret = service.create_key(db, org, owner, name="short", expires_at=soon)
    by = authenticate(db, secret.reveal())
    link = a_link(db, org, bob, by)
    clock.freeze(NOW + timedelta(minutes=1))
    assert not is_usable(db, link)

    clock.freeze(NOW)
    assert is_usable(db, link)
    service.revoke_key(db, org, key.key_id)
    assert not is_usable(db, link)


def test_links_end_with_a_session_whose_secret_was_used_twice(db: Database, org: OrgId) -> None:
    owner = _first(db, org)
    session, first = sessions.start(db, org, owner.user_id, "password")
    by = Caller(
        org, "human", owner.user_id, owner.email, "owner", KeyId(session.session_id), "full"
    )
    link = a_link(db, org, a_member(db, org, "bob@example.com"), by)
    sessions.rotate(db, first)
    assert is_usable(db, link)

    clock.freeze(NOW + timedelta(minutes=1))
    with pytest.raises(Unauthorized):
        sessions.rotate(db, first)

    assert not is_usable(db, link)


def test_a_link_of_the_operator_outlives_the_owner_in_whose_name_it_was_made(
    db: Database, org: OrgId
) -> None:
    maker = a_member(db, org, "max@example.com", "owner")
    by = Caller(org, "human", maker.user_id, maker.email, "owner", KeyId("local"), "full", "cli")
    link = a_link(db, org, a_member(db, org, "bob@example.com"), by)
    service.remove_member(db, org, maker.user_id)
    assert is_usable(db, link)


def test_links_of_other_organizations_stay(db: Database, org: OrgId) -> None:
    theirs = an_organization(db, "Theirs")
    zoe, our_link = an_invited(db, org, "zoe@example.com")
    _, their_link = an_invited(db, theirs, "zoe@example.com")
    service.set_role(db, org, zoe.user_id, "guest")
    assert (is_usable(db, our_link), is_usable(db, their_link)) == (False, True)


def test_a_use_and_a_change_of_role_at_once_never_wait_for_each_other(
    db: Database, org: OrgId
) -> None:
    """Whichever is first, the other sees it: nobody joins with a role given after the link."""
    zoe, link = an_invited(db, org, "zoe@example.com")
    start = threading.Barrier(2)
    ended: list[str] = []

    def use() -> None:
        start.wait()
        try:
            signin.with_link(db, Secret(link), "a long new password")
            ended.append("used")
        except Unauthorized as refused:
            ended.append(refused.code)

    def change() -> None:
        start.wait()
        service.set_role(db, org, zoe.user_id, "guest")
        ended.append("changed")

    threads = [threading.Thread(target=each) for each in (use, change)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) in (["changed", "used"], ["changed", "invalid_link"])


def _first(db: Database, org: OrgId) -> Member:
    return service.add_member(db, org, "first@example.com", "owner")
