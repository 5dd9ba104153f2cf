"""`limits`: caps on credits and what is used of them; budgets, requests and forecasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster import days
from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Wide
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, StationmasterError

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

limits = groups.group()

_LIMITS = "/api/platform/v1/limits"
_BUDGETS = f"{_LIMITS}/budgets"
_REQUESTS = f"{_LIMITS}/requests"
_PER_DOLLAR = 10**12
_BUDGETS_SHOWN = (
    "id: budget, scope, used (number), held (number), amountText: amount (number), share (share), "
    "resets, atEnd: at the end, worst overshoot"
)
_REQUESTED = "request, budget, asked (number), reason, state, granted (number), through"
_FORECASTS = "budget, scope, used up on, basis, pace, state"

BudgetId = Annotated[str, typer.Argument(metavar="BUDGET", help="The id of a budget.")]
RequestId = Annotated[str, typer.Argument(metavar="REQUEST", help="The id of a request.")]
Amount = Annotated[str, typer.Option("--amount", help="Whole credits, or dollars like 4.50.")]

_USERS = "/api/v0/organization/usage/limits/users"
_GLOBAL = "/api/v0/organization/usage/limits/global"
_COLUMNS = (
    "email|name|id: who, used, effectiveLimit|'none': limit (number), remaining (number), "
    "share (share), limit: own limit (wide), id (wide)"
)
LIMIT_MIN = 1_000_000
"""The least that the API takes."""
_CREDITS_PER_DOLLAR = 400_000
"""A credit is a token of a model of 2.50 USD a million."""

Who = Annotated[str, typer.Argument(help="A member's e-mail, or the id of a service account.")]
Credits = Annotated[int, typer.Argument(help="Standard Credits a month, at least 1,000,000.")]


@limits.command("list")
def list_limits(connection: Connection, wide: Wide = False) -> output.Shown:
    """List what everyone has used of their limit this period, highest share first."""
    answer = _standings(connection.api())
    yield answer
    output.as_rows(_COLUMNS, answer["principals"], wide=wide, empty="There are no members.")
    period, through = answer["period"], answer["usedThrough"]
    counted = f"counted through {through}" if through else "nothing counted yet"
    output.remark(f"{period['start']} to {period['end']}, {counted}.")
    output.remark(f"The organization used {answer['totalUsed']:,} credits.")


@limits.command("set")
def set_limit(connection: Connection, who: Who, credits: Credits) -> output.Shown:
    """Set the limit of a member or a service account."""
    _check(credits)
    yield from _change(connection.api(), who, credits)


@limits.command("remove")
def remove_limit(connection: Connection, who: Who) -> output.Shown:
    """Remove an individual limit; the organization's applies again."""
    yield from _change(connection.api(), who, None)


@limits.command("global")
def global_limit(
    connection: Connection,
    credits: Annotated[
        int | None, typer.Argument(help="Credits a month, at least 1,000,000.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the default limit.")] = False,
) -> output.Shown:
    """Show, set or clear the default limit of the organization."""
    if clear and credits is not None:
        raise BadRequest("name a limit or --clear, not both", code="limit")
    if credits is not None:
        _check(credits)
    api = connection.api()
    if clear or credits is not None:
        answer = api.send("PUT", _GLOBAL, {"globalLimit": credits})
    else:
        answer = api.get(_GLOBAL)
    yield from output.as_answer(answer, f"{_organization(answer['globalLimit'])}")


def _change(api: Api, who: str, credits: int | None) -> output.Shown:
    if not who.startswith("svc_") and "@" not in who:
        raise BadRequest(
            f"WHO is a member's e-mail address or a service account's id (svc_…), not '{who}'",
            code="who",
        )
    if who.startswith("svc_"):
        path = f"{_LIMITS}/service-accounts/{quote(who, safe='')}"
        answer = api.send("PUT", path, {"limit": credits})
    else:
        outcome = api.send("PUT", _USERS, {"users": [{"email": who, "limit": credits}]})
        for refused in outcome["errors"]:
            raise BadRequest(f"{refused['email']}: {refused['error']}", code="refused")
        [answer] = outcome["updated"]
    yield from output.as_answer(answer, f"The limit of {who} is {_limit_text(answer['limit'])}.")


def _standings(api: Api) -> dict[str, Any]:
    """All pages as one answer, highest share first."""
    answer = api.whole(_LIMITS, "principals", limit=100)
    answer["principals"].sort(key=lambda p: (-(p["share"] or 0), -(p["used"] or 0), p["id"]))
    return answer


