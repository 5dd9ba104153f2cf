from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.signing_in import links
from stationmaster.access.signing_in.links import Peeked, Redeemed
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound, Unauthorized
from stationmaster.ids import OrgId, UserId
from tests.support.builders import a_member, an_invited, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


def redeem(db: Database, token: str) -> Redeemed:
    with db.transaction() as connection:
        return links.redeem(connection, token)


def a_password_link(db: Database, org: OrgId, user: UserId) -> str:
    with db.transaction() as connection:
        return links.create(connection, org, user, "password").reveal()


def is_usable(db: Database, token: str) -> bool:
    try:
        links.peek(db, token)
    except Unauthorized:
        return False
    return True


def test_a_link_holds_256_random_bits_and_says_whom_it_stands_for(db: Database) -> None:
    org = an_organization(db, "Acme")
    ada, link = an_invited(db, org)
    assert re.fullmatch(r"sml_[A-Za-z0-9_-]{43}", link)
    told = Peeked(org, "Acme", ada.user_id, "ada@example.com", "invitation")
    assert [links.peek(db, link), links.peek(db, link)] == [told, told]
    assert redeem(db, link) == Redeemed(org, ada.user_id, "invitation")


def test_only_its_hash_is_stored(db: Database) -> None:
    _, link = an_invited(db, an_organization(db))
    with db.reading() as connection:
        stored = connection.exec_driver_sql("SELECT * FROM one_time_links").all()
    assert len(stored) == 1
    assert link[4:] not in repr(stored)


def used(db: Database, org: OrgId) -> str:
    _, link = an_invited(db, org)
    redeem(db, link)
    return link


def replaced(db: Database, org: OrgId) -> str:
    ada, link = an_invited(db, org)
    service.make_link(db, org, ada.user_id, by=None)
    return link


def expired(db: Database, org: OrgId) -> str:
    _, link = an_invited(db, org)
    clock.freeze(NOW + timedelta(days=7))
    return link


def of_somebody_who_was_removed(db: Database, org: OrgId) -> str:
    ada, link = an_invited(db, org)
    service.remove_member(db, org, ada.user_id)
    return link


def of_somebody_who_was_removed_and_invited_again(db: Database, org: OrgId) -> str:
    link = of_somebody_who_was_removed(db, org)
    an_invited(db, org)
    return link


def an_invitation_of_somebody_who_has_joined(db: Database, org: OrgId) -> str:
    _, link = an_invited(db, org)
    a_member(db, org)
    return link


def for_a_password_of_somebody_who_has_not_joined(db: Database, org: OrgId) -> str:
    ada, _ = an_invited(db, org)
    return a_password_link(db, org, ada.user_id)


@pytest.mark.parametrize(
    "link_of",
    [
        used,
        replaced,
        expired,
        of_somebody_who_was_removed,
        of_somebody_who_was_removed_and_invited_again,
        an_invitation_of_somebody_who_has_joined,
        for_a_password_of_somebody_who_has_not_joined,
        lambda db, org: "sml_" + "A" * 43,
        lambda db, org: "",
        lambda db, org: "sml_' OR 1=1 --",
        lambda db, org: "sml_" + "A" * 42 + "\x00",
        lambda db, org: "sml_" + "A" * 42 + "\ud800",
        lambda db, org: "x" * 1_000_000,
    ],
)
def test_what_is_no_usable_link_is_refused_without_telling_why(
    db: Database, link_of: Callable[[Database, OrgId], str]
) -> None:
    org = an_organization(db)
    an_invited(db, org, "zoe@example.com")
    link = link_of(db, org)
    for ask in (links.peek, redeem):
        with pytest.raises(Unauthorized) as refused:
            ask(db, link)
        assert refused.value.code == "invalid_link"
        assert refused.value.detail == "The link is no longer valid; request a new one."


def test_a_link_lives_until_the_very_moment_it_expires(db: Database) -> None:
    org = an_organization(db)
    bob = a_member(db, org, "bob@example.com")
    _, invitation = an_invited(db, org)
    password = a_password_link(db, org, bob.user_id)
    moment = timedelta(milliseconds=1)
    for later, usable in (
        (timedelta(days=1) - moment, [True, True]),
        (timedelta(days=1), [True, False]),
        (timedelta(days=7) - moment, [True, False]),
        (timedelta(days=7), [False, False]),
    ):
        clock.freeze(NOW + later)
        assert [is_usable(db, link) for link in (invitation, password)] == usable


def test_a_use_that_is_rolled_back_leaves_the_link_usable(db: Database) -> None:
    _, link = an_invited(db, an_organization(db))

    def fail_afterwards() -> None:
        with db.transaction() as connection:
            links.redeem(connection, link)
            raise KeyError

    with pytest.raises(KeyError):
        fail_afterwards()
    assert is_usable(db, link)


def test_of_two_who_use_a_link_at_once_one_succeeds(db: Database) -> None:
    _, link = an_invited(db, an_organization(db))
    start = threading.Barrier(2)
    ended: list[str] = []

    def use() -> None:
        start.wait()
        try:
            ended.append(redeem(db, link).purpose)
        except Unauthorized as refused:
            ended.append(refused.code)

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == ["invalid_link", "invitation"]


def test_two_links_made_at_once_replace_each_other(db: Database) -> None:
    org = an_organization(db)
    ada = a_member(db, org)
    start = threading.Barrier(2)
    made: list[str] = []

    def make() -> None:
        start.wait()
        made.append(a_password_link(db, org, ada.user_id))

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(is_usable(db, link) for link in made) == [False, True]


def test_a_link_stands_for_its_member_in_its_organization_alone(db: Database) -> None:
    ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
    (our_ada, our_link), (their_ada, their_link) = an_invited(db, ours), an_invited(db, theirs)
    service.remove_member(db, ours, our_ada.user_id)
    assert not is_usable(db, our_link)
    assert redeem(db, their_link) == Redeemed(theirs, their_ada.user_id, "invitation")


def test_links_of_organizations_that_do_not_exist_are_not_made(db: Database) -> None:
    with pytest.raises(NotFound):
        a_password_link(db, OrgId("org_missing"), UserId("user_missing"))
