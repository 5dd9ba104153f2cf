"""What is stored of managed computers and of their sessions, on every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.computers import presence, sessions
from stationmaster.computers.managed import keeper, metrics, service, store
from stationmaster.computers.managed.model import NewComputer
from stationmaster.computers.managed.providers.namespace import Here
from stationmaster.computers.managed.templates import TemplateOffer
from stationmaster.computers.model import Computer
from stationmaster.db.engine import Database
from stationmaster.relay_messages import Hello, Sample
from stationmaster.session_messages import SessionState
from tests.support.builders import a_caller, a_member, an_organization

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SAMPLE = Sample(cpu_used_pct=50, cpu_count=2, mem_used=1, mem_total=4, disk_used=2, disk_total=8)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def offer(tmp_path: Path) -> TemplateOffer:
    return TemplateOffer(templates={"default": Here(folder=tmp_path)})


@pytest.fixture
def owner(db: Database) -> Caller:
    org = an_organization(db)
    return a_caller(db, org, a_member(db, org, "ada@example.com"))


@pytest.fixture
def computer(db: Database, owner: Caller, offer: TemplateOffer) -> Computer:
    """One that is active and connected."""
    [made] = service.create(db, offer, owner, ["cloud"], NewComputer())
    managed = store.one(db, owner.org_id, made.computer_id)
    assert managed is not None
    with db.transaction() as connection:
        store.set_status(connection, managed, "provisioning", "active", "set_up", None)
    hello = Hello(
        agent_version="1", host_id=str(made.host_id), hostname="h", remote_user="dev",
        agents=("scripted",),
    )  # fmt: skip
    presence.came(db, owner.org_id, made.computer_id, hello, "process")
    return made


def power(db: Database, owner: Caller, computer: Computer) -> str | None:
    known = store.one(db, owner.org_id, computer.computer_id)
    return None if known is None else known.power


def at(db: Database, minutes: int, computer: Computer) -> None:
    """So many minutes later, with the computer still connected."""
    clock.freeze(NOW + timedelta(minutes=minutes))
    presence.seen(db, "process", [computer.computer_id])


def test_one_that_nobody_uses_is_put_to_sleep_and_woken(
    db: Database, owner: Caller, computer: Computer, offer: TemplateOffer
) -> None:
    at(db, 29, computer)
    keeper.round_of(db, offer)
    assert power(db, owner, computer) == "running"
    at(db, 31, computer)
    keeper.round_of(db, offer)
    assert power(db, owner, computer) == "asleep"

    assert service.wake(db, owner.org_id, computer.computer_id)
    assert power(db, owner, computer) == "running"


def test_work_of_a_session_is_use_and_waiting_for_a_prompt_is_not(
    db: Database, owner: Caller, computer: Computer, offer: TemplateOffer
) -> None:
    session = sessions.begin(db, owner, computer, "scripted")

    def stands(state: str) -> None:
        standing = SessionState(session=session.session_id, state=state)  # type: ignore[arg-type]  # one of the states
        sessions.note(db, owner.org_id, computer.computer_id, [standing])

    stands("working")
    assert [each.owner_id for each in sessions.at_work(db, [computer.computer_id])] == [
        owner.principal_id
    ]
    assert sessions.at_work(db, ["cmp_other"]) == []
    at(db, 45, computer)
    keeper.round_of(db, offer)
    assert power(db, owner, computer) == "running"

    stands("idle")
    assert sessions.at_work(db, [computer.computer_id]) == []
    at(db, 74, computer)
    keeper.round_of(db, offer)
    assert power(db, owner, computer) == "running"
    at(db, 76, computer)
    keeper.round_of(db, offer)
    assert power(db, owner, computer) == "asleep"


def test_a_session_is_started_ends_and_is_lost(
    db: Database, owner: Caller, computer: Computer
) -> None:
    first, second = (sessions.begin(db, owner, computer, "scripted") for _ in range(2))
    assert sessions.started(db, owner.org_id, first).state == "idle"
    sessions.end(db, owner.org_id, first.session_id, "stopped")
    clock.freeze(NOW + timedelta(milliseconds=sessions.START_MS + 1))
    sessions.note(db, owner.org_id, computer.computer_id, [])

    _, listed = sessions.of_computer(db, owner, computer.computer_id)
    reasons = {each.session_id: (each.state, each.reason) for each in listed}
    assert reasons == {
        first.session_id: ("ended", "stopped"), second.session_id: ("ended", "lost"),
    }  # fmt: skip


def test_logs_and_figures_are_kept_and_go_with_the_machine(
    db: Database, owner: Caller, computer: Computer
) -> None:
    org, computer_id = owner.org_id, computer.computer_id
    for text in ("one\n", "one\ntwo\n"):
        store.write_log(db, org, computer_id, "setup-user", text)
    for _ in range(2):
        metrics.add(db, {(org, computer_id): SAMPLE})
    assert store.logs(db, org, computer_id) == {"setup-user": "one\ntwo\n"}
    [average] = metrics.since(db, org, computer_id, 0)
    assert (average.cpu_used_pct, average.mem_used, average.disk_total) == (50, 1, 8)

    known = store.one(db, org, computer_id)
    assert known is not None
    store.delete_all(db, known)
    assert store.logs(db, org, computer_id) == {}
    assert metrics.since(db, org, computer_id, 0) == []
