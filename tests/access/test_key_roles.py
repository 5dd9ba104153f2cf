"""A key may be given less than its holder has: never more, whatever becomes of the holder."""

from __future__ import annotations

import pytest

from stationmaster.access import service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import ROLES, Role
from stationmaster.db.engine import Database
from tests.support.builders import a_member, a_service_account, an_organization


@pytest.mark.parametrize("held", ROLES)
@pytest.mark.parametrize("most", ROLES)
def test_a_key_acts_with_the_lesser_of_its_own_role_and_its_holders(
    db: Database, held: Role, most: Role
) -> None:
    org = an_organization(db)
    ada = a_member(db, org, role=held)
    key, secret = service.create_key(db, org, ada, name="laptop", role=most)

    assert key.role == most
    acting = authenticate(db, secret.reveal()).role
    assert acting == (held if ROLES.index(held) > ROLES.index(most) else most)


def test_a_promotion_lifts_no_key_that_was_limited(db: Database) -> None:
    org = an_organization(db)
    ada = a_member(db, org, role="member")
    _, limited = service.create_key(db, org, ada, name="limited", role="member")
    _, free = service.create_key(db, org, ada, name="free")
    service.set_role(db, org, ada.user_id, "owner")

    assert authenticate(db, limited.reveal()).role == "member"
    assert authenticate(db, free.reveal()).role == "owner"


@pytest.mark.parametrize("wanted", [None, "owner", "manager"])
def test_a_limited_key_makes_no_key_that_may_do_more(db: Database, wanted: Role | None) -> None:
    org = an_organization(db)
    ada = a_member(db, org, role="owner")
    _, limited = service.create_key(db, org, ada, name="limited", role="member")
    by = authenticate(db, limited.reveal())

    made, secret = service.create_key(db, org, ada, name="next", role=wanted, by=by)

    assert made.role == "member"
    assert authenticate(db, secret.reveal()).role == "member"


def test_a_limited_key_makes_no_key_that_a_promotion_lifts(db: Database) -> None:
    org = an_organization(db)
    ada = a_member(db, org, role="member")
    _, limited = service.create_key(db, org, ada, name="limited", role="member")
    by = authenticate(db, limited.reveal())
    _, secret = service.create_key(db, org, ada, name="next", by=by)
    service.set_role(db, org, ada.user_id, "owner")

    assert authenticate(db, secret.reveal()).role == "member"


def test_a_programs_key_may_be_limited_too(db: Database) -> None:
    org = an_organization(db)
    nightly = a_service_account(db, org, role="manager")
    _, secret = service.create_key(db, org, nightly, name="ci", role="guest")

    assert authenticate(db, secret.reveal()).role == "guest"
