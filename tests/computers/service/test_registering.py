"""Registering and finding computers: names, machines, and who sees them."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.access.model import BODY_LENGTH, CHECKSUM_LENGTH, Caller, hash_of
from stationmaster.computers import service
from stationmaster.computers.model import Changes, Registration
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId
from tests.computers.rows import HOST, a_computer, a_managed_computer, credential_hash, history
from tests.computers.service.people import HASH, NOW, OTHER_HASH, person, program, records
from tests.support.builders import a_caller, a_service_account, an_organization

NOW_MS = 1_795_262_400_000


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
        assert len(text) == len("smc_") + BODY_LENGTH + CHECKSUM_LENGTH
        assert credential_hash(db, ada, made.computer_id) == hash_of(text)
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
