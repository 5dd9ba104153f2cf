"""Merging people and taking it back: history follows, and nothing of it crosses organizations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock, ids as identifiers
from stationmaster.access import service as access
from stationmaster.access.model import Caller, Member
from stationmaster.aggregate import schedule
from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.inputs import identities
from stationmaster.aggregate.keys import Keys
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound, StationmasterError
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.limits import store as limits
from stationmaster.people import reads, service
from tests.aggregate.lakes import DAY, bodies, event, rolled_up, settings
from tests.support.builders import (
    a_caller,
    a_member,
    a_service_account,
    an_organization,
    audited,
)


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


class House:
    """An organization with a day of three: a member, a person who has an address, a machine."""

    def __init__(self, db: Database, tmp_path: Path, name: str = "Acme") -> None:
        self.db, self.config = db, settings(tmp_path / name)
        self.org: OrgId = an_organization(db, name)
        self.ada: Member = a_member(db, self.org, "ada@example.com")
        self.boss: Caller = a_caller(db, self.org, a_member(db, self.org, "b@example.com", "owner"))
        self.old = identifiers.user_of_email(self.org, "ada@old.example")
        self.machine = identifiers.user_of_installation(self.org, "codex", "ci")
        rolled_up(
            db,
            self.config,
            self.org,
            [
                self._call("s1", user_id=self.ada.user_id, user_email="ada@example.com"),
                self._call("s2", user_id=self.old, user_email="ada@old.example"),
                self._call(
                    "s3", user_id=self.machine, user_source="installation", product="codex",
                    installation="ci",
                ),
            ],
        )  # fmt: skip

    def _call(self, session: str, **fields: Any) -> Event:
        return event(
            "model_call", root_session_id=session, model="claude-opus-4-5", input_tokens=100,
            **fields,
        )  # fmt: skip

    def merge(self, user: str, into: str) -> None:
        service.merge(self.db, self.org, user, into, by=self.boss)

    def roll_up(self) -> set[str]:
        """The users of the day, once what is due is rolled up."""
        schedule.roll_up_due(self.db, self.config, self.org, DAY, DAY)
        return set(bodies(self.db, self.org)[1])

    def used(self) -> dict[str, int]:
        """The credits of each member in the month of the day."""
        rows = limits.page(self.db, self.org, DAY, DAY, after="", count=10)
        return {email: used for _, _, email, _, _, used in rows if email is not None}


@pytest.fixture
def house(db: Database, tmp_path: Path) -> House:
    return House(db, tmp_path)


def test_a_merged_persons_history_and_use_of_a_limit_follow(house: House) -> None:
    before = house.used()["ada@example.com"]

    house.merge(house.old, "Ada@Example.com")
    house.merge(house.machine, house.ada.user_id)

    assert house.roll_up() == {house.ada.user_id}
    assert house.used()["ada@example.com"] == 3 * before


def test_an_unmerged_person_has_its_history_back(house: House) -> None:
    everybody = house.roll_up()
    house.merge(house.old, house.ada.user_id)
    house.roll_up()

    service.unmerge(house.db, house.org, house.old, by=house.boss)

    assert house.roll_up() == everybody
    assert audited(house.db, house.org, "person_unmerged").payload == {
        "person_id": house.ada.user_id
    }


def test_a_person_shows_members_others_and_their_aliases(house: House) -> None:
    house.merge(house.machine, house.ada.user_id)
    house.roll_up()

    found = {each.email: each for each in reads.page(house.db, house.org, after="", count=10)}

    assert set(found) == {"ada@example.com", "b@example.com", "ada@old.example"}
    ada = found["ada@example.com"]
    assert [(each.user_id, each.evidence) for each in ada.aliases] == [(house.machine, "said")]
    assert (ada.status, ada.products) == ("active", ["claude-code", "codex"])
    assert (ada.first_day, ada.last_day) == (DAY.isoformat(), DAY.isoformat())
    assert found["ada@old.example"].status is None
    assert found["b@example.com"].first_day is None


def test_people_come_in_pages_by_id(house: House) -> None:
    every = [each.user_id for each in reads.page(house.db, house.org, after="", count=10)]
    first = reads.page(house.db, house.org, after="", count=2)
    rest = reads.page(house.db, house.org, after=first[-1].user_id, count=10)
    assert [each.user_id for each in [*first, *rest]] == every == sorted(every)


def test_a_program_is_no_person(house: House) -> None:
    program = a_service_account(house.db, house.org).service_account_id
    work = event("hook", user_id=program, user_source="key")
    rolled_up(house.db, house.config, house.org, [work])

    assert program not in {
        each.user_id for each in reads.page(house.db, house.org, after="", count=9)
    }
    with pytest.raises(NotFound):
        house.merge(program, house.ada.user_id)
    with pytest.raises(NotFound):
        house.merge(house.old, program)


@pytest.mark.parametrize(
    ("attempt", "code"),
    [
        (lambda house: house.merge(house.ada.user_id, house.old), "is_member"),
        (lambda house: house.merge(house.old, house.machine), "no_address"),
        (lambda house: house.merge(house.old, house.old), "circle"),
        (lambda house: house.merge("user_nobody", house.old), "not_found"),
        (lambda house: house.merge(house.old, "nobody@example.com"), "not_found"),
        (
            lambda house: service.unmerge(house.db, house.org, house.old, by=house.boss),
            "not_found",
        ),
    ],
)
def test_what_cannot_be_merged_changes_nothing(
    house: House, attempt: Callable[[House], object], code: str
) -> None:
    with pytest.raises(StationmasterError) as refused:
        attempt(house)
    assert refused.value.code == code
    assert len(house.roll_up()) == 3


def test_chains_end_at_the_last_person_and_circles_are_refused(house: House) -> None:
    access.remove_member(house.db, house.org, house.ada.user_id)
    house.merge(house.machine, house.old)
    house.merge(house.old, house.ada.user_id)

    with pytest.raises(Conflict):
        house.merge(house.ada.user_id, house.old)

    assert house.roll_up() == {house.ada.user_id}


def test_who_joins_with_an_address_has_what_it_did_before(house: House) -> None:
    member = a_member(house.db, house.org, "ada@old.example")

    assert member.user_id == house.old
    assert reads.person(house.db, house.org, house.old).status == "active"


def test_another_organizations_people_are_nobody(
    house: House, db: Database, tmp_path: Path
) -> None:
    other = House(db, tmp_path, "Other")

    for user, into in ((other.old, house.ada.user_id), (house.old, other.ada.user_id)):
        with pytest.raises(NotFound):
            house.merge(user, into)


def test_a_count_that_began_before_a_merge_is_repeated(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = identities.read

    def late(engine: Engine, org: OrgId, keys: Keys) -> Mapping[date, identities.Identities]:
        found = read(engine, org, keys)
        monkeypatch.undo()
        clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
        house.merge(house.old, house.ada.user_id)
        return found

    monkeypatch.setattr(identities, "read", late)
    rolled_up(house.db, house.config, house.org, [event("hook", user_id=house.ada.user_id)])

    assert house.old not in house.roll_up()


def test_a_members_team_is_set_once_told_and_restates_the_members_days(house: House) -> None:
    ada = house.ada.user_id
    changed = service.set_team(house.db, house.org, ada, " Platform ", by=house.boss)
    service.set_team(house.db, house.org, ada, "Platform", by=house.boss)

    assert changed.team == "Platform"
    assert audited(house.db, house.org, "member_team_changed").payload == {"team": "Platform"}
    house.roll_up()
    found = house.db.rows(
        "SELECT team FROM active_users WHERE org_id = ? AND user_id = ?", house.org, ada
    )
    assert found == [("Platform",)]
    with pytest.raises(BadRequest):
        service.set_team(house.db, house.org, ada, "\n", by=house.boss)
