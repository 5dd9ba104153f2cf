"""The lists of `/limits` and of the pages below it, as CSV has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stationmaster.limits.budget_requests import BudgetRequest
from stationmaster.limits.effective import ApplyingBudget, Effective
from stationmaster.limits.model import Currency, PrincipalUse
from stationmaster.pricing.credits import dollars
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import Visit, listing

if TYPE_CHECKING:
    from stationmaster.access.audit import AuditRecord
    from stationmaster.web.limits import budgets
    from stationmaster.web.limits.budget_requests import RequestRow
    from stationmaster.web.limits.page import LimitChange

LIMITS = "/api/platform/v1/limits"
AUDIT = "/api/platform/v1/audit"


def uses(visit: Visit, rows: Sequence[PrincipalUse]) -> Table:
    """What everyone used of their limit."""
    columns = (
        "email|name|principal_id: Who, used: Used (count), share: Of the limit (share), "
        "effective_limit: Limit (count), forecast: Forecast (count), remaining: Remaining (count)"
    )
    call = visit.call(LIMITS, [("limit", "100")])
    return listing("limits", "Use and limits", columns, rows, call)


def all_budgets(visit: Visit, rows: Sequence[ApplyingBudget]) -> Table:
    """All budgets; amounts in credits or dollars."""
    columns = (
        "0: Budget of, 1: Used, 2: Held, 3: Amount, 4: Currency, 5: First day, 6: Last day, "
        "7: At the end, 8: Used up on, 9: Worst overshoot"
    )
    cells = [(name_of(row), *_values(row)) for row in rows]
    return listing("budgets", "Budgets", columns, cells, visit.call(f"{LIMITS}/budgets"))


def applied(visit: Visit, own: Effective, caller_id: str) -> list[Table]:
    """The budgets that apply to a principal, and how they are enforced for each agent."""
    query = [] if own.principal_id == caller_id else [("user", own.principal_id)]
    call = visit.call(f"{LIMITS}/effective", query)
    budgets_table = all_budgets(visit, own.budgets)._replace(
        name="applied", title="Budgets that apply", call=call
    )
    columns = "agent: Agent, rung: Enforcement, next: To enforce more"
    return [budgets_table, listing("agents", "How budgets are enforced", columns, own.rungs, call)]


def requests_of_all(visit: Visit, rows: Sequence[RequestRow]) -> Table:
    """Requests for more, with who asked and of which budget."""
    cells = [(row, _asked(row.asked, row.budget.currency)) for row in rows]
    columns = (
        "0.who: Who, 0.asked.created_at: Asked (UTC), 0.budget_name: Budget of, 1: Amount, "
        "0.budget.currency: Currency, 0.asked.reason: Reason, 0.asked.state: State"
    )
    call = visit.call(f"{LIMITS}/requests")
    return listing("requests", "Requests for more", columns, cells, call)


def requests_of_one(
    visit: Visit, rows: Sequence[BudgetRequest], currencies: dict[str, Currency]
) -> Table:
    """Requests for more of one person or of one budget; `currencies` by budget."""
    cells = [
        (row, _asked(row, currency), _amount(row.granted, currency))
        for row in rows
        for currency in [currencies.get(row.budget_id)]
    ]
    columns = (
        "0.created_at: Asked (UTC), 0.reason: Reason, 1: Amount, 0.state: State, 2: Granted, "
        "0.until: Until (UTC)"
    )
    call = visit.call(f"{LIMITS}/requests")
    return listing("requests", "Requests for more", columns, cells, call)


def changes(visit: Visit, rows: Sequence[LimitChange], event: str) -> Table:
    """Changes of limits in credits, the newest first."""
    cells = [
        (row, "removed" if row.credits is None else str(row.credits), _by(row.record))
        for row in rows
    ]
    call = visit.call(AUDIT, [("eventType", event)])
    columns = "0.record.created_at: When (UTC), 0.whose: Limit of, 1: Credits, 2: By"
    return listing("changes", "Latest changes", columns, cells, call)


def history(visit: Visit, rows: Sequence[budgets.BudgetChange], budget_id: str) -> Table:
    """Changes of one budget, the newest first."""
    cells = [(row, _by(row.record)) for row in rows]
    call = visit.call(AUDIT, [("target", budget_id)])
    columns = "0.record.created_at: When (UTC), 0.text: Set to, 1: By"
    return listing("changes", "Latest changes", columns, cells, call)


def name_of(row: ApplyingBudget) -> str:
    """Whose budget it is, such as `team core`."""
    return " ".join([row.budget.scope.kind.replace("-", " "), row.name]).strip()


def _values(row: ApplyingBudget) -> list[str | None]:
    budget, exhausted_on = row.budget, row.forecast.exhausted_on
    is_counted = row.is_shown and not (budget.scope.kind == "each-user" and not row.subject)
    currency = budget.currency
    return [
        _amount(row.used, currency) if is_counted else None,
        _amount(row.use.held, currency) if is_counted else None,
        _amount(row.amount, currency),
        currency,
        row.period.start.isoformat(),
        row.period.end.isoformat(),
        budget.at_end,
        exhausted_on.isoformat() if is_counted and exhausted_on else None,
        _amount(row.worst_overshoot, currency) if is_counted else None,
    ]


def _amount(number: int | None, currency: Currency | None) -> str:
    """An amount, exact and without its unit."""
    if number is None or currency is None:
        return ""
    return str(number) if currency == "credits" else dollars.text(number)


def _asked(row: BudgetRequest, currency: Currency | None) -> str:
    return "any" if row.asked is None else _amount(row.asked, currency)


def _by(record: AuditRecord) -> str:
    return "Stationmaster" if record.actor is None else record.actor.email or record.actor.id
