"""Asking for more of a budget, and deciding about that: each change is one transaction with its
audit record and alert."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection, insert, select, update

from stationmaster import clock, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller, is_program
from stationmaster.alerts.raising import PERSON, raise_alert
from stationmaster.db.engine import Database
from stationmaster.db.tables.limits import budget_requests
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.limits.budgets import (
    Budget,
    budget_name,
    one_budget,
    principal_name,
    subject_of,
)

State = Literal["open", "approved", "denied"]
ASKED, APPROVED, DENIED = "budget_request", "budget_request_approval", "budget_request_denial"
REASON_MAX = 500
OPEN_MAX = 20
"""Requests of one principal that wait at a time."""
UNTIL_MAX_MS = 366 * 86_400_000


class BudgetRequest(Struct, frozen=True):
    """A request for more. `asked` and `granted` are amounts in the budget's unit; what is granted
    holds until `until` (UTC ms)."""

    request_id: str
    budget_id: str
    subject: str
    principal_id: str
    reason: str
    asked: int | None
    state: State
    created_at: int
    decided_at: int | None = None
    decided_by: str | None = None
    granted: int | None = None
    until: int | None = None


def ask(
    db: Database, caller: Caller, budget: Budget, reason: str, amount: int | None
) -> BudgetRequest:
    """Ask for more of a budget of `budget_of`. Raises BadRequest, NotFound where it was removed,
    and Conflict where too many requests wait."""
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= REASON_MAX or not reason.isprintable():
        raise BadRequest(f"A reason has 1 to {REASON_MAX} characters.", code="invalid_reason")
    if amount is not None and amount <= 0:
        raise BadRequest("A requested amount is more than 0.", code="invalid_amount")
    who, whose = _names(db, budget, caller.principal_id)
    with db.transaction() as connection:
        _budget(connection, caller, budget.id)
        waiting = [
            request
            for request in _all(connection, caller.org_id)
            if request.state == "open" and request.principal_id == caller.principal_id
        ]
        if len(waiting) >= OPEN_MAX:
            raise Conflict(
                f"{OPEN_MAX} of your requests are waiting already.", code="too_many_requests"
            )
        new = BudgetRequest(
            request_id=ids.new_sortable("lreq"),
            budget_id=budget.id,
            subject=subject_of(budget, caller.principal_id),
            principal_id=caller.principal_id,
            reason=reason,
            asked=amount,
            state="open",
            created_at=clock.now_ms(),
        )
        connection.execute(insert(budget_requests).values(org_id=caller.org_id, **_row(new)))
        _record(connection, caller, ASKED, new, amount)
        raise_alert(
            *(connection, caller.org_id, "limit.request", new.request_id),
            f"{who} requests more of {whose}",
            f"Reason: {reason}. How much, and how to decide: the page /limits/requests/"
            f"{new.request_id}, or stationmaster limits approve {new.request_id}.",
            {"requestId": new.request_id, "budgetId": budget.id},
            person=_person(caller.principal_id),
        )
    return new


def approve(
    db: Database, caller: Caller, request_id: str, amount: int, until: int
) -> BudgetRequest:
    """Grant an amount beyond the budget until a time (UTC ms). Raises BadRequest, NotFound, and
    Conflict where it was decided."""
    now = clock.now_ms()
    if amount <= 0:
        raise BadRequest("The granted amount must be more than 0.", code="invalid_amount")
    if not now < until <= now + UNTIL_MAX_MS:
        raise BadRequest("A grant ends in the future, at most a year ahead.", code="invalid_until")
    return _decide(db, caller, request_id, "approved", amount, until)


def deny(db: Database, caller: Caller, request_id: str) -> BudgetRequest:
    """Raises NotFound, and Conflict where it was decided."""
    return _decide(db, caller, request_id, "denied", None, None)


def period_end(budget: Budget, reset_day: int) -> int:
    """When the budget's period of today ends (UTC ms). Raises NotFound outside of fixed dates."""
    period = budget.period_on(clock.today(), reset_day)
    if period is None:
        raise NotFound("The dates of this budget are over, or have not begun.")
    return period.reset


def requests(db: Database, caller: Caller) -> list[BudgetRequest]:
    """The requests of an organization, the newest first; to members only their own."""
    with db.reading() as connection:
        requests = _all(connection, caller.org_id)
    is_manager = caller.role in ("owner", "manager")
    return [
        request for request in requests if is_manager or request.principal_id == caller.principal_id
    ]


