"""Which budgets apply to whom, how much is left of each, and how each agent is kept within them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from stationmaster import clock, days
from stationmaster.access import privacy
from stationmaster.access.model import Caller, is_program
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, NotFound
from stationmaster.ids import OrgId, user_of
from stationmaster.limits import budget_use
from stationmaster.limits.budgets import (
    Budget,
    Call,
    binding,
    budgets_of,
    budgets_of_principal,
    one_budget,
    own_scope,
    scope_names,
    subject_of,
)
from stationmaster.limits.model import NEAR_SHARE, Forecast, Period, amount_text, forecast_of

Enforcement = Literal["tells", "asks", "stops"]
"""What happens at the end of a budget, in the words of the API: people are told by alerts, the hook
of the agent asks and refuses, the gateway stops calls. Each does what those before it do, too."""
State = Literal["over", "near", "expected", "within"]
SEEN_DAYS = 30
"""How an agent is kept within budgets is shown for so long after its last session."""
GATE_MS = days.MS_PER_DAY
"""Gates report themselves while they are in use; one that is silent for so long before the end of
the last session was erased."""
_AGENTS = """
SELECT agent, max(ended_at), max(CASE WHEN sources LIKE '%gateway%' THEN ended_at ELSE 0 END)
FROM agent_sessions WHERE org_id = ? AND user_id = ? AND ended_at > ? GROUP BY agent ORDER BY agent
"""
_GATES = """
SELECT agent, seen_at, coalesce(passed_at, 0) FROM gate_reports
WHERE org_id = ? AND principal_id = ? AND (seen_at > ? OR passed_at > ?)
"""
_KEYS = "SELECT key_id, name FROM api_keys WHERE org_id = ? AND principal_id = ?"
_MEMBER = """
SELECT user_id, email, team FROM members WHERE org_id = ? AND user_id = ? AND removed_at IS NULL
"""
_ACCOUNT = """
SELECT service_account_id, name, NULL FROM service_accounts
WHERE org_id = ? AND service_account_id = ? AND removed_at IS NULL
"""
_PERSONAL = ("each-user", "user", "key")
_REASONS = {
    "organization": "it is the organization's",
    "each-user": "it applies to everyone without an individual budget",
    "team": "it is the team's",
    "user": "it is the person's own",
    "service-account": "it is the service account's own",
    "key": "it is the key's",
    "repository": "it is the repository's",
    "agent": "it is the agent's",
    "model": "the model fits it",
}
_NEXT: dict[Enforcement, str | None] = {
    "tells": "stationmaster hooks install AGENT --gate lets the agent ask before it works",
    "asks": "stationmaster agents setup AGENT --gateway sends its calls through the gateway",
    "stops": None,
}


class _Principal(NamedTuple):
    """A person or a service account; `keys` are the names of the API keys by id."""

    id: str
    name: str
    team: str | None
    keys: dict[str, str]


class _Timed(NamedTuple):
    """A budget with its period of today, and the one before where there is one."""

    budget: Budget
    period: Period
    before: Period | None

    def keys(self, subject: str) -> tuple[budget_use.Key, budget_use.Key | None]:
        before = self.before and (self.budget.id, subject, self.before.start.isoformat())
        return (self.budget.id, subject, self.period.start.isoformat()), before


class ApplyingBudget(NamedTuple):
    """A budget with its use in the period of today. `amount` with what was granted beyond it; where
    the organization shows no person by name, `is_shown`: this is not the use of others."""

    budget: Budget
    subject: str
    name: str
    period: Period
    amount: int
    use: budget_use.BudgetUse
    forecast: Forecast
    is_shown: bool = True

    @property
    def used(self) -> int:
        """What was settled and what was reported beyond that, without what open calls hold."""
        return self.use.spent + self.use.reported

    @property
    def remaining(self) -> int:
        """What is left for new calls, never below 0."""
        return max(self.amount - self.use.taken, 0)

    @property
    def share(self) -> float:
        """The used part of the amount, above 1 beyond it; 1 of an amount of 0."""
        return round(self.used / self.amount, 4) if self.amount else 1.0

    @property
    def state(self) -> State:
        """`over` when all is used, `near` from NEAR_SHARE of the amount on.

        Else `expected` where the forecast has a day on which all is used, and `within` where not.
        """
        if self.used >= self.amount:
            return "over"
        if self.used >= NEAR_SHARE * self.amount:
            return "near"
        return "within" if self.forecast.exhausted_on is None else "expected"

    @property
    def worst_overshoot(self) -> int | None:
        """The most by which settled use of the period can exceed the amount: the largest sum, over
        the calls that were open at the same time, of what each could cost beyond what it held. None
        where nothing limits it; `overshoot_note` gives the reason."""
        if self.budget.at_end != "refuse" or not self._has_passed:
            return None
        return max(self.use.tails_most, self.use.tails)

    @property
    def overshoot_note(self) -> str | None:
        """What the worst overshoot does not cover; None where it covers all that was used."""
        if self.budget.at_end == "warn":
            return "The budget refuses nothing, so nothing limits by how much it is exceeded."
        if self.budget.at_end == "allow-models":
            return (
                "The models that it names may be called at its end, and nothing limits those calls."
            )
        if not self._has_passed:
            return "No call of this period has passed the gateway: nothing limits the others."
        if self.use.reported:
            text = amount_text(self.use.reported, self.budget.currency)
            return f"Of the use, {text} did not pass a gateway, and nothing limits that."
        return None

    @property
    def _has_passed(self) -> bool:
        return max(self.use.streams_most, self.use.streams) > 0

    @property
    def binds(self) -> str:
        """A sentence with the reason why the budget applies."""
        return f"It applies because {_REASONS[self.budget.scope.kind]}."


class AgentEnforcement(NamedTuple):
    """How an agent of a person is kept within its budgets, and what would enforce more."""

    agent: str
    rung: Enforcement
    next: str | None


class Effective(NamedTuple):
    """`binding` is the id of the hard budget of which the largest share is used; None without."""

    as_of: int
    principal_id: str
    name: str
    budgets: list[ApplyingBudget]
    binding: str | None
    rungs: list[AgentEnforcement]


def of(
    db: Database,
    caller: Caller,
    reset_day: int,
    principal: str | None = None,
    agent: str | None = None,
    model: str | None = None,
) -> Effective:
    """The budgets that apply to a principal, who is named by an id or an address, the caller where
    none is, and only those of an agent and a model where these are. Raises NotFound, and Forbidden
    for whom the caller may not see."""
    org = caller.org_id
    principal_id = user_of(org, principal) if principal else caller.principal_id
    is_own = principal_id == caller.principal_id
    if not is_own and caller.role not in ("owner", "manager"):
        raise Forbidden("Only owners and managers see the budgets of others.")
    who = _principal(db, org, principal_id)
    now = clock.now_ms()
    mine = _fitting(db, org, who, now, agent, model)
    with_subjects = [
        (timed, subject_of(timed.budget, principal_id)) for timed in _timed(mine, reset_day, now)
    ]
    names: dict[tuple[str, str], str] = {own_scope(principal_id): who.name}
    names |= {("key", key): name for key, name in who.keys.items()}
    is_shown = is_own or is_program(principal_id) or privacy.of(db, org).is_named
    applied = [
        entry._replace(is_shown=is_shown or entry.budget.scope.kind not in _PERSONAL)
        for entry in _applied(db, org, with_subjects, _of_few(db, org, with_subjects), names, now)
    ]
    hard = [entry for entry in applied if entry.budget.is_hard]
    binding_one = max(hard, key=lambda entry: (entry.share, entry.budget.id), default=None)
    return Effective(
        now,
        principal_id,
        who.name,
        applied,
        None if binding_one is None else binding_one.budget.id,
        _enforcements(db, org, principal_id, agent, now),
    )


def _may_apply(db: Database, org: OrgId, principal_id: str, budget: Budget) -> bool:
    """Can a call of a principal fall under a budget? One of a repository can be anybody's."""
    if budget.scope.kind == "repository":
        return True
    who = _principal(db, org, principal_id)
    return budget in _fitting(db, org, who, clock.now_ms(), None, None)


