"""`limits`: caps on credits, and what is used of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Wide
from stationmaster.cli.printing import output
from stationmaster.cli.reports import limits_budgets
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

limits = groups.group()

_USERS = "/api/v0/organization/usage/limits/users"
_GLOBAL = "/api/v0/organization/usage/limits/global"
_STANDINGS = "/api/platform/v1/limits"
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
    output.say(f"{period['start']} to {period['end']}, {counted}.")
    output.say(f"The organization used {answer['totalUsed']:,} credits.")


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
    yield answer
    output.say(f"{_organization(answer['globalLimit'])}")


def _change(api: Api, who: str, credits: int | None) -> output.Shown:
    if not who.startswith("svc_") and "@" not in who:
        raise BadRequest(
            f"WHO is a member's e-mail address or a service account's id (svc_…), not '{who}'",
            code="who",
        )
    if who.startswith("svc_"):
        path = f"{_STANDINGS}/service-accounts/{quote(who, safe='')}"
        answer = api.send("PUT", path, {"limit": credits})
    else:
        outcome = api.send("PUT", _USERS, {"users": [{"email": who, "limit": credits}]})
        for refused in outcome["errors"]:
            raise BadRequest(f"{refused['email']}: {refused['error']}", code="refused")
        [answer] = outcome["updated"]
    yield answer
    output.say(f"The limit of {who} is {_told(answer['limit'])}.")


def _standings(api: Api) -> dict[str, Any]:
    """All pages as one answer, highest share first."""
    answer = api.whole(_STANDINGS, "principals", limit=100)
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
    return f"The organization's limit is {_told(limit)}."


def _told(limit: int | None) -> str:
    return "no limit" if limit is None else f"{limit:,} credits a month (about {_dollars(limit)})"


limits_budgets.add_to(limits)
