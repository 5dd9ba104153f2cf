"""Which budgets apply to whom, how much is left of each, and on which rung each agent stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from stationmaster import clock, days
from stationmaster.access import privacy
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, NotFound
from stationmaster.ids import OrgId
from stationmaster.limits import budget_rows, scopes
from stationmaster.limits.budgets import Budget, Call, binding, matches_any, subject_of
from stationmaster.limits.desk import Key, Standing
from stationmaster.limits.model import NEAR_SHARE, Period

Rung = Literal["tells", "asks", "stops"]
State = Literal["over", "near", "expected", "within"]
SEEN_DAYS = 30
"""An agent's rung is shown for so long after its last session."""
_USE = """
SELECT budget_id, subject, period_start, spent, reported, streams_most, tails_most FROM budget_use
WHERE org_id = ?
"""
_HELD = """
SELECT budget_id, subject, period_start, count(*), sum(amount), sum(tail) FROM budget_holds
WHERE org_id = ? AND charged IS NULL GROUP BY budget_id, subject, period_start
"""
_GRANTS = """
SELECT budget_id, subject, granted FROM budget_requests
WHERE org_id = ? AND state = 'approved' AND until > ?
"""
_AGENTS = """
SELECT agent, max(CASE WHEN sources LIKE '%gateway%' THEN 1 ELSE 0 END) FROM agent_sessions
WHERE org_id = ? AND user_id = ? AND ended_at > ? GROUP BY agent ORDER BY agent
"""
_KEYS = "SELECT key_id FROM api_keys WHERE org_id = ? AND principal_id = ?"
_MEMBER = """
SELECT user_id, email, team FROM members WHERE org_id = ? AND user_id = ? AND removed_at IS NULL
"""
_ACCOUNT = """
SELECT service_account_id, name, NULL FROM service_accounts
WHERE org_id = ? AND service_account_id = ? AND removed_at IS NULL
"""
_REASONS = {
    "organization": "it is the organization's",
    "each-user": "everyone without a budget of their own has it",
    "team": "it is the team's",
    "user": "it is the person's own",
    "service-account": "it is the service account's own",
    "key": "it is the key's",
    "repository": "it is the repository's",
    "agent": "it is the agent's",
    "model": "the model fits it",
}
_NEXT: dict[Rung, str | None] = {
    "tells": "stationmaster hooks install AGENT --gate lets the agent ask before it works",
    "asks": "stationmaster agents setup AGENT --gateway sends its calls through the gateway",
    "stops": None,
}


class Forecast(NamedTuple):
    """`exhausted_on` is the day on which all is used at the rate of `basis`, None where that is
    not within the period; `pace` is the use so far as a part of what the period before had used by
    then, None without one."""

    exhausted_on: date | None
    basis: str | None
    pace: float | None


class Applied(NamedTuple):
    """A budget with its use in the period of today. `amount` with what was granted beyond it; where
    the organization shows nobody by name, `is_shown` says that this is not the use of others."""

    budget: Budget
    subject: str
    name: str
    period: Period
    amount: int
    standing: Standing
    forecast: Forecast
    is_shown: bool = True

    @property
    def used(self) -> int:
        return self.standing.spent + self.standing.reported

    @property
    def remaining(self) -> int:
        """What is left for new calls, never below 0."""
        return max(self.amount - self.standing.gone, 0)

    @property
    def share(self) -> float:
        """The used part of the amount, above 1 beyond it; 1 of an amount of 0."""
        return round(self.used / self.amount, 4) if self.amount else 1.0

    @property
    def state(self) -> State:
        if self.used >= self.amount:
            return "over"
        if self.used >= NEAR_SHARE * self.amount:
            return "near"
        return "within" if self.forecast.exhausted_on is None else "expected"

    @property
    def worst_overshoot(self) -> int:
        """The most by which settled use of the period can exceed the amount: the largest sum, over
        the calls that were open at once, of what each could cost beyond what it held."""
        return max(self.standing.tails_most, self.standing.tails)

    @property
    def binds(self) -> str:
        return f"It applies because {_REASONS[self.budget.scope.kind]}."


