from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.access import audit, reads, service
from stationmaster.access.audit import Actor, Target
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.ids import KeyId, OrgId
from tests.support.builders import a_key, a_member, a_service_account, an_invited, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_MS = 1_795_262_400_000


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


def a_caller(org: OrgId) -> Caller:
    return Caller(
        org, "human", "user_a", "ada@example.com", "owner", KeyId("key_a"), "full", "public_api_v0"
    )


def note(db: Database, org: OrgId, event_type: str, by: Caller | None = None) -> None:
    with db.transaction() as connection:
        audit.record(connection, org, event_type, by=by)


def types(db: Database, org: OrgId) -> list[str]:
    """All of an organization's, in the order in which they happened."""
    return [found.event_type for found in reversed(audit.page(db, org, limit=100))]


def test_a_record_keeps_who_did_what_to_what_when_and_through_which_door(db: Database) -> None:
    org = an_organization(db)
    with db.transaction() as connection:
        audit.record(
            connection,
            org,
            "limit_changed",
            by=a_caller(org),
            target=Target("member", "user_b"),
            payload={"credits": 5, "scope": None},
        )
    [newest, _] = audit.page(db, org, limit=10)
    assert newest == audit.AuditRecord(
        audit_id=newest.audit_id,
        created_at=NOW_MS,
        event_type="limit_changed",
        source="public_api_v0",
        actor=Actor("human", "user_a", "ada@example.com", "owner"),
        target=Target("member", "user_b"),
        payload={"credits": 5, "scope": None},
    )


def test_the_software_itself_has_no_name(db: Database) -> None:
    org = an_organization(db)
    note(db, org, "day_restated")
    newest = audit.page(db, org, limit=1)[0]
    assert (newest.source, newest.actor, newest.target, newest.payload) == (
        "system",
        None,
        None,
        None,
    )


def test_a_program_has_no_address(db: Database) -> None:
    org = an_organization(db)
    program = Caller(org, "service", "svc_a", None, "manager", KeyId("key_a"), "full")
    note(db, org, "repository_added", program)
    actor = audit.page(db, org, limit=1)[0].actor
    assert actor == Actor("service", "svc_a", None, "manager")


def test_there_is_no_record_of_a_change_that_was_rolled_back(db: Database) -> None:
    org = an_organization(db)

    def fail_afterwards() -> None:
        with db.transaction() as connection:
            audit.record(connection, org, "never_happened", by=None)
            raise KeyError

    with pytest.raises(KeyError):
        fail_afterwards()
    assert types(db, org) == ["organization_created"]


def test_pages_run_from_the_newest_to_the_oldest_also_within_a_millisecond(db: Database) -> None:
    org = an_organization(db)
    for number in range(5):
        note(db, org, f"n_{number}")
    clock.freeze(NOW + timedelta(seconds=1))
    note(db, org, "n_5")
    first = audit.page(db, org, limit=4)
    rest = audit.page(db, org, limit=4, before=first[-1].audit_id)
    assert [found.event_type for found in first] == ["n_5", "n_4", "n_3", "n_2"]
    assert [found.event_type for found in rest] == ["n_1", "n_0", "organization_created"]
    assert audit.page(db, org, limit=4, before=rest[-1].audit_id) == []


def test_one_type_is_paged_alone(db: Database) -> None:
    org = an_organization(db)
    for _ in range(3):
        note(db, org, "wanted")
        note(db, org, "other")
    first = audit.page(db, org, limit=2, event_type="wanted")
    rest = audit.page(db, org, limit=2, event_type="wanted", before=first[-1].audit_id)
    assert [found.event_type for found in first + rest] == ["wanted"] * 3


def test_an_organization_sees_its_own_alone(db: Database) -> None:
    ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
    note(db, ours, "ours")
    note(db, theirs, "theirs")
    assert types(db, ours) == ["organization_created", "ours"]
    newest = audit.page(db, ours, limit=1)[0].audit_id
    assert "ours" not in [r.event_type for r in audit.page(db, theirs, limit=9, before=newest)]


