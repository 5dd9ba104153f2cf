"""What is sent and answered about budgets."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from stationmaster.access.model import EMAIL_LENGTH_MAX
from stationmaster.api import wire
from stationmaster.limits import asking, scopes
from stationmaster.limits.budgets import (
    AtEnd,
    Currency,
    PeriodKind,
    ScopeKind,
    WhenUnreachable,
)
from stationmaster.limits.effective import Rung, State

Amount = Annotated[
    Annotated[int, Field(strict=True, ge=0), wire.WHOLE] | Annotated[str, Field(max_length=50)],
    Field(
        description="An integer of credits or of picodollars (10⁻¹² dollars), or a text of whole "
        'credits or dollars: "5" is 5000000000000 picodollars.',
        examples=["5"],
    ),
]
Models = Annotated[list[Annotated[str, Field(max_length=scopes.MODEL_MAX)]], Field(max_length=50)]
Who = Annotated[
    str | None,
    Query(max_length=EMAIL_LENGTH_MAX, description="A member's e-mail, or an id of a principal."),
]
Name = Annotated[str | None, Query(max_length=scopes.MODEL_MAX, pattern=wire.ONE_LINE)]


class BudgetScope(wire.Answer):
    kind: ScopeKind
    id: str
    name: str


class BudgetPeriod(wire.Answer):
    """First and last day (UTC), and the time in Unix milliseconds at which use starts at 0
    again."""

    kind: PeriodKind
    start: wire.DayText
    end: wire.DayText
    reset: int


class BudgetForecast(wire.Answer):
    """`exhaustedOn` is null if it is not within the period; `pace` is the use so far relative
    to the previous period at the same point, 1 for equal."""

    exhausted_on: wire.DayText | None
    basis: str | None
    pace: float | None


class AppliedBudget(wire.Answer):
    """A budget and its use. Amounts are integers of credits or of picodollars (10⁻¹² dollars);
    `amount` includes grants, `spent` includes what telemetry reports, `held` is what running
    calls may still cost. `worstOvershoot` is the most by which the gateway's
    calls of this period can exceed the amount; for a budget of a repository, of those calls
    whose repository is known. It is null if nothing limits that: the budget refuses nothing or
    not all, or no
    call of the period has passed the gateway. `overshootNote` says what it does not cover, null
    if it covers all. The use of people who are not shown by name is null.
    """

    id: str
    scope: BudgetScope
    amount: int
    amount_text: str
    currency: Currency
    period: BudgetPeriod
    spent: int | None
    held: int | None
    remaining: int | None
    share: float | None
    state: State | None
    at_end: AtEnd
    models: list[str]
    when_unreachable: WhenUnreachable
    forecast: BudgetForecast | None
    worst_overshoot: int | None
    overshoot_note: str | None
    binds: str


class BudgetList(wire.Answer):
    as_of: int
    budgets: list[AppliedBudget]


class BudgetPrincipal(wire.Answer):
    id: str
    name: str


class AgentRung(wire.Answer):
    """`tells`: alerts only; `asks`: hooks refuse; `stops`: the gateway refuses."""

    agent: str
    rung: Rung
    next: str | None


class EffectiveBudgets(wire.Answer):
    """`binding` is the id of the hard budget with the largest used share."""

    as_of: int
    principal: BudgetPrincipal
    budgets: list[AppliedBudget]
    binding: str | None
    rungs: list[AgentRung]


class BudgetTerms(wire.Question):
    amount: Amount
    at_end: AtEnd = "warn"
    models: Models = Field(default_factory=list)
    when_unreachable: WhenUnreachable = "allow"


class NewBudget(BudgetTerms):
    """`scope` is `organization`, `each-user`, or `user:EMAIL`, `team:NAME`, `service-account:NAME`,
    `key:ID`, `repository:URL`, `agent:NAME`, `model:PATTERN`."""

    scope: Annotated[str, Field(min_length=1, max_length=scopes.TEXT_MAX)]
    currency: Currency
    period: PeriodKind = "month"
    starts_on: wire.Day | None = None
    ends_on: wire.Day | None = None


class Ask(wire.Question):
    budget_id: Annotated[str, Field(pattern=wire.ID)]
    reason: Annotated[str, Field(min_length=1, max_length=asking.REASON_MAX)]
    amount: Amount | None = None


class Approval(wire.Question):
    """Without `until` (Unix milliseconds) the grant ends with the budget's period."""

    amount: Amount
    until: Annotated[int, Field(strict=True, ge=0, le=2**53), wire.WHOLE] | None = None


class RequestForMore(
    wire.Identified, record=asking.BudgetRequest, without=("request_id", "subject")
):
    pass


class RequestsForMore(wire.Answer):
    requests: list[RequestForMore]