class AgentRung(NamedTuple):
    """What keeps an agent of a person within its budgets, and what would lift it one higher."""

    agent: str
    rung: Rung
    next: str | None


class Effective(NamedTuple):
    """`binding` is the id of the hard budget of which the largest share is used; None without."""

    as_of: int
    principal_id: str
    name: str
    budgets: list[Applied]
    binding: str | None
    rungs: list[AgentRung]


def of(
    db: Database,
    caller: Caller,
    reset_day: int,
    principal_id: str | None = None,
    agent: str | None = None,
    model: str | None = None,
) -> Effective:
    """The budgets that apply to a principal, the caller where none is named, and only those of an
    agent and a model where these are. Raises NotFound, and Forbidden for whom the caller may not
    see."""
    principal_id = principal_id or caller.principal_id
    org, is_own = caller.org_id, principal_id == caller.principal_id
    if not is_own and caller.role not in ("owner", "manager"):
        raise Forbidden("Only owners and managers see the budgets of others.")
    sql = _ACCOUNT if principal_id.startswith("svc_") else _MEMBER
    found = db.rows(sql, org, principal_id)
    if not found:
        raise NotFound("There is no such member or service account.")
    [(_, name, team)] = found
    is_shown = is_own or principal_id.startswith("svc_") or privacy.of(db, org).is_named
    mine = _fitting(db, org, principal_id, team, agent, model)
    now = clock.now_ms()
    applied = _applied(
        db, org, [(budget, subject_of(budget, principal_id)) for budget in mine], reset_day, now
    )
    personal = ("each-user", "user", "key")
    applied = [
        each._replace(is_shown=is_shown or each.budget.scope.kind not in personal)
        for each in applied
    ]
    hard = [each for each in applied if each.budget.is_hard]
    binding_one = max(hard, key=lambda each: (each.share, each.budget.id), default=None)
    return Effective(
        now,
        principal_id,
        name,
        applied,
        None if binding_one is None else binding_one.budget.id,
        _rungs(db, org, principal_id, agent, now),
    )


def all_of(db: Database, org: OrgId, reset_day: int) -> list[Applied]:
    """Every budget of an organization with its use today; those of each user as a whole, without
    use."""
    budgets = [(budget, "") for budget in budget_rows.all_of(db, org)]
    is_named = privacy.of(db, org).is_named
    return [
        each._replace(is_shown=is_named or each.budget.scope.kind not in ("user", "key"))
        for each in _applied(db, org, budgets, reset_day, clock.now_ms(), with_others=True)
    ]


def one(db: Database, org: OrgId, reset_day: int, budget_id: str) -> Applied:
    """One budget as in `all_of`. Raises NotFound."""
    for applied in all_of(db, org, reset_day):
        if applied.budget.id == budget_id:
            return applied
    raise NotFound("There is no such budget.")


def everywhere(db: Database, org: OrgId, reset_day: int) -> list[Applied]:
    """Every budget with its use, those of each user once for everyone who used something of it."""
    budgets = budget_rows.all_of(db, org)
    standings = _standings(db, org)
    subjects = {(budget_id, subject) for budget_id, subject, _ in standings}
    places = [
        (budget, subject)
        for budget in budgets
        for subject in sorted({s for b, s in subjects if b == budget.id} | {""})
        if bool(subject) == (budget.scope.kind == "each-user")
    ]
    return _applied(db, org, places, reset_day, clock.now_ms())


def _fitting(
    db: Database,
    org: OrgId,
    principal_id: str,
    team: str | None,
    agent: str | None,
    model: str | None,
) -> list[Budget]:
    """The budgets of a principal; of agents, models and keys those that were named, else all."""
    budgets = budget_rows.all_of(db, org)
    keys = {key for (key,) in db.rows(_KEYS, org, principal_id)}
    call = Call(org, principal_id, "", agent or "", model or "")
    fitting = binding((b for b in budgets if b.scope.kind not in ("key", "model")), call, team)
    for budget in budgets:
        kind, scope_id = budget.scope
        if (
            (kind == "agent" and agent is None)
            or (kind == "key" and scope_id in keys)
            or (kind == "model" and (model is None or matches_any(model, [scope_id])))
        ) and budget not in fitting:
            fitting.append(budget)
    return fitting


