from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from stationmaster import clock, ids
from stationmaster.access import operator, reads, service
from stationmaster.access.model import Member, Principal, Role, ServiceAccount
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import KeyId, OrgId, UserId
from tests.support.builders import a_key, a_member, a_service_account, an_invited, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_MS = 1_795_262_400_000


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


class TestOrganizations:
    def test_are_made_with_ids_of_their_own_and_found_by_name(self, db: Database) -> None:
        first = service.create_organization(db, " Acme ")
        clock.freeze(NOW + timedelta(hours=1))
        second = service.create_organization(db, "Acme")
        assert first != second
        assert first.startswith("org_")
        assert operator.tenants(db) == [(first, "Acme"), (second, "Acme")]

    def test_that_do_not_exist_are_not_found(self, db: Database) -> None:
        missing = OrgId("org_missing")
        for ask in (
            lambda: a_member(db, missing),
            lambda: a_service_account(db, missing),
        ):
            with pytest.raises(NotFound):
                ask()


class TestMembers:
    def test_have_the_user_id_that_telemetry_gives_their_address(self, db: Database) -> None:
        org = an_organization(db)
        ada = service.add_member(db, org, " Ada@Example.com", "owner")
        user = ids.user_of_email(org, "ada@example.com")
        assert ada == Member(user, "ada@example.com", "owner", NOW_MS)
        assert service.get_member(db, org, user) == ada
        assert reads.list_members(db, org) == [ada]

    def test_are_added_once_per_address(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org, role="owner")
        assert service.add_member(db, org, "ADA@example.com", "guest") == ada
        assert reads.list_members(db, org) == [ada]

    def test_are_listed_by_address(self, db: Database) -> None:
        org = an_organization(db)
        zoe, ada, bob = (a_member(db, org, f"{name}@example.com") for name in ("zoe", "ada", "bob"))
        assert reads.list_members(db, org) == [ada, bob, zoe]

    def test_take_another_role(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org, role="member")
        promoted = service.set_role(db, org, ada.user_id, "manager")
        assert promoted == Member(ada.user_id, ada.email, "manager", NOW_MS)
        assert reads.list_members(db, org) == [promoted]

    def test_that_are_removed_are_gone_and_still_named_in_reports(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org)
        service.remove_member(db, org, ada.user_id)
        assert reads.list_members(db, org) == []
        assert service.emails(db, org) == {ada.user_id: "ada@example.com"}
        for ask in (
            lambda: service.get_member(db, org, ada.user_id),
            lambda: service.set_role(db, org, ada.user_id, "owner"),
            lambda: service.remove_member(db, org, ada.user_id),
            lambda: a_key(db, org, ada),
        ):
            with pytest.raises(NotFound):
                ask()

    def test_that_come_back_are_the_same_user_with_the_new_role_and_no_old_key(
        self, db: Database
    ) -> None:
        org = an_organization(db)
        ada = a_member(db, org, role="manager")
        a_key(db, org, ada)
        service.remove_member(db, org, ada.user_id)
        again = service.add_member(db, org, "ada@example.com", "guest")
        assert again == Member(ada.user_id, "ada@example.com", "guest", NOW_MS)
        assert reads.list_members(db, org) == [again]
        assert [key.revoked_at for key in reads.list_keys(db, org)] == [NOW_MS]

    @pytest.mark.parametrize("role", ["manager", "member", "guest"])
    def test_the_last_owner_is_neither_demoted_nor_removed(self, db: Database, role: Role) -> None:
        org = an_organization(db)
        ada = a_member(db, org, "ada@example.com", "owner")
        bob = a_member(db, org, "bob@example.com", "owner")
        a_member(db, org, "zoe@example.com", "manager")
        other = an_organization(db, "Other")
        a_member(db, other, "ada@example.com", "owner")
        service.remove_member(db, org, bob.user_id)
        for act in (
            lambda: service.set_role(db, org, ada.user_id, role),
            lambda: service.remove_member(db, org, ada.user_id),
        ):
            with pytest.raises(Conflict) as refused:
                act()
            assert refused.value.code == "last_owner"
        assert service.set_role(db, org, ada.user_id, "owner") == ada

    def test_two_owners_who_remove_each_other_at_once_leave_one(self, db: Database) -> None:
        for turn in range(5):
            org = an_organization(db)
            owners = [a_member(db, org, f"{n}@example.com", "owner") for n in ("ada", "bob")]
            start = threading.Barrier(2)
            refused: list[str] = []

            def remove(
                user: UserId,
                org: OrgId = org,
                start: threading.Barrier = start,
                refused: list[str] = refused,
            ) -> None:
                start.wait()
                try:
                    service.remove_member(db, org, user)
                except Conflict as conflict:
                    refused.append(conflict.code)

            threads = [threading.Thread(target=remove, args=(o.user_id,)) for o in owners]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (turn, refused, len(reads.list_members(db, org))) == (turn, ["last_owner"], 1)

    def test_are_read_in_pages_by_user_id(self, db: Database) -> None:
        org = an_organization(db)
        made = [a_member(db, org, f"{name}@example.com") for name in ("zoe", "ada", "bob")]
        invited, _ = an_invited(db, org, "eve@example.com")
        service.remove_member(db, org, made.pop().user_id)
        everybody = sorted([*made, invited], key=lambda each: each.user_id)
        first = reads.page_members(db, org, limit=2)
        assert first == everybody[:2]
        assert reads.page_members(db, org, limit=9, after=first[-1].user_id) == everybody[2:]
        joined = [each for each in everybody if each.status == "active"]
        assert reads.page_members(db, org, limit=9, is_active=True) == joined