def _check(credits: int) -> None:
    if credits < LIMIT_MIN:
        raise BadRequest(
            f"A limit is at least {LIMIT_MIN:,} credits (about {_dollars(LIMIT_MIN)}) a month, "
            f"not {credits:,}.",
            code="limit",
        )


def _dollars(credits: int) -> str:
    return f"${credits / _CREDITS_PER_DOLLAR:,.2f}"


def _organization(limit: int | None) -> str:
    if limit is None:
        return "No organization-wide limit is set."
    return f"The organization's limit is {_limit_text(limit)}."


def _limit_text(limit: int | None) -> str:
    return "no limit" if limit is None else f"{limit:,} credits a month (about {_dollars(limit)})"


budgets = groups.group()
limits.add_typer(budgets, name="budgets", help="List, set and remove budgets.")


@budgets.command("list")
def list_budgets(connection: Connection) -> output.Shown:
    """List budgets with what is used and held."""
    answer = connection.api().get(_BUDGETS)
    yield answer
    _show(answer)


@budgets.command("set")
def set_budget(
    connection: Connection,
    scope: Annotated[
        str,
        typer.Option(
            help="organization, each-user, user:EMAIL, team:NAME, service-account:NAME, key:ID, "
            "repository:URL, agent:NAME or model:PATTERN."
        ),
    ],
    amount: Amount,
    currency: Annotated[str, typer.Option(help="credits or usd.")] = "credits",
    period: Annotated[str, typer.Option(help="day, week, month or dates.")] = "month",
    starts_on: Annotated[
        str | None, typer.Option("--from", help="The first of fixed dates, YYYY-MM-DD.")
    ] = None,
    ends_on: Annotated[str | None, typer.Option("--to", help="The last of fixed dates.")] = None,
    at_end: Annotated[str, typer.Option(help="refuse, allow-models or warn.")] = "warn",
    model: Annotated[
        list[str] | None, typer.Option(help="A model that allow-models permits; repeatable.")
    ] = None,
    when_unreachable: Annotated[
        str, typer.Option(help="What hooks do if they cannot reach the server: allow or refuse.")
    ] = "allow",
) -> output.Shown:
    """Create a budget, or change the one of the same scope, currency and period."""
    body = {
        "scope": scope,
        "amount": amount,
        "currency": currency,
        "period": period,
        "startsOn": starts_on,
        "endsOn": ends_on,
        "atEnd": at_end,
        "models": model or [],
        "whenUnreachable": when_unreachable,
    }
    answer = connection.api().send("PUT", _BUDGETS, body)
    yield answer
    output.remark(
        f"{answer['id']}: {_scope(answer)}, {answer['amountText']} a {_period(answer)}, "
        f"at the end: {answer['atEnd']}."
    )


@budgets.command("remove")
def remove_budget(connection: Connection, budget: BudgetId) -> None:
    """Remove a budget with its use and its requests."""
    connection.api().send("DELETE", f"{_BUDGETS}/{quote(budget, safe='')}")
    output.remark(f"{budget} is removed.")


@limits.command("effective")
def effective(
    connection: Connection,
    user: Annotated[
        str | None, typer.Option(help="Another person's e-mail or id, for owners and managers.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only with this agent.")] = None,
    model: Annotated[str | None, typer.Option(help="Only with this model.")] = None,
) -> output.Shown:
    """Show which budgets apply to you, what is left, and how each agent is kept within them."""
    api = connection.api()
    answer = api.get(f"{_LIMITS}/effective", user=user, agent=agent, model=model)
    yield answer
    _show(answer)
    for rung in answer["rungs"]:
        hint = f"; {rung['next']}" if rung["next"] else ""
        output.remark(f"{rung['agent']}: {rung['rung']}{hint}.")
    for budget in answer["budgets"]:
        if budget["id"] == answer["binding"]:
            output.remark(f"{budget['id']} binds first. {budget['binds']}")


@limits.command("ask")
def ask(
    connection: Connection,
    budget: BudgetId,
    reason: Annotated[str, typer.Option(help="Why more is needed.")],
    amount: Annotated[str | None, typer.Option(help="How much more.")] = None,
) -> output.Shown:
    """Ask owners and managers for more of a budget."""
    body = {"budgetId": budget, "reason": reason, "amount": amount}
    answer = connection.api().send("POST", _REQUESTS, body)
    yield from output.as_answer(answer, f"{answer['id']}: requested; owners and managers decide.")


