"""Registering, finding, changing and removing computers."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.access import audit, keys, service as access
from stationmaster.access.model import Caller, Role
from stationmaster.computers import service
from stationmaster.computers.model import Changes, Registration
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId, UserId
from tests.computers.rows import HOST, a_computer, a_managed_computer, credential_hash, history
from tests.support.builders import a_caller, a_member, a_service_account, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_MS = 1_795_262_400_000
HASH, OTHER_HASH = "0" * 64, "1" * 64


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Caller:
    return a_caller(db, org, a_member(db, org, "ada@example.com"))


def person(db: Database, org: OrgId, name: str, role: Role = "member") -> Caller:
    return a_caller(db, org, a_member(db, org, f"{name}@example.com", role))


def program(db: Database, org: OrgId, name: str = "nightly") -> Caller:
    return a_caller(db, org, a_service_account(db, org, name))


def records(db: Database, org: OrgId, event_type: str) -> list[tuple[str | None, Any]]:
    """The target and the payload of each audit record of a type."""
    found = [each for each in audit.page(db, org, limit=100) if each.event_type == event_type]
    return [(record.target and record.target.id, record.payload) for record in found]


class TestRegistering:
    def test_makes_an_active_computer_of_the_caller(self, db: Database, ada: Caller) -> None:
        made, _ = service.register(
            db,
            ada,
            Registration(
                name="build",
                remote_user="dev",
                host_id=HOST,
                hostname="build.local",
                cloned_repo_directories=("/src/app",),
            ),
        )

        assert made.computer_id.startswith("cmp_")
        assert (made.owner_kind, made.owner_id) == ("human", ada.principal_id)
        assert (made.provider, made.status, made.created_at) == ("byom", "active", NOW_MS)
        assert made.cloned_repo_directories == ("/src/app",)
        assert service.get(db, ada, made.computer_id) == made
        assert service.find_named(db, ada, "build") == made
        assert history(db, ada, made.computer_id) == [
            (None, "active", "registered", ada.principal_id)
        ]
        assert records(db, ada.org_id, "computer_registered") == [
            (
                made.computer_id,
                {"owner_id": ada.principal_id, "provider": "byom", "cause": "registered"},
            )
        ]

    def test_gives_a_credential_of_which_only_a_hash_is_kept(
        self, db: Database, ada: Caller
    ) -> None:
        made, credential = service.register(db, ada, Registration(name="build", remote_user="dev"))
        text = credential.reveal()

        assert text.startswith("smc_")
        assert len(text) == len("smc_") + keys.BODY_LENGTH + keys.CHECKSUM_LENGTH
        assert credential_hash(db, ada, made.computer_id) == keys.hash_of(text)
        assert text not in repr(db.rows("SELECT * FROM computers"))
        assert text not in repr(db.rows("SELECT * FROM audit_log"))

    def test_needs_a_name_that_is_free_among_the_owners_own(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        a_computer(db, ada)
        a_computer(db, person(db, org, "bob"))

        with pytest.raises(Conflict) as refused:
            a_computer(db, ada)

        assert refused.value.code == "name_taken"
        assert len(service.list_all(db, ada)) == 1

    def test_happens_once_per_host(self, db: Database, ada: Caller) -> None:
        made = a_computer(db, ada, host_id=HOST, machine_hash=HASH)

        with pytest.raises(Conflict) as refused:
            a_computer(db, ada, "other", host_id=HOST, machine_hash=HASH)

        assert refused.value.code == "host_registered"
        assert refused.value.metadata == {"computer_id": made.computer_id}

    def test_of_somebody_elses_host_tells_nothing_of_it(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        made = a_computer(db, ada, host_id=HOST)

        with pytest.raises(Conflict) as refused:
            a_computer(db, person(db, org, "bob", "owner"), host_id=HOST)

        assert refused.value.code == "host_registered"
        assert refused.value.metadata == {}
        assert made.computer_id not in refused.value.detail

    def test_of_a_copied_disk_is_refused_as_such(self, db: Database, ada: Caller) -> None:
        a_computer(db, ada, host_id=HOST, machine_hash=HASH)

        with pytest.raises(
            Conflict, match=r"this disk was copied.*remove, then register"
        ) as refused:
            a_computer(db, ada, "copy", host_id=HOST, machine_hash=OTHER_HASH)

        assert refused.value.code == "disk_copied"

    @pytest.mark.parametrize(("first", "second"), [(None, HASH), (HASH, None), (None, None)])
    def test_of_a_host_whose_machine_is_unknown_speaks_of_no_copy(
        self, db: Database, ada: Caller, first: str | None, second: str | None
    ) -> None:
        a_computer(db, ada, host_id=HOST, machine_hash=first)

        with pytest.raises(Conflict) as refused:
            a_computer(db, ada, "other", host_id=HOST, machine_hash=second)

        assert refused.value.code == "host_registered"

    def test_of_one_host_is_possible_in_two_organizations(self, db: Database, ada: Caller) -> None:
        elsewhere = an_organization(db, "Other")
        zoe = person(db, elsewhere, "zoe")

        assert a_computer(db, ada, host_id=HOST).host_id == HOST
        assert a_computer(db, zoe, host_id=HOST).host_id == HOST

    @pytest.mark.parametrize(
        "fields",
        [
            {"name": "Build"},
            {"remote_user": "-l"},
            {"hostname": "a\0b"},
            {"cloned_repo_directories": ("src",)},
            {"cloned_repo_directories": ("/a",) * 201},
        ],
    )
    def test_with_words_that_do_not_fit_leaves_nothing(
        self, db: Database, org: OrgId, ada: Caller, fields: dict[str, Any]
    ) -> None:
        with pytest.raises(BadRequest):
            a_computer(db, ada, **fields)

        assert service.list_all(db, ada) == []
        assert records(db, org, "computer_registered") == []

    def test_at_the_same_moment_gives_a_name_and_a_host_once(
        self, db: Database, ada: Caller
    ) -> None:
        outcomes: list[str] = []
        ready = threading.Barrier(4)

        def race() -> None:
            ready.wait()
            try:
                outcomes.append(a_computer(db, ada, host_id=HOST).status)
            except Conflict as refused:
                outcomes.append(refused.code)

        threads = [threading.Thread(target=race) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(outcomes) == ["active", *["host_registered"] * 3]


class TestSeeing:
    def test_is_for_the_owner_and_of_programs_computers_for_those_who_manage(
        self, db: Database, org: OrgId, ada: Caller
    ) -> None:
        robot = program(db, org)
        own, programs = a_computer(db, ada, "own"), a_computer(db, robot, "programs")

        def seen_by(caller: Caller) -> set[str]:
            return {found.name for found in service.list_all(db, caller)}

        assert seen_by(ada) == {"own"}
        assert seen_by(robot) == {"programs"}
        assert seen_by(person(db, org, "bob")) == set()
        assert seen_by(person(db, org, "mia", "manager")) == {"programs"}
        assert seen_by(person(db, org, "joe", "owner")) == {"programs"}
        steward = a_caller(db, org, a_service_account(db, org, "steward", "manager"))
        assert seen_by(steward) == set()
        for computer in (own, programs):
            with pytest.raises(NotFound, match=r"^There is no such computer\.$"):
                service.get(db, steward, computer.computer_id)

    def test_lists_the_newest_first(self, db: Database, ada: Caller) -> None:
        for hour, name in enumerate(("b", "c", "a")):
            clock.freeze(NOW + timedelta(hours=hour))
            a_computer(db, ada, name)

        assert [found.name for found in service.list_all(db, ada)] == ["a", "c", "b"]

    def test_lists_the_one_of_a_host(self, db: Database, ada: Caller) -> None:
        made = a_computer(db, ada, host_id=HOST)
        a_computer(db, ada, "other")

        assert service.list_all(db, ada, HOST) == [made]
        assert service.list_all(db, ada, HOST.replace("1", "2")) == []

    def test_ends_at_the_organization(self, db: Database, ada: Caller) -> None:
        made = a_computer(db, ada)
        stranger = person(db, an_organization(db, "Other"), "ada", "owner")

        assert service.list_all(db, stranger) == []
        for ask in (
            lambda: service.find_named(db, stranger, "build"),
            lambda: service.get(db, stranger, made.computer_id),
            lambda: service.update(db, stranger, made.computer_id, Changes(name="x")),
            lambda: service.remove(db, stranger, made.computer_id),
        ):
            with pytest.raises(NotFound):
                ask()
        assert service.get(db, ada, made.computer_id) == made

    def test_keeps_all_that_a_managed_computer_has(self, db: Database, ada: Caller) -> None:
        made = a_managed_computer(db, ada)

        assert service.get(db, ada, made.computer_id) == made


class TestNames:
    def test_are_compared_exactly(self, db: Database, ada: Caller) -> None:
        a_computer(db, ada)

        for name in ("Build", "buil", "build-2", "", "build\0", "\ud800"):
            with pytest.raises(NotFound):
                service.find_named(db, ada, name)

    def test_lead_to_ones_own_computer_first(self, db: Database, org: OrgId) -> None:
        mia = person(db, org, "mia", "manager")
        theirs = a_computer(db, program(db, org))
        assert service.find_named(db, mia, "build") == theirs

        own = a_computer(db, mia)

        assert service.find_named(db, mia, "build") == own

    def test_that_lead_to_several_of_others_are_a_conflict_with_the_ids(
        self, db: Database, org: OrgId
    ) -> None:
        made = [a_computer(db, program(db, org, name)) for name in ("one", "two")]

        with pytest.raises(Conflict) as refused:
            service.find_named(db, person(db, org, "mia", "manager"), "build")

        ids = {computer.computer_id for computer in made}
        assert set(refused.value.metadata["ids"]) == ids


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