def all_of(db: Database, org: OrgId, reset_day: int) -> list[ApplyingBudget]:
    """Every budget of an organization with its use today; those of each user as a whole, without
    use."""
    return _listed(db, org, reset_day, budgets_of(db, org))


def one(db: Database, org: OrgId, reset_day: int, budget_id: str) -> ApplyingBudget:
    """One budget as in `all_of`. Raises NotFound."""
    with db.reading() as connection:
        budget = one_budget(connection, org, budget_id)
    if budget is None:
        raise NotFound("There is no such budget.")
    [applied] = _listed(db, org, reset_day, [budget])
    return applied


def everywhere(db: Database, org: OrgId, reset_day: int) -> list[ApplyingBudget]:
    """Every budget with its use, those of each user once for everyone who used something of it."""
    now = clock.now_ms()
    timed = _timed(budgets_of(db, org), reset_day, now)
    starts = {key[2] for timed_budget in timed for key in timed_budget.keys("") if key}
    uses = budget_use.of_all(db, org, starts)
    subjects: dict[str, set[str]] = {}
    for budget_id, subject, _ in uses:
        subjects.setdefault(budget_id, set()).add(subject)
    with_subjects = [
        (timed_budget, subject)
        for timed_budget in timed
        for subject in sorted(subjects.get(timed_budget.budget.id, set()) | {""})
        if bool(subject) == (timed_budget.budget.scope.kind == "each-user")
    ]
    return _applied(db, org, with_subjects, uses, scope_names(db, org), now)