@limits.command("requests")
def requests(connection: Connection) -> output.Shown:
    """List requests for more and their decisions: all of them for owners and managers, else
    your own."""
    api = connection.api()
    answer = api.get(_REQUESTS)
    yield answer
    budgets = {budget["id"]: budget for budget in _visible(api)["budgets"]}
    rows = []
    for request in answer["requests"]:
        budget = budgets.get(request["budgetId"])
        asked, granted = (
            _amount({**request, "currency": budget["currency"]}, name) if budget else None
            for name in ("asked", "granted")
        )
        through = _day(request["until"] - 1) if request["until"] else None
        scope = _scope(budget) if budget else request["budgetId"]
        rows.append(
            [request["id"], scope, asked, request["reason"], request["state"], granted, through]
        )
    output.as_table(_REQUESTED, rows, empty="There are no requests for more.")


@limits.command("approve")
def approve(
    connection: Connection,
    request: RequestId,
    amount: Amount,
    until: Annotated[
        str | None, typer.Option(help="The last day, YYYY-MM-DD; by default the period's.")
    ] = None,
) -> output.Shown:
    """Grant an amount beyond a budget until a day."""
    body: dict[str, Any] = {"amount": amount}
    if until is not None:
        body["until"] = _end_of(until)
    path = f"{_REQUESTS}/{quote(request, safe='')}/approve"
    yield from _decided(connection.api().send("POST", path, body))


@limits.command("deny")
def deny(connection: Connection, request: RequestId) -> output.Shown:
    """Deny a request for more."""
    path = f"{_REQUESTS}/{quote(request, safe='')}/deny"
    yield from _decided(connection.api().send("POST", path))


@limits.command("forecast")
def forecast(connection: Connection) -> output.Shown:
    """Show when budgets will be used up, and their pace: all for owners and managers, else
    yours."""
    answer = _visible(connection.api())
    yield answer
    rows = []
    for budget in answer["budgets"]:
        expected = budget["forecast"] or {"exhaustedOn": None, "basis": None, "pace": None}
        day, basis, pace = (expected[name] for name in ("exhaustedOn", "basis", "pace"))
        end = "not in this period" if basis and not day else day or "not enough data"
        if budget["state"] == "over":
            end = "used up"
        rows.append([budget["id"], _scope(budget), end, basis, pace, budget["state"]])
    output.as_table(_FORECASTS, rows, empty="No budget applies.")


def _visible(api: Api) -> Any:
    """All budgets for owners and managers, else those that apply to the caller."""
    try:
        return api.get(_BUDGETS)
    except StationmasterError as fault:
        if fault.code not in ("insufficient_role", "insufficient_scope"):
            raise
        return api.get(f"{_LIMITS}/effective")


def _show(answer: dict[str, Any]) -> None:
    rows = [
        {
            **budget,
            "scope": _scope(budget),
            "used": _amount(budget, "spent"),
            "held": _amount(budget, "held"),
            "resets": _day(budget["period"]["reset"]),
            "worst overshoot": _overshoot(budget),
        }
        for budget in answer["budgets"]
    ]
    output.as_rows(_BUDGETS_SHOWN, rows, empty="There are no budgets.")


def _decided(answer: dict[str, Any]) -> output.Shown:
    yield answer
    # A grant ends at a time; people name its last day.
    until = f" through {_day(answer['until'] - 1)} (UTC)" if answer["until"] else ""
    output.remark(f"{answer['id']}: {answer['state']}{until}.")


def _scope(budget: dict[str, Any]) -> str:
    scope = budget["scope"]
    return f"{scope['kind']}:{scope['name']}" if scope["name"] else scope["kind"]


def _period(budget: dict[str, Any]) -> str:
    period = budget["period"]
    if period["kind"] == "dates":
        return f"period from {period['start']} to {period['end']}"
    return str(period["kind"])


def _overshoot(budget: dict[str, Any]) -> str | None:
    amount = _amount(budget, "worstOvershoot")
    return "not limited" if amount is None and budget["overshootNote"] else amount


def _amount(budget: dict[str, Any], name: str) -> str | None:
    amount = budget[name]
    if amount is None:
        return None
    if budget["currency"] == "credits":
        return f"{amount:,}"
    return f"${amount / _PER_DOLLAR:,.4f}"


def _day(ms: int) -> str:
    return days.of_ms(ms).isoformat()


def _end_of(text: str) -> int:
    """The end of a UTC day, in milliseconds."""
    try:
        return days.start_ms(days.parse(text)) + days.MS_PER_DAY
    except ValueError as fault:
        raise BadRequest(f"--until takes a day like 2026-12-31, not '{text}'") from fault
