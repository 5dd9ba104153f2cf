"""What telemetry reports of each budget beyond what the gateway has settled itself.

A day's counts are folded into sums by budget once for every writing of the day. The calls of the
gateway are events as well, so they are in these sums: of a period the larger one of both counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from stationmaster import clock
from stationmaster.aggregate.slices import Slices, records, unpack
from stationmaster.db.alone import number_of
from stationmaster.db.engine import Database
from stationmaster.db.readers import marks
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from stationmaster.limits import highest_prices
from stationmaster.limits.budgets import Budget, Scope, budgets_of, own_scope
from stationmaster.limits.model import Period
from stationmaster.model_names import matches_any
from stationmaster.pricing import current
from stationmaster.pricing.credits.card import Card
from stationmaster.settings import Settings

KEPT_DAYS = 2_000
"""Days of all organizations whose sums one process keeps."""
LATE_DAYS = 3
"""So long after their end fixed dates are counted again, for data that arrives late."""
_SO_FAR = "SELECT counted_at, body FROM day_so_far WHERE org_id = ? AND day = ?"
_USED = """
SELECT budget_id, subject, period_start, spent FROM budget_use
WHERE org_id = ? AND period_start IN ({starts})
"""
_PUT = """
INSERT INTO budget_use (org_id, budget_id, subject, period_start, spent, reported, reported_at,
                        streams_most, tails_most)