def _applied(
    db: Database,
    org: OrgId,
    places: Sequence[tuple[Budget, str]],
    reset_day: int,
    now: int,
    *,
    with_others: bool = False,
) -> list[Applied]:
    today, standings, granted = days.of_ms(now), _standings(db, org), _granted(db, org, now)
    called = scopes.names(db, org)
    found = []
    for budget, subject in places:
        period = budget.period_on(today, reset_day)
        if period is None:
            if not with_others:
                continue
            assert budget.starts_on is not None
            assert budget.ends_on is not None
            period = Period(budget.starts_on, budget.ends_on)
        amount = budget.amount + granted.get((budget.id, subject), 0)
        standing = standings.get((budget.id, subject, period.start.isoformat()), Standing())
        before = budget.before(period, reset_day)
        last = None
        if before is not None:
            last = standings.get((budget.id, subject, before.start.isoformat()))
        last_used = None if last is None else last.spent + last.reported
        forecast = forecast_of(standing.spent + standing.reported, amount, period, last_used, now)
        name = called.get((budget.scope.kind, budget.scope.id), budget.scope.id)
        found.append(Applied(budget, subject, name, period, amount, standing, forecast))
    return found


def forecast_of(
    used: int, amount: int, period: Period, last_used: int | None, now: int
) -> Forecast:
    """When a budget will be used up at the average of the period so far; in its first tenth at that
    of the period before, because a few hours say little."""
    start, whole = days.start_ms(period.start), period.reset - days.start_ms(period.start)
    elapsed = min(max(now - start, 0), whole)
    pace = None
    if last_used and elapsed:
        pace = round(used * whole / (last_used * elapsed), 2)
    basis: str | None
    if elapsed * 10 >= whole:
        rate, basis = (used, elapsed), "the average of this period so far"
    elif last_used:
        rate, basis = (last_used, whole), "the average of the period before"
    else:
        return Forecast(None, None, pace)
    left = max(amount - used, 0)
    if not rate[0]:
        return Forecast(None, basis, pace)
    at = now + left * rate[1] // rate[0]
    return Forecast(days.of_ms(at) if at < period.reset else None, basis, pace)


def _standings(db: Database, org: OrgId) -> dict[Key, Standing]:
    found: dict[Key, Standing] = {}
    for budget, subject, start, spent, reported, streams, tails in db.rows(_USE, org):
        found[budget, subject, start] = Standing(
            int(spent), int(reported), 0, 0, 0, streams, int(tails)
        )
    for budget, subject, start, count, held, tails in db.rows(_HELD, org):
        key = (budget, subject, start)
        found[key] = found.get(key, Standing())._replace(
            held=int(held), streams=count, tails=int(tails)
        )
    return found


def _granted(db: Database, org: OrgId, now: int) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for budget, subject, amount in db.rows(_GRANTS, org, now):
        found[budget, subject] = found.get((budget, subject), 0) + int(amount)
    return found


def _rungs(
    db: Database, org: OrgId, principal_id: str, agent: str | None, now: int
) -> list[AgentRung]:
    since = now - SEEN_DAYS * days.MS_PER_DAY
    seen = {name: bool(is_passed) for name, is_passed in db.rows(_AGENTS, org, principal_id, since)}
    gates = _gates(db, org, principal_id, since)
    names: Iterable[str] = [agent] if agent else sorted({*seen, *gates})
    found = []
    for name in names:
        rung: Rung = "stops" if seen.get(name) else "asks" if name in gates else "tells"
        hint = _NEXT[rung]
        found.append(AgentRung(name, rung, hint and hint.replace("AGENT", name)))
    return found


def _gates(db: Database, org: OrgId, principal_id: str, since: int) -> set[str]:
    """The agents of a principal whose gates have reported themselves."""
    return {
        agent
        for (agent,) in db.rows(
            "SELECT agent FROM gate_reports WHERE org_id = ? AND principal_id = ? AND seen_at > ?",
            org,
            principal_id,
            since,
        )
    }