@pytest.mark.parametrize("before", [None, "aud_f"])
@pytest.mark.parametrize(
    ("event_type", "bounds"),
    [(None, "(org_id=? AND audit_id<?)"), ("wanted", "(org_id=? AND event_type=? AND audit_id<?)")],
)
def test_a_page_is_read_between_the_bounds_of_an_index(
    db: Database,
    event_type: str | None,
    bounds: str,
    before: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL plans by the size of a table, which is tiny here")
    org = an_organization(db)
    rows, plans = db.rows, []

    def explained(sql: str, *params: Any) -> list[tuple[Any, ...]]:
        plans.append(" ".join(str(step) for step in rows(f"EXPLAIN QUERY PLAN {sql}", *params)))
        return rows(sql, *params)

    monkeypatch.setattr(db, "rows", explained)
    audit.page(db, org, limit=20, before=before, event_type=event_type)

    [plan] = plans
    assert bounds in plan
    assert "TEMP B-TREE" not in plan


def rename_nobody(db: Database, org: OrgId) -> None:
    service.set_role(db, org, a_member(db, org).user_id, "member")


def refuse_the_last_owner(db: Database, org: OrgId) -> None:
    owner = a_member(db, org, role="owner")
    with pytest.raises(Conflict):
        service.remove_member(db, org, owner.user_id)


def add_again(db: Database, org: OrgId) -> None:
    a_member(db, org)
    a_member(db, org)


def revoke_again(db: Database, org: OrgId) -> None:
    a_key(db, org, a_member(db, org))
    [key] = reads.list_keys(db, org)
    service.revoke_key(db, org, key.key_id)
    service.revoke_key(db, org, key.key_id)


def resume_what_is_active(db: Database, org: OrgId) -> None:
    account = a_service_account(db, org).service_account_id
    service.change_service_account(db, org, account, is_active=True, role="member")


def remove_again(db: Database, org: OrgId) -> None:
    account = a_service_account(db, org).service_account_id
    service.remove_service_account(db, org, account)
    with pytest.raises(NotFound):
        service.remove_service_account(db, org, account)


def join_again(db: Database, org: OrgId) -> None:
    zoe, _ = an_invited(db, org)
    for _ in range(2):
        with db.transaction() as connection:
            service.join(connection, org, zoe.user_id)


def invite_as_a_manager(db: Database, org: OrgId) -> None:
    by = Caller(org, "human", "user_m", "m@example.com", "manager", KeyId("key_m"), "full")
    with pytest.raises(Forbidden):
        service.invite_member(db, org, "zoe@example.com", "owner", by=by)


@pytest.mark.parametrize(
    ("act", "recorded"),
    [
        (rename_nobody, ["member_added"]),
        (refuse_the_last_owner, ["member_added"]),
        (add_again, ["member_added"]),
        (revoke_again, ["member_added", "api_key_created", "api_key_revoked"]),
        (resume_what_is_active, ["service_account_created"]),
        (remove_again, ["service_account_created", "service_account_removed"]),
        (join_again, ["member_invited", "member_joined"]),
        (invite_as_a_manager, []),
    ],
)
def test_what_changes_nothing_is_not_recorded(
    db: Database, act: Callable[[Database, OrgId], None], recorded: list[str]
) -> None:
    org = an_organization(db)
    act(db, org)
    assert types(db, org) == ["organization_created", *recorded]


def test_whoever_joins_is_the_one_who_did_it(db: Database) -> None:
    org = an_organization(db)
    zoe, _ = an_invited(db, org)
    with db.transaction() as connection:
        service.join(connection, org, zoe.user_id)
    newest = audit.page(db, org, limit=1)[0]
    assert newest.actor == Actor("human", zoe.user_id, zoe.email, "member")
    assert (newest.event_type, newest.source) == ("member_joined", "web")
