"""Keys that keys make: they expire no later, and a revocation says which of them stay active."""

from __future__ import annotations

import pytest

from stationmaster import clock
from stationmaster.access import reads, service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import ApiKey, Caller, Member
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, Unauthorized
from stationmaster.ids import OrgId
from tests.support.builders import a_member, a_service_account

pytestmark = pytest.mark.attack

HOUR_MS = 3_600_000


def a_key(
    db: Database, org: OrgId, holder: Member, name: str, *, by: Caller | None = None
) -> tuple[ApiKey, Caller]:
    key, secret = service.create_key(db, org, holder, name=name, by=by)
    return key, authenticate(db, secret.reveal())


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    return a_member(db, org, role="owner")


@pytest.fixture
def short(db: Database, org: OrgId, ada: Member) -> Caller:
    """Ada, with a key that expires in an hour."""
    soon = clock.now_ms() + HOUR_MS
    _, secret = service.create_key(db, org, ada, name="short", expires_at=soon)
    return authenticate(db, secret.reveal())


def test_a_key_that_expires_makes_keys_that_expire_with_it_or_before(
    db: Database, org: OrgId, ada: Member, short: Caller
) -> None:
    expiry = service.get_key(db, org, short.key_id).expires_at
    assert expiry is not None

    unlimited, _ = service.create_key(db, org, ada, name="a", by=short)
    sooner, _ = service.create_key(db, org, ada, name="b", expires_at=expiry - 1, by=short)

    assert (unlimited.expires_at, sooner.expires_at) == (expiry, expiry - 1)


def test_a_key_that_would_outlive_its_maker_is_refused(
    db: Database, org: OrgId, ada: Member, short: Caller
) -> None:
    expiry = service.get_key(db, org, short.key_id).expires_at
    assert expiry is not None
    before = reads.list_keys(db, org)

    with pytest.raises(Forbidden) as refused:
        service.create_key(db, org, ada, name="a", expires_at=expiry + 1, by=short)

    assert (refused.value.code, refused.value.metadata) == (
        "outlives_maker",
        {"expires_at": expiry},
    )
    assert reads.list_keys(db, org) == before


def test_a_programs_key_expires_with_the_key_that_made_it(
    db: Database, org: OrgId, short: Caller
) -> None:
    account = a_service_account(db, org)
    made, _ = service.create_key(db, org, account, name="ci", by=short)
    assert made.expires_at == service.get_key(db, org, short.key_id).expires_at


def test_what_stays_active_is_listed_by_how_it_is_related(
    db: Database, org: OrgId, ada: Member
) -> None:
    leaked, by = a_key(db, org, ada, "leaked")
    child, by_child = a_key(db, org, ada, "child", by=by)
    grandchild, _ = a_key(db, org, ada, "grandchild", by=by_child)
    program = a_service_account(db, org)
    programs, _ = service.create_key(db, org, program, name="program's", by=by)
    other, _ = a_key(db, org, ada, "other")
    a_key(db, org, a_member(db, org, "bob@example.com"), "bob's")

    revoked = service.revoke_key(db, org, leaked.key_id)
    left = reads.keys_left(db, org, revoked)

    assert {key.key_id for key in left.made} == {
        child.key_id,
        grandchild.key_id,
        programs.key_id,
    }
    assert [key.key_id for key in left.of_holder] == [other.key_id]


def test_keys_made_by_a_revoked_key_are_found_behind_it(
    db: Database, org: OrgId, ada: Member
) -> None:
    leaked, by = a_key(db, org, ada, "leaked")
    child, by_child = a_key(db, org, ada, "child", by=by)
    grandchild, _ = a_key(db, org, ada, "grandchild", by=by_child)
    service.revoke_key(db, org, child.key_id)

    left = reads.keys_left(db, org, leaked)

    assert [key.key_id for key in left.made] == [grandchild.key_id]


def test_a_key_is_revoked_with_all_that_it_made(db: Database, org: OrgId, ada: Member) -> None:
    leaked, by = a_key(db, org, ada, "leaked")
    _, by_child = a_key(db, org, ada, "child", by=by)
    _, secret = service.create_key(db, org, ada, name="grandchild", by=by_child)
    service.revoke_key(db, org, leaked.key_id)

    service.revoke_key(db, org, leaked.key_id, with_made=True)

    with pytest.raises(Unauthorized):
        authenticate(db, secret.reveal())
    assert reads.keys_left(db, org, leaked).made == []


def test_keys_that_a_member_may_not_see_are_neither_listed_nor_revoked(
    db: Database, org: OrgId, ada: Member
) -> None:
    bob = a_member(db, org, "bob@example.com", "manager")
    leaked, by = a_key(db, org, bob, "leaked")
    programs, _ = service.create_key(db, org, a_service_account(db, org), name="ci", by=by)
    service.set_role(db, org, bob.user_id, "member")
    _, now = a_key(db, org, bob, "now")

    service.revoke_key(db, org, leaked.key_id, by=now, with_made=True)

    assert reads.keys_left(db, org, leaked, by=now).made == []
    assert [key.key_id for key in reads.keys_left(db, org, leaked).made] == [programs.key_id]
