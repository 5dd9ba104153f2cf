"""Whatever is done to computers, in whatever order, agrees with a model of a few lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from stationmaster.access.model import Caller
from stationmaster.computers import service
from stationmaster.computers.model import Changes
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from tests.computers.rows import a_computer, history
from tests.support.builders import a_caller, a_member, a_service_account, an_organization

NAMES = st.sampled_from(["build", "bench", "ci"])
HOSTS = st.sampled_from([None, *(f"0192d3a0-0000-7000-8000-00000000000{n}" for n in range(2))])
WHO = st.sampled_from(["ada", "bob", "robot", "mia"])


class Computers(RuleBasedStateMachine):
    """People and a program at work. `living` maps an id to (owner, name, host)."""

    made = Bundle("made")

    def __init__(self, db: Database) -> None:
        super().__init__()
        self.db = db
        org = an_organization(db)
        self.callers: dict[str, Caller] = {
            "ada": a_caller(db, org, a_member(db, org, "ada@example.com")),
            "bob": a_caller(db, org, a_member(db, org, "bob@example.com")),
            "mia": a_caller(db, org, a_member(db, org, "mia@example.com", "manager")),
            "robot": a_caller(db, org, a_service_account(db, org)),
        }
        self.living: dict[str, tuple[str, str, str | None]] = {}
        self.removed: dict[str, str] = {}

    def sees(self, who: str, owner: str) -> bool:
        return who == owner or (who, owner) == ("mia", "robot")

    def is_taken(self, owner: str, name: str) -> bool:
        return (owner, name) in {known[:2] for known in self.living.values()}

    @rule(target=made, who=WHO, name=NAMES, host=HOSTS)
    def register(self, who: str, name: str, host: str | None) -> Any:
        hosts = {known[2] for known in self.living.values()} - {None}
        if host in hosts or self.is_taken(who, name):
            with pytest.raises(Conflict):
                a_computer(self.db, self.callers[who], name, host_id=host)
            return multiple()
        new = a_computer(self.db, self.callers[who], name, host_id=host).computer_id
        assert new not in self.living
        assert new not in self.removed
        self.living[new] = (who, name, host)
        return new

    @rule(who=WHO, which=made, name=NAMES)
    def rename(self, who: str, which: str, name: str) -> None:
        def change() -> None:
            service.update(self.db, self.callers[who], which, Changes(name=name))

        if which not in self.living or not self.sees(who, self.living[which][0]):
            with pytest.raises(NotFound):
                change()
            return
        owner, old, host = self.living[which]
        if name != old and self.is_taken(owner, name):
            with pytest.raises(Conflict):
                change()
            return
        change()
        self.living[which] = (owner, name, host)

    @rule(who=WHO, which=made, hostname=st.sampled_from(["one", "two"]))
    def update(self, who: str, which: str, hostname: str) -> None:
        if which not in self.living or not self.sees(who, self.living[which][0]):
            with pytest.raises(NotFound):
                service.update(self.db, self.callers[who], which, Changes(hostname=hostname))
            return
        changed = service.update(self.db, self.callers[who], which, Changes(hostname=hostname))
        assert changed.hostname == hostname

    @rule(who=WHO, which=made)
    def remove(self, who: str, which: str) -> None:
        owner = self.removed.get(which) or self.living[which][0]
        if not self.sees(who, owner):
            with pytest.raises(NotFound):
                service.remove(self.db, self.callers[who], which)
            return
        service.remove(self.db, self.callers[who], which)
        if self.living.pop(which, None):
            self.removed[which] = owner
            states = [row[:2] for row in history(self.db, self.callers[who], which)]
            assert states == [(None, "active"), ("active", "removed")]

    @invariant()
    def everyone_sees_what_the_model_says(self) -> None:
        for who, caller in self.callers.items():
            seen = {
                found.computer_id: (found.name, found.host_id)
                for found in service.list_all(self.db, caller)
            }
            assert seen == {
                known: (name, host)
                for known, (owner, name, host) in self.living.items()
                if self.sees(who, owner)
            }

    @invariant()
    def a_name_leads_to_at_most_one_of_ones_own(self) -> None:
        for owner, name, _ in self.living.values():
            found = service.find_named(self.db, self.callers[owner], name)
            assert self.living[found.computer_id][:2] == (owner, name)


def test_no_order_of_changes_leaves_the_rules(db: Database) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call] # Hypothesis has no types here
        lambda: Computers(db),
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