class TestInvitations:
    def test_make_a_member_who_cannot_act_before_joining(self, db: Database) -> None:
        org = an_organization(db)
        invited, _ = an_invited(db, org, " Ada@Example.com ", "manager")
        user = ids.user_of_email(org, "ada@example.com")
        assert invited == Member(user, "ada@example.com", "manager", NOW_MS, "invited")
        assert reads.list_members(db, org) == [invited]
        with pytest.raises(Conflict) as refused:
            a_key(db, org, invited)
        assert refused.value.code == "not_joined"
        with db.transaction() as connection:
            joined = service.join(connection, org, user)
        assert joined == Member(user, "ada@example.com", "manager", NOW_MS)
        assert service.get_member(db, org, user) == joined
        a_key(db, org, joined)

    def test_end_when_the_operator_adds_the_person(self, db: Database) -> None:
        org = an_organization(db)
        invited, _ = an_invited(db, org, role="manager")
        added = service.add_member(db, org, invited.email, "guest")
        assert (added.status, added.role) == ("active", "manager")

    def test_are_not_for_those_who_were_removed(self, db: Database) -> None:
        org = an_organization(db)
        ada, _ = an_invited(db, org)
        service.remove_member(db, org, ada.user_id)
        with pytest.raises(NotFound), db.transaction() as connection:
            service.join(connection, org, ada.user_id)
        again, _ = an_invited(db, org, role="guest")
        assert (again.user_id, again.status, again.role) == (ada.user_id, "invited", "guest")

    def test_to_own_an_organization_do_not_count_as_an_owner(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org, role="owner")
        bob, _ = an_invited(db, org, "bob@example.com", "owner")
        with pytest.raises(Conflict):
            service.remove_member(db, org, ada.user_id)
        assert operator.owner(db, org).principal_id == ada.user_id
        service.remove_member(db, org, bob.user_id)

    def test_at_once_for_one_address_are_one(self, db: Database) -> None:
        org = an_organization(db)
        start = threading.Barrier(2)
        ended: list[str] = []

        def invite() -> None:
            start.wait()
            try:
                ended.append(an_invited(db, org)[0].status)
            except Conflict as refused:
                ended.append(refused.code)

        threads = [threading.Thread(target=invite) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ended) == ["already_member", "invited"]


