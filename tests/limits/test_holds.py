"""Holds: who is admitted, what is settled, and what happens where nobody settles."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.limits.budgets import Cost, Scope
from stationmaster.limits.holds import Hold
from tests.limits.cases import (
    LIVES_MS,
    Ledger,
    a_budget,
    a_call,
    ask,
    hold,
    open_holds,
    refused,
    spent,
    usd,
)
from tests.support.builders import a_member, an_organization

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def ledger(db: Database) -> Ledger:
    clock.freeze(NOON)
    return Ledger(db, 1)


def test_a_call_is_admitted_while_there_is_room_and_refused_once_there_is_none(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)

    first = hold(ledger, a_call(org), usd(3))
    refused(ledger, a_call(org), usd(2.001))
    second = hold(ledger, a_call(org), usd(2))
    ledger.settle(first, usd(1))
    ledger.settle(second, usd(2))
    hold(ledger, a_call(org), usd(2))

    assert spent(db, budget) == usd(3).picodollars


def test_every_budget_of_a_call_must_have_room_and_none_is_held_where_one_has_not(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    a_budget(db, org)
    a_budget(db, org, "agent", "claude-code", amount=usd(1).picodollars)

    answer = refused(ledger, a_call(org), usd(2))

    assert answer.budget.scope == Scope("agent", "claude-code")
    assert open_holds(db) == 0


@pytest.mark.parametrize(
    ("kind", "scope_id"),
    [
        ("organization", ""),
        ("each-user", ""),
        ("team", "compilers"),
        ("user", "ada"),
        ("key", "key_1"),
        ("repository", "https://git.example/acme/shop"),
        ("agent", "claude-code"),
        ("model", "claude-opus-*"),
    ],
)
def test_each_scope_binds_the_calls_that_fall_under_it_and_no_others(
    db: Database, ledger: Ledger, kind: str, scope_id: str
) -> None:
    org = an_organization(db)
    ada, bob = (a_member(db, org, f"{name}@example.com") for name in ("ada", "bob"))
    db.write(
        "UPDATE members SET team = ? WHERE user_id = ?",
        [("compilers", ada.user_id), ("kernels", bob.user_id)],
    )
    a_budget(db, org, kind, ada.user_id if scope_id == "ada" else scope_id, amount=1)  # type: ignore[arg-type]  # one of the kinds
    repository = "https://git.example/acme/shop"
    hers = a_call(org, ada.user_id, repository=repository)
    others = a_call(
        an_organization(db, "Other") if kind in ("organization", "each-user") else org,
        bob.user_id,
        key_id="key_2",
        agent="codex",
        model="gpt-6-sol",
        repository=f"{repository}2",
    )

    refused(ledger, hers, usd(1))
    hold(ledger, others, usd(1))


def test_a_service_account_has_budgets_of_its_own(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    a_budget(db, org, "service-account", "svc_nightly", amount=1)

    refused(ledger, a_call(org, "svc_nightly"), usd(1))
    hold(ledger, a_call(org, "svc_other"), usd(1))


def test_a_budget_of_each_user_is_counted_for_each_and_gives_way_to_an_own_one(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    default = a_budget(db, org, "each-user")
    a_budget(db, org, "user", "user_rich", amount=usd(50).picodollars)
    a_budget(db, org, "user", "user_daily", period="day", amount=usd(50).picodollars)

    for user in ("user_a", "user_b"):
        ledger.settle(hold(ledger, a_call(org, user), usd(5)), usd(5))
        assert spent(db, default, user) == usd(5).picodollars
        refused(ledger, a_call(org, user), usd(1))
    hold(ledger, a_call(org, "user_rich"), usd(50))
    refused(ledger, a_call(org, "user_daily"), usd(6))


def test_credits_and_dollars_are_held_each_in_its_own_budget(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    in_credits = a_budget(db, org, currency="credits", amount=100)
    in_dollars = a_budget(db, org)

    ledger.settle(hold(ledger, a_call(org), Cost(7, 60)), Cost(5, 50))
    refused(ledger, a_call(org), Cost(7, 60))

    assert (spent(db, in_credits), spent(db, in_dollars)) == (50, 5)


def test_a_soft_budget_refuses_nothing_and_counts_all(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org, at_end="warn")

    ledger.settle(hold(ledger, a_call(org), usd(9)), usd(9))
    hold(ledger, a_call(org), usd(9))

    assert spent(db, budget) == usd(9).picodollars


def test_named_models_stay_allowed_at_the_end(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    a_budget(db, org, at_end="allow-models", models=("claude-haiku-*",), amount=0)
    small = a_call(org, model="anthropic/claude-haiku-5-20260901")

    assert ledger.extend(hold(ledger, small, usd(1)), usd(1), lives_ms=LIVES_MS)
    answer = refused(ledger, a_call(org), usd(1))

    assert "Still allowed: claude-haiku-*." in answer.message


def test_a_call_that_costs_nothing_is_never_refused(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    a_budget(db, org, amount=0)

    hold(ledger, a_call(org, model="local-model"), Cost())


def test_a_stream_is_extended_slice_by_slice_until_there_is_no_room(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    stream = hold(ledger, a_call(org), usd(2))

    assert ledger.extend(stream, usd(3), lives_ms=LIVES_MS)
    assert not ledger.extend(stream, usd(0.001), lives_ms=LIVES_MS)
    ledger.settle(stream, usd(4))

    assert (spent(db, budget), open_holds(db)) == (usd(4).picodollars, 0)


def test_settling_twice_counts_once(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    call = hold(ledger, a_call(org), usd(2))

    ledger.settle(call, usd(1))
    ledger.settle(call, usd(1))

    assert spent(db, budget) == usd(1).picodollars


def test_a_hold_whose_owner_is_gone_is_charged_its_floor_once_it_expires(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    noted = hold(ledger, a_call(org), usd(2))
    hold(ledger, a_call(org), usd(1), floor=usd(0.5))
    hold(ledger, a_call(org), usd(1))
    ledger.note(noted, usd(0.25))

    assert ledger.sweep() == 0
    clock.freeze(NOON + timedelta(milliseconds=LIVES_MS))
    assert ledger.sweep() == 3
    assert ledger.sweep() == 0

    assert (spent(db, budget), open_holds(db)) == (usd(1.75).picodollars, 0)


def test_late_usage_corrects_what_the_expiry_charged(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    late = hold(ledger, a_call(org), usd(2), floor=usd(1))
    clock.freeze(NOON + timedelta(minutes=5))
    ledger.sweep()

    ledger.settle(late, usd(1.5))
    ledger.settle(late, usd(1.5))

    assert spent(db, budget) == usd(1.5).picodollars


def test_an_expired_hold_is_opened_again_where_there_is_room(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    slow = hold(ledger, a_call(org), usd(2), floor=usd(1))
    clock.freeze(NOON + timedelta(minutes=5))
    ledger.sweep()
    other = hold(ledger, a_call(org), usd(3))

    assert not ledger.extend(slow, usd(1), lives_ms=LIVES_MS)
    ledger.settle(other, usd(1))
    assert ledger.extend(slow, usd(1), lives_ms=LIVES_MS)
    ledger.settle(slow, usd(3))

    assert (spent(db, budget), open_holds(db)) == (usd(4).picodollars, 0)


def test_a_hold_made_by_a_clock_that_was_set_back_does_not_live_on(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    clock.freeze(NOON + timedelta(days=1))
    hold(ledger, a_call(org), usd(2))

    clock.freeze(NOON)
    ledger.sweep()

    assert (spent(db, budget), open_holds(db)) == (usd(2).picodollars, 0)


def test_what_expired_is_forgotten_after_a_day(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org)
    hold(ledger, a_call(org), usd(2))
    for hours in (1, 26):
        clock.freeze(NOON + timedelta(hours=hours))
        ledger.sweep()

    assert db.rows("SELECT count(*) FROM budget_holds") == [(0,)]
    assert spent(db, budget) == usd(2).picodollars


def test_a_new_period_begins_with_all_of_its_amount(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    a_budget(db, org, period="day")
    over = hold(ledger, a_call(org), usd(5))

    refused(ledger, a_call(org), usd(1))
    clock.freeze(NOON + timedelta(days=1))
    hold(ledger, a_call(org), usd(5))
    ledger.settle(over, usd(5))
    refused(ledger, a_call(org), usd(1))


def test_a_refusal_says_who_how_much_until_when_and_how_to_ask_for_more(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    ada = a_member(db, org)
    budget = a_budget(db, org, "user", ada.user_id)
    call = a_call(org, ada.user_id)
    ledger.settle(hold(ledger, call, usd(4.5)), usd(4.5))
    hold(ledger, call, usd(0.25))

    answer = refused(ledger, call, usd(1))

    assert answer.message == (
        "The monthly budget of ada@example.com has no room for this call: $4.50 of $5.00 used, "
        "$0.25 held by running calls. It is available again from 2026-12-01 00:00 UTC. Ask for "
        f"more: stationmaster limits ask {budget.id} --reason WHY"
    )
    assert answer.resets_at == 1_796_083_200_000


def test_of_several_full_budgets_the_one_that_lasts_longest_is_named(
    db: Database, ledger: Ledger
) -> None:
    org = an_organization(db)
    a_budget(db, org, period="day", amount=1)
    a_budget(db, org, period="month", amount=1)
    a_budget(db, org, period="week", amount=1)

    assert refused(ledger, a_call(org), usd(1)).budget.period == "month"


def test_calls_at_once_are_admitted_one_after_the_other(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    a_budget(db, org)
    answers = []

    def some() -> None:
        answers.extend(ask(ledger, a_call(org), usd(0.5)) for _ in range(5))

    threads = [threading.Thread(target=some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(isinstance(answer, Hold) for answer in answers) == 10


def test_amounts_of_more_than_64_bits_are_exact(db: Database, ledger: Ledger) -> None:
    org = an_organization(db)
    budget = a_budget(db, org, amount=10**25)
    for _ in range(3):
        ledger.settle(hold(ledger, a_call(org), Cost(2**60)), Cost(10**24 + 1))

    assert spent(db, budget) == 3 * 10**24 + 3
