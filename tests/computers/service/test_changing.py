"""Changing and removing computers, and those whose owners are away."""

from __future__ import annotations

from datetime import timedelta

import pytest

from stationmaster import clock
from stationmaster.access import service as access
from stationmaster.access.model import Caller
from stationmaster.computers import service
from stationmaster.computers.model import Changes
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId, UserId
from tests.computers.rows import HOST, a_computer, a_managed_computer, credential_hash, history
from tests.computers.service.people import HASH, NOW, OTHER_HASH, person, program, records
from tests.support.builders import a_caller, a_member, a_service_account


class TestChanging:
    def test_changes_what_is_given_and_nothing_else(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        made = a_computer(db, ada, hostname="old", cloned_repo_directories=("/a",))
        clock.freeze(NOW + timedelta(hours=1))

        changed = service.update(
            db, ada, made.computer_id, Changes(hostname="new", cloned_repo_directories=())
        )

        assert (changed.hostname, changed.cloned_repo_directories) == ("new", ())
        assert (changed.name, changed.created_at) == (made.name, made.created_at)
        assert service.get(db, ada, made.computer_id) == changed
        assert records(db, org, "computer_updated") == [
            (
                made.computer_id,
                {"owner_id": ada.principal_id, "fields": ["cloned_repo_directories", "hostname"]},
            )
        ]

    def test_to_the_same_is_no_change(self, db: Database, org: OrgId, ada: Caller) -> None:
        made = a_computer(db, ada)

        for changes in (Changes(), Changes(name="build", remote_user="dev")):
            assert service.update(db, ada, made.computer_id, changes) == made
        assert records(db, org, "computer_updated") == []

    def test_frees_the_old_name(self, db: Database, org: OrgId, ada: Caller) -> None:
        made = a_computer(db, ada)

        service.update(db, ada, made.computer_id, Changes(name="bench"))

        assert service.find_named(db, ada, "bench").computer_id == made.computer_id
        assert a_computer(db, ada, "build").computer_id != made.computer_id
        assert records(db, org, "computer_renamed") == [
            (made.computer_id, {"owner_id": ada.principal_id, "fields": ["name"]})
        ]

    def test_to_a_name_in_use_is_a_conflict_of_its_owner(self, db: Database, org: OrgId) -> None:
        robot, mia = program(db, org), person(db, org, "mia", "manager")
        made = a_computer(db, robot, "one")
        a_computer(db, robot, "two")
        a_computer(db, mia, "mine")

        with pytest.raises(Conflict) as refused:
            service.update(db, mia, made.computer_id, Changes(name="two"))

        assert refused.value.code == "name_taken"
        assert service.update(db, mia, made.computer_id, Changes(name="mine")).name == "mine"

    @pytest.mark.parametrize(
        "changes",
        [
            Changes(name="Build"),
            Changes(remote_user="a b"),
            Changes(hostname=""),
            Changes(cloned_repo_directories=("a",)),
        ],
    )
    def test_refuses_words_that_do_not_fit(
        self, db: Database, ada: Caller, changes: Changes
    ) -> None:
        made = a_computer(db, ada)

        with pytest.raises(BadRequest):
            service.update(db, ada, made.computer_id, changes)

        assert service.get(db, ada, made.computer_id) == made


class TestRemoving:
    def test_ends_the_computer_and_its_credential(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        made = a_computer(db, ada, host_id=HOST)

        service.remove(db, ada, made.computer_id)

        assert service.list_all(db, ada) == []
        assert credential_hash(db, ada, made.computer_id) is None
        for ask in (
            lambda: service.get(db, ada, made.computer_id),
            lambda: service.find_named(db, ada, "build"),
            lambda: service.update(db, ada, made.computer_id, Changes(name="x")),
        ):
            with pytest.raises(NotFound):
                ask()
        assert history(db, ada, made.computer_id)[1:] == [
            ("active", "removed", "removed", ada.principal_id)
        ]
        assert records(db, org, "computer_removed") == [
            (made.computer_id, {"owner_id": ada.principal_id})
        ]

    def test_again_changes_nothing(self, db: Database, org: OrgId, ada: Caller) -> None:
        made = a_computer(db, ada)

        for _ in range(2):
            service.remove(db, ada, made.computer_id)

        assert len(history(db, ada, made.computer_id)) == 2
        assert len(records(db, org, "computer_removed")) == 1

    @pytest.mark.parametrize("status", ["provisioning", "active", "error"])
    def test_works_in_every_state(self, db: Database, ada: Caller, status: str) -> None:
        made = a_managed_computer(db, ada, status=status)

        service.remove(db, ada, made.computer_id)

        assert history(db, ada, made.computer_id) == [
            (status, "removed", "removed", ada.principal_id)
        ]

    def test_of_a_programs_computer_is_for_those_who_manage(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        made = a_computer(db, program(db, org))

        with pytest.raises(NotFound):
            service.remove(db, ada, made.computer_id)
        service.remove(db, person(db, org, "mia", "manager"), made.computer_id)

        assert service.list_all(db, person(db, org, "joe", "owner")) == []

    def test_frees_name_and_host_for_whoever_comes_next(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        made = a_computer(db, ada, host_id=HOST, machine_hash=HASH)
        service.remove(db, ada, made.computer_id)

        again = a_computer(db, ada, host_id=HOST, machine_hash=OTHER_HASH)
        service.remove(db, ada, again.computer_id)
        moved = a_computer(db, person(db, org, "bob"), host_id=HOST)

        assert len({made.computer_id, again.computer_id, moved.computer_id}) == 3

    @pytest.mark.parametrize("text", ["", "build", "cmp_", "cmp_\0", "cmp_" + "a" * 16, "\ud800"])
    def test_what_was_never_there_is_not_found(self, db: Database, ada: Caller, text: str) -> None:
        with pytest.raises(NotFound):
            service.remove(db, ada, text)


class TestOwnersWhoAreAway:
    def test_a_removed_members_computers_stay_and_nobody_sees_them(
        self, db: Database, org: OrgId
    ) -> None:
        joe = person(db, org, "joe", "owner")
        ada = a_member(db, org, "ada@example.com")
        made = a_computer(db, a_caller(db, org, ada))

        access.remove_member(db, org, UserId(ada.user_id))

        with pytest.raises(NotFound):
            service.get(db, joe, made.computer_id)
        back = a_member(db, org, "ada@example.com")
        assert service.get(db, a_caller(db, org, back), made.computer_id) == made

    def test_a_paused_or_removed_programs_computers_stay_with_those_who_manage(
        self, db: Database, org: OrgId
    ) -> None:
        account = a_service_account(db, org)
        made = a_computer(db, a_caller(db, org, account))

        access.change_service_account(db, org, account.service_account_id, is_active=False)

        mia = person(db, org, "mia", "manager")
        assert service.get(db, mia, made.computer_id) == made
        access.remove_service_account(db, org, account.service_account_id)
        assert service.get(db, mia, made.computer_id) == made
        service.remove(db, mia, made.computer_id)
        assert service.list_all(db, mia) == []