class TestServiceAccounts:
    def test_are_active_when_made_and_listed_by_name(self, db: Database) -> None:
        org = an_organization(db)
        nightly = service.create_service_account(db, org, " nightly ", "manager")
        builds = service.create_service_account(db, org, "builds", "guest")
        assert nightly == ServiceAccount(
            nightly.service_account_id, "nightly", "manager", True, NOW_MS
        )
        assert nightly.service_account_id.startswith("svc_")
        assert reads.list_service_accounts(db, org) == [builds, nightly]

    def test_have_a_name_that_nobody_else_has(self, db: Database) -> None:
        org, other = an_organization(db), an_organization(db, "Other")
        first = a_service_account(db, org, "nightly")
        with pytest.raises(Conflict) as refused:
            a_service_account(db, org, "nightly")
        assert refused.value.code == "name_taken"
        assert reads.list_service_accounts(db, org) == [first]
        assert a_service_account(db, other, "nightly").name == "nightly"

    def test_are_paused_and_go_on(self, db: Database) -> None:
        org = an_organization(db)
        made = a_service_account(db, org)
        account = made.service_account_id
        paused = service.change_service_account(db, org, account, is_active=False)
        assert not paused.is_active
        assert service.get_service_account(db, org, made.service_account_id) == paused
        with pytest.raises(Conflict, match="activate it first"):
            a_key(db, org, made)
        assert service.change_service_account(db, org, account, is_active=True) == made

    def test_that_are_removed_are_gone_with_their_keys_and_keep_their_name(
        self, db: Database
    ) -> None:
        org = an_organization(db)
        made = a_service_account(db, org)
        account = made.service_account_id
        a_key(db, org, made)
        service.remove_service_account(db, org, account)
        assert reads.list_service_accounts(db, org) == []
        assert reads.service_account_ids(db, org) == {account}
        assert [key.revoked_at for key in reads.list_keys(db, org)] == [NOW_MS]
        for ask in (
            lambda: service.get_service_account(db, org, account),
            lambda: service.change_service_account(db, org, account, is_active=True),
            lambda: service.remove_service_account(db, org, account),
            lambda: a_key(db, org, made),
        ):
            with pytest.raises(NotFound):
                ask()
        with pytest.raises(Conflict):
            a_service_account(db, org, made.name)

    def test_never_own_the_organization(self, db: Database) -> None:
        org = an_organization(db)
        with pytest.raises(BadRequest):
            service.create_service_account(db, org, "nightly", "owner")  # type: ignore[arg-type]  # no role of programs: that is the test
        assert reads.list_service_accounts(db, org) == []