def _listed(
    db: Database, org: OrgId, reset_day: int, budgets: Sequence[Budget]
) -> list[ApplyingBudget]:
    """Budgets as owners and managers list them, also those whose dates are over or in the
    future."""
    now, is_named = clock.now_ms(), privacy.of(db, org).is_named
    with_subjects = [(timed, "") for timed in _timed(budgets, reset_day, now, with_others=True)]
    names = scope_names(db, org)
    return [
        entry._replace(is_shown=is_named or entry.budget.scope.kind not in ("user", "key"))
        for entry in _applied(db, org, with_subjects, _of_few(db, org, with_subjects), names, now)
    ]


def _principal(db: Database, org: OrgId, principal_id: str) -> _Principal:
    """Raises NotFound."""
    sql = _ACCOUNT if is_program(principal_id) else _MEMBER
    rows = db.rows(sql, org, principal_id)
    if not rows:
        raise NotFound("There is no such member or service account.")
    [(_, name, team)] = rows
    return _Principal(principal_id, name, team, dict(db.rows(_KEYS, org, principal_id)))


def _fitting(
    db: Database, org: OrgId, who: _Principal, now: int, agent: str | None, model: str | None
) -> list[Budget]:
    """The budgets of a principal; of agents and models those that were named, else all; of
    repositories those in which the principal has worked lately."""
    since = now - SEEN_DAYS * days.MS_PER_DAY
    candidates = budgets_of_principal(db, org, who.id, who.team, since)
    call = Call(org, who.id, "", agent or "", model or "")
    fitting = {budget.id for budget in binding(candidates, call, who.team)}
    unnamed = {
        *("key", "repository"),
        *(("agent",) if agent is None else ()),
        *(("model",) if model is None else ()),
    }
    return [b for b in candidates if b.id in fitting or b.scope.kind in unnamed]


def _timed(
    budgets: Iterable[Budget], reset_day: int, now: int, *, with_others: bool = False
) -> list[_Timed]:
    """Budgets with their periods; those whose dates are over or in the future only
    `with_others`."""
    today, timed = days.of_ms(now), []
    for budget in budgets:
        period = budget.period_on(today, reset_day)
        if period is None and with_others and budget.starts_on and budget.ends_on:
            period = Period(budget.starts_on, budget.ends_on)
        if period is not None:
            timed.append(_Timed(budget, period, budget.before(period, reset_day)))
    return timed


def _of_few(
    db: Database, org: OrgId, with_subjects: Sequence[tuple[_Timed, str]]
) -> dict[budget_use.Key, budget_use.BudgetUse]:
    """The use of budgets, of one subject other than "" at most."""
    return budget_use.of_some(
        db, org, {key for timed, of in with_subjects for key in timed.keys(of) if key}
    )


def _applied(
    db: Database,
    org: OrgId,
    with_subjects: Sequence[tuple[_Timed, str]],
    uses: Mapping[budget_use.Key, budget_use.BudgetUse],
    names: Mapping[tuple[str, str], str],
    now: int,
) -> list[ApplyingBudget]:
    granted, rows = budget_use.grants(db, org, now), []
    for timed, subject in with_subjects:
        budget, period, _ = timed
        key, before = timed.keys(subject)
        amount = budget.amount + granted.get((budget.id, subject), 0)
        use = uses.get(key, budget_use.BudgetUse())
        last = None if before is None else uses.get(before)
        last_used = None if last is None else last.spent + last.reported
        forecast = forecast_of(use.spent + use.reported, amount, period, last_used, now)
        name = names.get((budget.scope.kind, budget.scope.id), budget.scope.id)
        rows.append(ApplyingBudget(budget, subject, name, period, amount, use, forecast))
    return rows


def _enforcements(
    db: Database, org: OrgId, principal_id: str, agent: str | None, now: int
) -> list[AgentEnforcement]:
    since = now - SEEN_DAYS * days.MS_PER_DAY
    agents = {name: times for name, *times in db.rows(_AGENTS, org, principal_id, since)}
    gates = {name: times for name, *times in db.rows(_GATES, org, principal_id, since, since)}
    names: Iterable[str] = [agent] if agent else sorted({*agents, *gates})
    rungs = []
    for name in names:
        ended_at, passed_at = agents.get(name, (0, 0))
        asked_at, loose_at = gates.get(name, (0, 0))
        rung: Enforcement = "tells"
        if loose_at > ended_at or (passed_at and passed_at == ended_at):
            rung = "stops"
        elif asked_at and asked_at >= ended_at - GATE_MS:
            rung = "asks"
        hint = _NEXT[rung]
        rungs.append(AgentEnforcement(name, rung, hint and hint.replace("AGENT", name)))
    return rungs


def budget_of(db: Database, caller: Caller, budget_id: str) -> Budget:
    """A budget that the caller may ask for more of: one that the caller's calls can fall under.

    Raises NotFound for all others, whether they exist or not.
    """
    with db.reading() as connection:
        budget = one_budget(connection, caller.org_id, budget_id)
    if budget is None or not _may_apply(db, caller.org_id, caller.principal_id, budget):
        raise NotFound("There is no such budget that applies to you.")
    return budget
