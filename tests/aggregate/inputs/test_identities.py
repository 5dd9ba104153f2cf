"""Whose a day's events are: what they show of people, merged by hand and by themselves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from stationmaster import clock, ids
from stationmaster.access import aliases, store
from stationmaster.access.aliases import AliasStatement, Directory, Evidence
from stationmaster.aggregate import schedule
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads
from tests.aggregate.lakes import (
    DAY,
    NOON,
    bodies,
    event,
    land,
    rolled_up,
    settings,
    user_row,
)
from tests.support.builders import a_member, an_organization

ORG = OrgId("org_a")
ADA = ids.user_of_email(ORG, "ada@example.com")
BEN = ids.user_of_email(ORG, "ben@example.com")
LAPTOP = ids.user_of_installation(ORG, "claude-code", "laptop")
NEXT = DAY + timedelta(days=1)
DAY_MS = 86_400_000


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def by(source: str, user: str, session: str = "s1", **fields: Any) -> dict[str, Any]:
    email = {str(ADA): "ada@example.com", str(BEN): "ben@example.com"}.get(user)
    who = {"user_id": user, "user_source": source, "user_email": email}
    return {**who, "session_id": session, "root_session_id": session, **fields}


def users(db: Database, org: OrgId = ORG, day: date = DAY) -> set[str]:
    return set(bodies(db, org, day)[1])


def tomorrow(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "ts": NOON + DAY_MS}


ALONE = by("installation", LAPTOP, "s2", installation="laptop")
WITH_ADDRESS = by("email", ADA, installation="laptop")


def test_an_event_with_both_an_address_and_an_installation_tells_whose_the_installation_is(
    db: Database, tmp_path: Path
) -> None:
    rolled_up(
        db, settings(tmp_path), ORG, [event("user_message", **WITH_ADDRESS), event("hook", **ALONE)]
    )

    assert users(db) == {ADA}
    assert user_row(db, ORG, ADA)["hooks"] == 1
    assert reads.due_days(db, ORG)[0] > DAY


@pytest.mark.both_databases
def test_what_a_later_day_shows_restates_the_earlier_one(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [event("user_message", **ALONE)])
    assert users(db) == {LAPTOP}

    rolled_up(db, config, ORG, [event("user_message", **tomorrow(WITH_ADDRESS))], NEXT)

    assert DAY in reads.due_days(db, ORG)
    schedule.roll_up_due(db, config, ORG, DAY, DAY)
    assert users(db) == {ADA}
    assert user_row(db, ORG, ADA)["user_email"] == "ada@example.com"


@pytest.mark.both_databases
def test_a_day_that_restates_an_earlier_one_waits_for_no_mover_that_waits_for_it(
    db: Database, tmp_path: Path
) -> None:
    if db.dialect == "sqlite":
        pytest.skip("a writing transaction of SQLite is the only one")
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [event("user_message", **ALONE)])
    land(db, config, ORG, [[event("user_message", **tomorrow(WITH_ADDRESS))]], NEXT)
    mark = text("UPDATE lake_days SET landed = landed + 1 WHERE org_id = :org AND day = :day")
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")

    with ThreadPoolExecutor(1) as other:
        with db.transaction() as mover:
            mover.execute(mark, {"org": ORG, "day": DAY.isoformat()})
            rolling = other.submit(roll_up, db, config, ORG, NEXT)
            while not mover.execute(waiting).scalar():
                assert not rolling.done()
            mover.execute(mark, {"org": ORG, "day": NEXT.isoformat()})
        rolling.result(60)

    schedule.roll_up_due(db, config, ORG, DAY, NEXT)
    assert users(db) == users(db, day=NEXT) == {ADA}


@pytest.mark.both_databases
def test_an_installation_of_two_people_is_nobodys_from_then_on(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [event("user_message", **WITH_ADDRESS), event("hook", **ALONE)])
    other = by("email", BEN, "s9", installation="laptop")

    rolled_up(db, config, ORG, [event("user_message", **tomorrow(other))], NEXT)
    schedule.roll_up_due(db, config, ORG, DAY, DAY)

    assert users(db) == {ADA, LAPTOP}


def test_a_session_of_one_person_tells_whose_the_installation_is(
    db: Database, tmp_path: Path
) -> None:
    known = by("credential", ADA, "s2")
    elsewhere = by("installation", LAPTOP, "s3", installation="laptop")
    events = [event("user_message", **each) for each in (known, ALONE, elsewhere)]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert users(db) == {ADA}
    assert user_row(db, ORG, ADA)["user_messages"] == 3


def test_a_session_of_two_people_tells_nothing(db: Database, tmp_path: Path) -> None:
    people = by("email", ADA, "s2"), by("email", BEN, "s2")
    elsewhere = by("installation", LAPTOP, "s3", installation="laptop")
    events = [event("user_message", **each) for each in (*people, ALONE, elsewhere)]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert LAPTOP in users(db)


def test_the_owner_of_a_shared_key_is_no_evidence(db: Database, tmp_path: Path) -> None:
    shared = by("key", ADA, "s2", installation="laptop")
    elsewhere = by("installation", LAPTOP, "s3", installation="laptop")
    events = [event("user_message", **each) for each in (shared, elsewhere)]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert users(db) == {ADA, LAPTOP}


def test_a_members_team_counts_before_what_telemetry_says(db: Database, tmp_path: Path) -> None:
    org = an_organization(db)
    ada = a_member(db, org, "ada@example.com").user_id
    with db.transaction() as connection:
        store.set_member(connection, org, ada, team="Platform")
    own = {"user_id": ada, "team": "department-7"}
    other = {"user_id": "user_zoe", "team": "Support", "product": "codex"}

    rolled_up(db, settings(tmp_path), org, [event("hook", **own), event("hook", **other)])

    found = db.rows("SELECT user_id, team, products FROM active_users WHERE org_id = ?", org)
    assert sorted(found) == sorted(
        [(ada, "Platform", "claude-code"), ("user_zoe", "Support", "codex")]
    )


@pytest.mark.both_databases
def test_an_organization_learns_nothing_from_another(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [event("user_message", **WITH_ADDRESS)])
    other = OrgId("org_b")

    rolled_up(db, config, other, [event("user_message", **ALONE)])

    assert users(db, other) == {LAPTOP}


def an_alias(*shown: tuple[str, str], said: dict[str, str | None] | None = None) -> dict[str, str]:
    words = {user: AliasStatement(person, None) for user, person in (said or {}).items()}
    evidence = frozenset(Evidence(*pair, None, "installation") for pair in shown)
    found = Directory(words, evidence).aliases()
    return {user: alias.person_id for user, alias in found.items()}


def test_what_is_said_counts_before_what_is_shown() -> None:
    assert an_alias(("x", "ada"), said={"x": "ben"}) == {"x": "ben"}
    assert an_alias(("x", "ada"), said={"x": None}) == {}


def test_two_people_who_are_said_to_be_one_are_one_to_the_evidence_too() -> None:
    assert an_alias(("x", "ada"), ("x", "old"), said={"old": "ada"}) == {"x": "ada", "old": "ada"}


def test_of_several_addresses_of_a_person_the_first_one_counts() -> None:
    people = [ids.user_of_email(ORG, f"{number}@example.com") for number in range(30)]
    shown = {
        Evidence(f"{person} {name}", person, name and f"{name}@example.com", "installation")
        for person in people
        for name in ("b", "a", "c", None)
    }

    named = Directory({}, frozenset(shown)).aliases().values()

    assert {each.person_email for each in named} == {"a@example.com"}


def test_of_several_addresses_of_one_person_in_events_the_first_one_is_evidence(
    db: Database, tmp_path: Path
) -> None:
    addresses = ["b@example.com", "a@example.com", "c@example.com", None]
    told = [
        event("hook", **{**WITH_ADDRESS, "user_source": source, "user_email": address})
        for address in addresses
        for source in ("email", "credential")
    ]
    accounts = [{"installation": "laptop", "account": f"acc{number}"} for number in range(8)]
    events = [
        msgspec.structs.replace(each, **account)
        for each, account in zip(told, accounts, strict=True)
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    with db.reading() as connection:
        shown = aliases.directory(connection, ORG).shown
    assert {each.person_email for each in shown if each.user_id == LAPTOP} == {"a@example.com"}


def test_a_chain_ends_at_its_last_person_and_a_circle_does_not_run_forever() -> None:
    assert an_alias(said={"a": "b", "b": "c"}) == {"a": "c", "b": "c"}
    assert set(an_alias(said={"a": "b", "b": "a"})) == {"a", "b"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_days_does_not_matter(db: Database, order: tuple[int, ...]) -> None:
    evidence = [
        Evidence("x", "ada", "ada@example.com", "installation"),
        Evidence("y", "ada", "ada@example.com", "account"),
        Evidence("x", "ben", "ben@example.com", "session"),
    ]
    for number in order:
        with db.transaction() as connection:
            aliases.add_evidence(connection, ORG, [evidence[number]])

    with db.reading() as connection:
        found = aliases.directory(connection, ORG).aliases()
    assert {user: alias.person_id for user, alias in found.items()} == {"y": "ada"}