class TestKeys:
    def test_are_remembered_without_their_secret(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org)
        made, secret = service.create_key(
            db, org, ada, name=" laptop ", scope="ingest", expires_at=NOW_MS + 1
        )
        assert made.key_id.startswith("key_")
        assert (made.principal_kind, made.principal_id) == ("human", ada.user_id)
        assert (made.name, made.scope, made.expires_at) == ("laptop", "ingest", NOW_MS + 1)
        assert made.hint == secret.reveal()[:7] + "…"
        assert (made.created_at, made.revoked_at, made.last_used_at) == (NOW_MS, None, None)
        assert reads.list_keys(db, org) == [made]
        assert service.get_key(db, org, made.key_id) == made

    def test_are_listed_oldest_first_of_all_or_of_one_principal(self, db: Database) -> None:
        org = an_organization(db)
        ada, nightly = a_member(db, org), a_service_account(db, org)
        made = []
        principals: tuple[Principal, ...] = (ada, nightly, ada)
        for hour, principal in enumerate(principals):
            clock.freeze(NOW + timedelta(hours=hour))
            made.append(service.create_key(db, org, principal, name=f"{hour}")[0])
        assert reads.list_keys(db, org) == made
        assert reads.list_keys(db, org, ada.user_id) == [made[0], made[2]]
        assert reads.list_keys(db, org, nightly.service_account_id) == [made[1]]

    def test_are_revoked_once(self, db: Database) -> None:
        org = an_organization(db)
        ada = a_member(db, org)
        made, _ = service.create_key(db, org, ada, name="laptop")
        revoked = service.revoke_key(db, org, made.key_id)
        assert revoked.revoked_at == NOW_MS
        clock.freeze(NOW + timedelta(hours=1))
        assert service.revoke_key(db, org, made.key_id) == revoked

    @pytest.mark.parametrize(
        ("terms", "code"),
        [
            ({"name": ""}, "invalid_name"),
            ({"name": "x", "scope": "admin"}, "invalid_scope"),
            ({"name": "x", "expires_at": NOW_MS}, "invalid_expiry"),
        ],
    )
    def test_are_refused_on_terms_that_make_no_sense(
        self, db: Database, terms: dict[str, object], code: str
    ) -> None:
        org = an_organization(db)
        ada = a_member(db, org)
        with pytest.raises(BadRequest) as refused:
            service.create_key(db, org, ada, **terms)  # type: ignore[arg-type]  # what the case gives
        assert refused.value.code == code
        assert reads.list_keys(db, org) == []

    def test_leave_no_trace_of_their_secret_in_the_database(
        self, db: Database, database_url: str
    ) -> None:
        org = an_organization(db)
        text = a_key(db, org, a_member(db, org))
        with db.reading() as connection:
            stored = [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM api_keys")]
        assert len(stored) == 1
        assert text[8:] not in repr(stored)
        if db.dialect == "sqlite":
            file = Path(str(make_url(database_url).database))
            kept = b"".join(path.read_bytes() for path in file.parent.glob(file.name + "*"))
            assert b"ada@example.com" in kept
            assert text[8:].encode() not in kept


class TestTenancy:
    """Two organizations with people and things of the same names see nothing of each other."""

    def test_nothing_is_listed_across(self, db: Database) -> None:
        ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
        members = {org: a_member(db, org, role="owner") for org in (ours, theirs)}
        accounts = {org: a_service_account(db, org) for org in (ours, theirs)}
        made = {
            org: service.create_key(db, org, members[org], name="laptop")[0]
            for org in (ours, theirs)
        }
        assert members[ours].user_id != members[theirs].user_id
        for org in (ours, theirs):
            assert reads.list_members(db, org) == [members[org]]
            assert reads.list_service_accounts(db, org) == [accounts[org]]
            assert reads.list_keys(db, org) == [made[org]]
            assert service.emails(db, org) == {members[org].user_id: "ada@example.com"}
        assert reads.list_keys(db, ours, members[theirs].user_id) == []

    def test_nothing_is_reached_or_changed_across(self, db: Database) -> None:
        ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
        a_member(db, ours, role="owner")
        a_member(db, theirs, "zoe@example.com", role="owner")
        bob = a_member(db, theirs, "bob@example.com")
        nightly = a_service_account(db, theirs)
        made, _ = service.create_key(db, theirs, bob, name="laptop")
        for reach in (
            lambda: service.get_member(db, ours, bob.user_id),
            lambda: service.set_role(db, ours, bob.user_id, "guest"),
            lambda: service.remove_member(db, ours, bob.user_id),
            lambda: service.get_service_account(db, ours, nightly.service_account_id),
            lambda: service.change_service_account(
                db, ours, nightly.service_account_id, is_active=False
            ),
            lambda: service.remove_service_account(db, ours, nightly.service_account_id),
            lambda: service.make_link(db, ours, bob.user_id, by=None),
            lambda: service.get_key(db, ours, made.key_id),
            lambda: service.revoke_key(db, ours, made.key_id),
            lambda: service.create_key(db, ours, bob, name="x"),
            lambda: service.create_key(db, ours, nightly, name="x"),
            lambda: service.get_key(db, ours, KeyId("key_missing")),
        ):
            with pytest.raises(NotFound):
                reach()
        assert service.get_member(db, theirs, bob.user_id) == bob
        assert reads.list_service_accounts(db, theirs) == [nightly]
        assert reads.list_keys(db, theirs) == [made]
        assert reads.list_keys(db, ours) == []