def one(db: Database, caller: Caller, request_id: str) -> tuple[BudgetRequest, Budget]:
    """A request and its budget. Raises NotFound."""
    with db.reading() as connection:
        request = _one(connection, caller, request_id)
        return request, _budget(connection, caller, request.budget_id)


def _decide(
    db: Database,
    caller: Caller,
    request_id: str,
    state: State,
    granted: int | None,
    until: int | None,
) -> BudgetRequest:
    request, budget = one(db, caller, request_id)
    who, whose = _names(db, budget, request.principal_id)
    with db.transaction() as connection:
        before = _one(connection, caller, request_id)
        if before.state != "open":
            raise Conflict(f"This request was {before.state} already.", code="decided")
        changed: dict[str, Any] = {
            "state": state,
            "decided_at": clock.now_ms(),
            "decided_by": caller.principal_id,
            "granted": None if granted is None else str(granted),
            "until": until,
        }
        done = connection.execute(
            update(budget_requests)
            .filter_by(org_id=caller.org_id, request_id=request_id, state="open")
            .values(**changed)
        )
        if not done.rowcount:
            raise Conflict("This request was decided already.", code="decided")
        after = _one(connection, caller, request_id)
        _record(connection, caller, APPROVED if granted else DENIED, after, granted)
        raise_alert(
            *(connection, caller.org_id, "limit.decision", request_id),
            f"{who} asked for more of {whose}: {state}",
            "To see what is left, use stationmaster limits effective or the page /limits.",
            {"requestId": request_id, "budgetId": before.budget_id, "state": state},
            person=_person(before.principal_id),
        )
    return after


def _names(db: Database, budget: Budget, principal_id: str) -> tuple[str, str]:
    """Who requests more, and of which budget, in the text of an alert. It has no amounts, because
    it is stored, and people may not be shown by name."""
    if is_program(principal_id):
        who = principal_name(db, budget.org, principal_id)
        whose = budget_name(db, budget, principal_id)
        return who[:1].upper() + who[1:], f"the budget of {whose}"
    if budget.scope.kind in ("each-user", "user", "key"):
        return PERSON, "their budget"
    return PERSON, f"the budget of {budget_name(db, budget)}"


def _person(principal_id: str) -> str | None:
    return None if is_program(principal_id) else principal_id


def _budget(connection: Connection, caller: Caller, budget_id: str) -> Budget:
    budget = one_budget(connection, caller.org_id, budget_id)
    if budget is None:
        raise NotFound("There is no such budget.")
    return budget


def _all(connection: Connection, org_id: str) -> list[BudgetRequest]:
    columns = [budget_requests.c[name] for name in BudgetRequest.__struct_fields__]
    rows = connection.execute(
        select(*columns)
        .where(budget_requests.c.org_id == org_id)
        .order_by(budget_requests.c.request_id.desc())
        .limit(1000)
    )
    return [_read(tuple(row)) for row in rows]


def _one(connection: Connection, caller: Caller, request_id: str) -> BudgetRequest:
    columns = [budget_requests.c[name] for name in BudgetRequest.__struct_fields__]
    row = connection.execute(
        select(*columns).filter_by(org_id=caller.org_id, request_id=request_id)
    ).first()
    if row is None:
        raise NotFound("There is no such request.")
    return _read(tuple(row))


def _read(row: tuple[Any, ...]) -> BudgetRequest:
    values = dict(zip(BudgetRequest.__struct_fields__, row, strict=True))
    for name in ("asked", "granted"):
        values[name] = None if values[name] is None else int(values[name])
    return BudgetRequest(**values)


def _row(request: BudgetRequest) -> dict[str, Any]:
    values = {name: getattr(request, name) for name in BudgetRequest.__struct_fields__}
    for name in ("asked", "granted"):
        values[name] = None if values[name] is None else str(values[name])
    return values


def _record(
    connection: Connection, caller: Caller, event: str, request: BudgetRequest, amount: int | None
) -> None:
    audit.note(
        *(connection, caller, event, "budget_request", request.request_id),
        budget_id=request.budget_id,
        amount=None if amount is None else str(amount),
        until=request.until,
    )
