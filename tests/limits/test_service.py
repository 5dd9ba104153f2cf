"""Changing limits: what is applied, what is refused, what is written to the audit log."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster.access import audit, service as access
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.ids import KeyId, OrgId
from stationmaster.lake.rollups import store as rollups
from stationmaster.lake.rollups.model import Activity
from stationmaster.limits import service, store
from stationmaster.limits.model import (
    BatchOutcome,
    CreditLimits,
    RefusedEntry,
    UserLimit,
    period_of,
)
from tests.support import databases
from tests.support.builders import a_member, a_service_account, an_invited, an_organization

M = 1_000_000


def a_manager(db: Database, org: OrgId) -> Caller:
    boss = a_member(db, org, "boss@example.com", "manager")
    return Caller(
        org, "human", boss.user_id, boss.email, "manager", KeyId("key"), "full", "public_api_v0"
    )


def change(db: Database, caller: Caller, *entries: tuple[str, int | None]) -> BatchOutcome:
    return service.set_user_limits(db, caller, [UserLimit(*entry) for entry in entries])


def changes(db: Database, org: OrgId) -> list[tuple[str, str, str, object]]:
    """The audited changes, in no order: target kind and id, scope, limit."""
    found = [each for each in audit.page(db, org, limit=100) if each.event_type == service.CHANGED]
    return [
        (each.target.kind, each.target.id, each.payload["scope"], each.payload["limit"])  # type: ignore[union-attr, index] # All of ours have both.
        for each in found
    ]


def test_limits_are_set_changed_and_removed(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)
    a_member(db, org, "ada@example.com")
    a_member(db, org, "bob@example.com")

    first = change(db, caller, ("ada@example.com", 2 * M), ("bob@example.com", 3 * M))
    assert first.updated == [
        UserLimit("ada@example.com", 2 * M),
        UserLimit("bob@example.com", 3 * M),
    ]
    change(db, caller, ("ada@example.com", 4 * M), ("bob@example.com", None))

    assert service.limits(db, org) == CreditLimits(None, {"ada@example.com": 4 * M})


def test_a_removal_answers_with_the_limit_that_now_applies(db: Database) -> None:
    caller = a_manager(db, an_organization(db))
    change(db, caller, ("boss@example.com", 2 * M))

    [without] = change(db, caller, ("boss@example.com", None)).updated
    service.set_global_limit(db, caller, 5 * M)
    [with_default] = change(db, caller, ("boss@example.com", None)).updated

    assert (without.limit, with_default.limit) == (None, 5 * M)


def test_an_address_is_matched_trimmed_and_without_case_and_told_as_it_came(db: Database) -> None:
    caller = a_manager(db, an_organization(db))

    outcome = change(db, caller, (" Boss@Example.COM", M), ("no+tag@example.com", M))

    assert outcome.updated == [UserLimit(" Boss@Example.COM", M)]
    assert [refused.email for refused in outcome.errors] == ["no+tag@example.com"]


def test_who_is_no_member_is_refused_and_the_others_are_served(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)
    gone = a_member(db, org, "gone@example.com")
    access.remove_member(db, org, gone.user_id)
    an_invited(db, org, "soon@example.com")
    a_member(db, an_organization(db, "Other"), "theirs@example.com")

    outcome = change(
        db,
        caller,
        ("nobody@example.com", M),
        ("gone@example.com", M),
        ("soon@example.com", M),
        ("boss@example.com", M),
        ("theirs@example.com", M),
    )

    unknown = "There is no member with this address."
    assert outcome == BatchOutcome(
        [UserLimit("boss@example.com", M)],
        [
            RefusedEntry("nobody@example.com", unknown),
            RefusedEntry("gone@example.com", "The member with this address was removed."),
            RefusedEntry("soon@example.com", "The person with this address has not joined yet."),
            RefusedEntry("theirs@example.com", unknown),
        ],
    )


def test_a_repeated_address_is_one_entry_unless_it_asks_for_something_else(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)

    outcome = change(
        db,
        caller,
        ("boss@example.com", M),
        ("BOSS@example.com", M),
        ("boss@example.com", 2 * M),
        ("boss@example.com", None),
    )

    assert outcome.updated == [UserLimit("boss@example.com", M)]
    assert [refused.email for refused in outcome.errors] == ["boss@example.com"] * 2
    assert all("duplicate" in refused.error for refused in outcome.errors)
    assert service.limits(db, org).user_limits == {"boss@example.com": M}


def test_only_what_really_changed_is_audited(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)
    nightly = a_service_account(db, org).service_account_id
    for _ in range(2):
        change(db, caller, ("boss@example.com", M), ("nobody@example.com", M))
        service.set_global_limit(db, caller, 2 * M)
        service.set_service_account_limit(db, caller, nightly, 3 * M)
    for _ in range(2):
        change(db, caller, ("boss@example.com", None))
        service.set_global_limit(db, caller, None)
        service.set_service_account_limit(db, caller, nightly, None)

    expected = [
        ("member", caller.principal_id, "individual", M),
        ("organization", org, "global", 2 * M),
        ("service_account", nightly, "individual", 3 * M),
        ("member", caller.principal_id, "individual", None),
        ("organization", org, "global", None),
        ("service_account", nightly, "individual", None),
    ]
    assert sorted(changes(db, org), key=repr) == sorted(expected, key=repr)


def test_the_audit_log_says_who_changed_a_limit_and_through_which_door(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)
    service.set_global_limit(db, caller, M)

    [found] = [each for each in audit.page(db, org, limit=9) if each.event_type == service.CHANGED]

    assert (found.source, found.actor and found.actor.id) == ("public_api_v0", caller.principal_id)


def test_a_removed_member_keeps_the_limit_for_when_they_come_back(db: Database) -> None:
    org = an_organization(db)
    caller = a_manager(db, org)
    ada = a_member(db, org, "ada@example.com")
    change(db, caller, ("ada@example.com", M))

    access.remove_member(db, org, ada.user_id)
    while_gone = service.limits(db, org).user_limits
    a_member(db, org, "ada@example.com")

    assert while_gone == {}
    assert service.limits(db, org).user_limits == {"ada@example.com": M}


def test_a_service_account_of_another_organization_is_not_found(db: Database) -> None:
    caller = a_manager(db, an_organization(db))
    theirs = a_service_account(db, an_organization(db, "Other"))

    for account in (theirs.service_account_id, "svc_none"):
        with pytest.raises(NotFound, match="There is no such service account"):
            service.set_service_account_limit(db, caller, account, M)


def test_limits_of_two_organizations_never_meet(db: Database) -> None:
    ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
    us, them = a_manager(db, ours), a_manager(db, theirs)
    change(db, us, ("boss@example.com", M))
    service.set_global_limit(db, us, 2 * M)
    change(db, them, ("boss@example.com", None))
    service.set_global_limit(db, them, None)

    assert service.limits(db, ours) == CreditLimits(2 * M, {"boss@example.com": M})
    assert service.limits(db, theirs) == CreditLimits(None, {})


class TestUsage:
    """What is used is the sum of the period's days, and nobody else's."""

    DAYS = (date(2026, 10, 31), date(2026, 11, 1), date(2026, 11, 20), date(2026, 11, 21))
    PERIOD = period_of(date(2026, 11, 21), 1)
    THROUGH = date(2026, 11, 20)

    def used(self, db: Database, org: OrgId, **credits: int) -> None:
        for n, day in enumerate(self.DAYS):
            users = {user: Activity(True, amount * 10**n) for user, amount in credits.items()}
            with db.transaction() as connection:
                rollups.replace_active_users(connection, org, day, users)

    def test_counts_the_days_of_the_period_that_were_asked_for(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org, "ada@example.com").user_id
        self.used(db, org, **{ada: 3, "user_seen_only": 5})
        self.used(db, an_organization(db, "Other"), **{ada: 7})

        def ask(through: date | None) -> tuple[int, int]:
            found = service.usage(db, org, self.PERIOD, through, after="", count=10)
            [principal] = found.principals
            return principal.used, found.total_used

        assert ask(self.THROUGH) == (330, 880)
        assert ask(date(2026, 11, 1)) == (30, 80)
        assert ask(None) == (0, 0)

    def test_pages_hold_every_present_principal_once(self, db: Database) -> None:
        org = an_organization(db)
        caller = a_manager(db, org)
        people = [a_member(db, org, f"p{n}@example.com").user_id for n in range(3)]
        access.remove_member(db, org, a_member(db, org, "gone@example.com").user_id)
        an_invited(db, org, "soon@example.com")
        programs = [a_service_account(db, org, f"s{n}").service_account_id for n in range(2)]
        service.set_service_account_limit(db, caller, programs[0], 2 * M)
        service.set_global_limit(db, caller, 5 * M)
        self.used(db, org, **{programs[0]: 4})

        first, rest = (
            service.usage(db, org, self.PERIOD, self.THROUGH, after=after, count=count).principals
            for after, count in (("", 3), (sorted([caller.principal_id, *people, *programs])[2], 9))
        )
        found = [*first, *rest]

        ids = [each.principal_id for each in found]
        assert ids == sorted([caller.principal_id, *people, *programs])
        by_id = {each.principal_id: each for each in found}
        program, person = by_id[programs[0]], by_id[people[0]]
        assert (program.kind, program.name, program.email) == ("service", "s0", None)
        assert (program.limit, program.effective_limit, program.used) == (2 * M, 2 * M, 440)
        assert (person.kind, person.name, person.email) == ("human", None, "p0@example.com")
        assert (person.limit, person.effective_limit, person.used) == (None, 5 * M, 0)


ADDRESSES = [f"p{n}@example.com" for n in range(4)]
WANTED = st.dictionaries(st.sampled_from(ADDRESSES), st.none() | st.integers(M, M + 3), min_size=1)


@pytest.fixture(scope="module")
def one_database(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    path = tmp_path_factory.mktemp("one") / "state.sqlite3"
    path.write_bytes(sqlite_template.read_bytes())
    return Database.open(databases.sqlite_url(path))


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(before=WANTED, wanted=WANTED, data=st.data())
def test_however_updates_are_split_and_ordered_the_end_is_the_same(
    one_database: Database, before: dict[str, int | None], wanted: dict[str, int | None],
    data: st.DataObject,
) -> None:  # fmt: skip
    db = one_database
    org = an_organization(db)
    caller = a_manager(db, org)
    for address in ADDRESSES:
        a_member(db, org, address)
    change(db, caller, *before.items())

    left = data.draw(st.permutations([*wanted.items(), *wanted.items()]))
    while left:
        size = data.draw(st.integers(1, len(left)))
        change(db, caller, *left[:size])
        left = left[size:]

    merged = {**before, **wanted}
    expected = {address: limit for address, limit in merged.items() if limit is not None}
    assert service.limits(db, org).user_limits == dict(sorted(expected.items()))


def test_what_a_person_used_is_read_in_their_own_part_of_an_index(db: Database) -> None:
    if db.dialect != "sqlite":
        return  # Its planner goes by what is stored, which here is nothing.
    day = "2026-11-01"
    given = ("org_a", day, day, "org_a", "", "org_a", "", 9, "org_a")
    plan = [row[3] for row in db.rows(f"EXPLAIN QUERY PLAN {store._PAGE}", *given)]

    wanted = (
        "USING COVERING INDEX active_users_by_user (org_id=? AND user_id=? AND day>? AND day<?)"
    )
    assert f"SEARCH a {wanted}" in plan