VALUES (?, ?, ?, ?, '0', ?, ?, 0, '0')
ON CONFLICT (org_id, budget_id, subject, period_start) DO UPDATE
SET reported = excluded.reported, reported_at = excluded.reported_at
"""
_LOCK = "SELECT pg_advisory_xact_lock(?)"

Sums = dict[tuple[str, str], int]
"""What is reported of budgets, by budget and subject."""
_kept: OrderedDict[tuple[object, ...], Sums] = OrderedDict()


class _Part(NamedTuple):
    """What one user did with a model in one place."""

    user_id: str
    agent: str
    repository: str
    team: str
    model: str
    credits: int
    picodollars: int


def refresh(db: Database, settings: Settings, org: OrgId) -> None:
    """Bring up to date what is reported of an organization's budgets, by what is stored of closed
    days and of the running one."""
    budgets = budgets_of(db, org)
    today = clock.today()
    periods = list(_periods(budgets, today, settings.credit_reset_day))
    if not periods:
        return
    first = min(period.start for _, period in periods)
    card = current.card(db, settings, org)
    by_day = dict(_days(db, org, card, budgets, first, today))
    with db.quick() as transaction:
        if transaction.is_postgresql:
            transaction.rows(_LOCK, number_of(f"budgets of {org}"))
        starts = sorted({period.start.isoformat() for _, period in periods})
        sql = _USED.format(starts=marks(starts))
        used = {tuple(key): int(spent) for *key, spent in transaction.rows(sql, org, *starts)}
        now = clock.now_ms()
        rows = [
            (org, *key, str(max(amount - used.get(key, 0), 0)), now)
            for key, amount in _totals(by_day, periods).items()
        ]
        transaction.many(_PUT, rows)


def _periods(
    budgets: Sequence[Budget], today: date, reset_day: int
) -> Iterator[tuple[Budget, Period]]:
    """Each budget with its period of today, and with the one before: late data may change it, and
    the pace is compared with it."""
    for budget in budgets:
        period = budget.period_on(today, reset_day)
        if period is None:
            if budget.ends_on and 0 < (today - budget.ends_on).days <= LATE_DAYS:
                assert budget.starts_on is not None
                yield budget, Period(budget.starts_on, budget.ends_on)
            continue
        yield budget, period
        before = budget.before(period, reset_day)
        if before is not None:
            yield budget, before


def _totals(
    by_day: dict[date, Sums], budget_periods: Sequence[tuple[Budget, Period]]
) -> dict[tuple[str, str, str], int]:
    """What is reported by budget, subject and first day of the period; 0 where nothing is."""
    periods: dict[str, list[Period]] = {}
    totals: dict[tuple[str, str, str], int] = {}
    for budget, period in budget_periods:
        periods.setdefault(budget.id, []).append(period)
        if budget.scope.kind != "each-user":
            totals[budget.id, "", period.start.isoformat()] = 0
    for day, sums in by_day.items():
        for (budget_id, subject), amount in sums.items():
            for period in periods.get(budget_id, ()):
                if period.start <= day <= period.end:
                    key = (budget_id, subject, period.start.isoformat())
                    totals[key] = totals.get(key, 0) + amount
    return totals


def _days(
    db: Database, org: OrgId, card: Card, budgets: Sequence[Budget], first: date, today: date
) -> Iterator[tuple[date, Sums]]:
    shape = hash(tuple((budget.id, budget.scope, budget.kind) for budget in budgets))
    writings = serving.writings(db, org, first, today - timedelta(days=1))
    lacking = [day for day, writing in writings.items() if (org, day, writing, shape) not in _kept]
    for day in lacking:
        for _, writing, body, _ in serving.written(db, org, day, day):
            _keep((org, day, writing, shape), _sums(unpack(body), card, budgets, day))
            writings[day] = writing
    for day, writing in writings.items():
        yield day, _kept.get((org, day, writing, shape), {})
    for counted_at, body in db.rows(_SO_FAR, org, today.isoformat()):
        key = (org, today, counted_at, shape)
        if key not in _kept:
            _keep(key, _sums(unpack(bytes(body)), card, budgets, today))
        yield today, _kept[key]


def _keep(key: tuple[object, ...], sums: Sums) -> None:
    _kept[key] = sums
    while len(_kept) > KEPT_DAYS:
        _kept.popitem(last=False)


def _sums(slices: Slices, card: Card, budgets: Sequence[Budget], day: date) -> Sums:
    by_scope: dict[Scope, list[Budget]] = {}
    for budget in budgets:
        by_scope.setdefault(budget.scope, []).append(budget)
    patterns = [scope for scope in by_scope if scope.kind == "model"]
    by_model: dict[str, list[Scope]] = {}
    sums: Sums = {}
    for part in _parts(slices, card, day):
        if part.model not in by_model:
            by_model[part.model] = [
                scope for scope in patterns if matches_any(part.model, [scope.id])
            ]
        own = by_scope.get(own_scope(part.user_id), [])
        fitting = [
            *((budget, "") for budget in own),
            *(
                (budget, "")
                for scope in (*_places(part), *by_model[part.model])
                for budget in by_scope.get(scope, ())
            ),
            *(
                (budget, part.user_id)
                for budget in by_scope.get(Scope("each-user"), ())
                if all(budget.kind != other.kind for other in own)
            ),
        ]
        for budget, subject in fitting:
            amount = part.credits if budget.currency == "credits" else part.picodollars
            key = (budget.id, subject)
            sums[key] = sums.get(key, 0) + amount
    return sums


def _places(part: _Part) -> tuple[Scope, ...]:
    return (
        Scope("organization"),
        Scope("team", part.team),
        Scope("repository", part.repository),
        Scope("agent", part.agent),
    )


def _parts(slices: Slices, card: Card, day: date) -> Iterator[_Part]:
    sums: dict[tuple[int, str], list[int]] = {}

    def add(number: int, model: str, credits: int, picodollars: int) -> None:
        entry = sums.setdefault((number, model or ""), [0, 0])
        entry[0] += credits
        entry[1] += picodollars

    for number, model, credits in records(
        slices["tokens"].select(["slice", "model", "billable_tokens"])
    ):
        add(number, model, credits, 0)
    if slices.has("costs"):
        for number, model, amount in records(slices["costs"].select(["slice", "model", "amount"])):
            add(number, model, 0, int(amount))
    if slices.has("without_price"):
        _add_unpriced(slices, card, day, add)
    columns = [slices.column(name) for name in ("user_id", "agent", "repository", "team")]
    for (number, model), (credits, picodollars) in sums.items():
        user, agent, repository, team = (column[number] or "" for column in columns)
        yield _Part(user, agent, repository, team, model, credits, picodollars)


def _add_unpriced(slices: Slices, card: Card, day: date, add: Any) -> None:
    """Add the calls without a price, at the highest one."""
    rates: dict[str, highest_prices.HighestPrices] = {}
    names = ["slice", "model", "input_tokens", "output_tokens"]
    cached = ["cache_read_tokens", "cache_write_tokens"]
    for number, model, input_tokens, output, read, written in records(
        slices["without_price"].select([*names, *cached])
    ):
        rate = rates.get(model)
        if rate is None:
            rate = rates[model] = highest_prices.of(card, model or "", day)
        add(number, model, 0, (input_tokens + read + written) * rate.input + output * rate.output)
