"""Whatever calls, crashes, expiries, late usage and jumps of the clock come in whatever order: use
stays within the amount and the stated overshoot, nothing stays held, and room is never refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.limits.admission import Admission
from stationmaster.limits.budgets import Budget, Call, Cost
from tests.limits.cases import LIVES_MS, Ledger, a_budget, a_call, spent
from tests.support.builders import an_organization

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
AMOUNT, FOR_EACH = 100, 60
SIZES = st.integers(1, 40)
USERS = st.sampled_from(["user_a", "user_b"])


class _Call:
    """What a test knows of an open call; all that it ever holds, and what its floor is."""

    def __init__(self, hold_id: str, user: str, held: int, floor: int, tail: int) -> None:
        self.id, self.user, self.held, self.floor, self.tail = hold_id, user, held, floor, tail
        self.made_at = self.seen_at = clock.now_ms()
        self.charged: int | None = None


def machine(url: str) -> type[RuleBasedStateMachine]:
    """Two processes on one database, and two users with a budget each and one together."""

    class Calls(RuleBasedStateMachine):
        calls = Bundle("calls")

        def __init__(self) -> None:
            super().__init__()
            clock.freeze(NOON)
            self.processes = [Database.open(url) for _ in range(2)]
            self.db = self.processes[0]
            self.ledgers = [Ledger(process, 1) for process in self.processes]
            self.org = an_organization(self.db)
            self.all = a_budget(self.db, self.org, amount=AMOUNT)
            self.each = a_budget(self.db, self.org, "each-user", amount=FOR_EACH)
            self.open: list[_Call] = []
            self.settled: list[tuple[str, int]] = []
            self.tails_most = 0
            self.beyond_floor = 0

        @contextmanager
        def admission(self, number: int = 0) -> Iterator[Admission]:
            """A transaction of a process; of the first one that which does not wait, where the
            database has it, and which goes on with what it has read."""
            ledger = self.ledgers[number]
            is_at_once = number == 0 and self.db.dialect == "sqlite"
            with (ledger.admission_at_once if is_at_once else ledger.admission)(
                self.org
            ) as admission:
                yield admission

        def teardown(self) -> None:
            # At rest: whoever is gone is charged, and nothing is held any longer.
            clock.freeze(datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(days=1))
            self.ledgers[1].sweep()
            assert open_holds_of(self.db, self.org) == 0
            for process in self.processes:
                process.close()

        @rule(
            target=calls,
            user=USERS,
            size=SIZES,
            floor=st.integers(0, 40),
            tail=st.integers(0, 3),
            process=st.integers(0, 1),
        )
        def begin(self, user: str, size: int, floor: int, tail: int, process: int) -> Any:
            floor = min(floor, size)
            has_room = self.has_room(user, size)
            with self.admission(process) as admission:
                answer = admission.admit(
                    *(a_call(self.org, user), Cost(size)),
                    owner=f"gateway-{process}",
                    lives_ms=LIVES_MS,
                    request_id="req_1",
                    floor=Cost(floor),
                    tail=Cost(tail),
                )
            assert isinstance(answer, str) == has_room
            if not isinstance(answer, str):
                return multiple()
            call = _Call(answer, user, size, floor, tail)
            self.open.append(call)
            held = [each.tail for each in self.open if each.charged is None]
            self.tails_most = max(self.tails_most, sum(held))
            return call

        @rule(call=calls, size=SIZES, process=st.integers(0, 1))
        def stream(self, call: _Call, size: int, process: int) -> None:
            if call not in self.open:
                return
            missing = 0 if call.charged is None else call.held - call.charged
            has_room = self.has_room(call.user, size + missing)
            with self.admission(process) as admission:
                is_extended = admission.extend(call.id, Cost(size), lives_ms=LIVES_MS)
            assert is_extended == has_room
            if is_extended:
                call.held, call.charged, call.seen_at = call.held + size, None, clock.now_ms()

        @rule(call=calls, part=st.floats(0, 1), process=st.integers(0, 1))
        def note(self, call: _Call, part: float, process: int) -> None:
            if call in self.open and call.charged is None:
                call.floor = round(call.held * part)
                with self.admission(process) as admission:
                    admission.note(call.id, Cost(call.floor))

        @rule(
            call=consumes(calls),
            part=st.floats(0, 1),
            process=st.integers(0, 1),
        )
        def end(self, call: _Call, part: float, process: int) -> None:
            """A call ends, settled twice as after a lost answer; not those of killed processes."""
            actual = round((call.held + call.tail) * part)
            for _ in range(2):
                with self.admission(process) as admission:
                    admission.settle({call.id: Cost(actual)})
            if call in self.open:
                if call.charged is not None:
                    self.beyond_floor += max(actual - call.charged, 0)
                self.open.remove(call)
                self.settled.append((call.user, actual))

        @rule(user=USERS, size=SIZES, process=st.integers(0, 1))
        def crash(self, user: str, size: int, process: int) -> None:
            """A process that ends within a transaction has decided nothing."""
            with pytest.raises(KeyboardInterrupt):
                self.admit_and_die(process, a_call(self.org, user), Cost(size))

        def admit_and_die(self, process: int, call: Call, cost: Cost) -> None:
            with self.admission(process) as admission:
                admission.admit(
                    *(call, cost),
                    owner=f"gateway-{process}",
                    lives_ms=LIVES_MS,
                    request_id="req_1",
                )
                raise KeyboardInterrupt

        @rule(seconds=st.integers(-30, 90), process=st.integers(0, 1))
        def time_passes(self, seconds: int, process: int) -> None:
            now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(seconds=seconds)
            clock.freeze(now)
            self.ledgers[process].sweep()
            for call in self.open:
                expires = call.seen_at + LIVES_MS
                at = clock.now_ms()
                if call.charged is None and not at < expires <= at + 2 * LIVES_MS:
                    call.charged, call.seen_at = call.floor, at

        def gone(self, user: str | None = None) -> int:
            settled = sum(cost for owner, cost in self.settled if user in (None, owner))
            return settled + sum(
                call.held if call.charged is None else call.charged
                for call in self.open
                if user in (None, call.user)
            )

        def has_room(self, user: str, size: int) -> bool:
            return self.gone() + size <= AMOUNT and self.gone(user) + size <= FOR_EACH

        @invariant()
        def what_is_spent_is_known_and_bounded(self) -> None:
            for budget, user, amount in (
                (self.all, None, AMOUNT),
                (self.each, "user_a", FOR_EACH),
                (self.each, "user_b", FOR_EACH),
            ):
                known = sum(cost for owner, cost in self.settled if user in (None, owner))
                known += sum(call.charged or 0 for call in self.open if user in (None, call.user))
                found = spent(self.db, budget, user or "")
                assert found == known
                assert found <= amount + self.tails_most + self.beyond_floor
            assert stated_overshoot(self.db, self.all) >= self.tails_most

    return Calls


def open_holds_of(db: Database, org: str) -> int:
    sql = "SELECT count(*) FROM budget_holds WHERE org_id = ? AND charged IS NULL"
    [(count,)] = db.rows(sql, org)
    return int(count)


def stated_overshoot(db: Database, budget: Budget) -> int:
    rows = db.rows("SELECT tails_most FROM budget_use WHERE budget_id = ?", budget.id)
    return max((int(text) for (text,) in rows), default=0)


def test_use_stays_within_amount_and_stated_overshoot_whatever_happens(database_url: str) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]  # Hypothesis has no types here
        machine(database_url),
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
