"""Setting, changing and removing budgets; each is one transaction with its audit record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from stationmaster.access import audit, store as access
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import budgets
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.limits import scopes
from stationmaster.limits.budgets import (
    AtEnd,
    Budget,
    PeriodKind,
    Scope,
    WhenUnreachable,
    delete_budget,
    one_budget,
    put_budget,
    row_of,
)
from stationmaster.limits.model import (
    LIMIT_MAX,
    LIMIT_MIN,
    USD_LEAST,
    USD_MOST,
    Currency,
    bound_text,
)

CHANGED = "budget_change"
REMOVED = "budget_removal"
BUDGETS_MAX = 20_000
MODELS_MAX = 50
DAYS_MAX = 3_660
PUBLISHED: tuple[str, ...] = ("each-user", "user", "service-account")
"""Scopes whose monthly credits are the published limits, with their bounds."""


class BudgetForm(NamedTuple):
    """A budget as it is asked for; `scope` is text, `amount` in the smallest unit."""

    scope: str
    amount: int
    currency: Currency
    period: PeriodKind
    starts_on: date | None = None
    ends_on: date | None = None
    at_end: AtEnd = "warn"
    models: Sequence[str] = ()
    when_unreachable: WhenUnreachable = "allow"


def set_budget(db: Database, caller: Caller, form: BudgetForm) -> Budget:
    """Create a budget, or change the one of the same scope, currency and period.

    Raises BadRequest and NotFound.
    """
    org = caller.org_id
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        scope = scopes.read(connection, org, form.scope)
        budget = Budget.new(org, **_checked(scope, form))
        before = _same(connection, budget)
        present = select(budgets.c.budget_id).filter_by(org_id=org)
        if before is None and len(connection.execute(present).all()) >= BUDGETS_MAX:
            raise Conflict(f"An organization has at most {BUDGETS_MAX:,} budgets.")
        if before is not None:
            budget = msgspec.structs.replace(budget, id=before.id)
        if budget != before:
            put_budget(connection, budget)
            _record(connection, caller, CHANGED, budget)
    return budget


def change_budget(db: Database, caller: Caller, budget_id: str, **changed: Any) -> Budget:
    """Change amount, at_end, models or when_unreachable of a budget. Raises NotFound."""
    with db.transaction() as connection:
        access.lock_organization(connection, caller.org_id)
        before = one_budget(connection, caller.org_id, budget_id)
        if before is None:
            raise _missing()
        now = msgspec.structs.replace(before, **changed)
        form = BudgetForm("", *(getattr(now, name) for name in BudgetForm._fields[1:]))
        budget = Budget(before.id, before.org, **_checked(now.scope, form))
        if budget != before:
            put_budget(connection, budget)
            _record(connection, caller, CHANGED, budget)
    return budget


def remove_budget(db: Database, caller: Caller, budget_id: str) -> None:
    """Raises NotFound."""
    with db.transaction() as connection:
        access.lock_organization(connection, caller.org_id)
        before = one_budget(connection, caller.org_id, budget_id)
        if before is None:
            raise _missing()
        delete_budget(connection, caller.org_id, budget_id)
        _record(connection, caller, REMOVED, before)


def _checked(scope: Scope, form: BudgetForm) -> dict[str, Any]:
    """The members of a budget that is asked for. Raises BadRequest."""
    _check_amount(scope, form)
    if form.period == "dates":
        _check_dates(form.starts_on, form.ends_on)
    elif form.starts_on is not None or form.ends_on is not None:
        raise BadRequest(
            "Only the period `dates` has a first and a last day.", code="invalid_period"
        )
    models = tuple(dict.fromkeys(scopes.model(name) for name in form.models))
    if (form.at_end == "allow-models") != bool(models) or len(models) > MODELS_MAX:
        raise BadRequest(
            f"`allow-models` names 1 to {MODELS_MAX} models that stay allowed; no other way to end "
            "names any.",
            code="invalid_models",
        )
    return form._asdict() | {"scope": scope, "models": models}


def _check_amount(scope: Scope, form: BudgetForm) -> None:
    amount = form.amount
    if form.currency == "usd":
        if amount and not USD_LEAST <= amount <= USD_MOST:
            raise BadRequest(
                "A budget in dollars is 0, or from $0.01 to $1,000,000,000,000. As an integer it "
                'is in picodollars: 5 dollars are 5000000000000, or the text "5".',
                code="invalid_amount",
            )
        if amount >= 0:
            return
    is_published = form.period == "month" and scope.kind in PUBLISHED
    least = LIMIT_MIN if is_published else 0
    if not least <= amount <= LIMIT_MAX:
        raise BadRequest(bound_text(least), code="invalid_amount")


def _check_dates(first: date | None, last: date | None) -> None:
    if first is None or last is None or not 0 <= (last - first).days < DAYS_MAX:
        raise BadRequest(
            "The period `dates` needs its first and its last day, at most ten years apart.",
            code="invalid_period",
        )


def _same(connection: Connection, budget: Budget) -> Budget | None:
    """The stored budget of the same scope, currency and period."""
    row = row_of(budget)
    names = ("scope_kind", "scope_id", "currency", "period", "starts_on", "ends_on")
    budget_id = connection.execute(
        select(budgets.c.budget_id).where(
            budgets.c.org_id == budget.org, *(budgets.c[name] == row[name] for name in names)
        )
    ).scalar()
    return None if budget_id is None else one_budget(connection, budget.org, budget_id)


def _record(connection: Connection, caller: Caller, event: str, budget: Budget) -> None:
    audit.note(
        *(connection, caller, event, "budget", budget.id),
        scope=budget.scope.kind,
        scope_id=budget.scope.id,
        amount=str(budget.amount),
        currency=budget.currency,
        period=budget.period,
        at_end=budget.at_end,
    )


def _missing() -> NotFound:
    return NotFound("There is no such budget.")
