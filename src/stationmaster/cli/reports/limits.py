"""`limits`: caps on credits, and what is used of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.cli.reports import limits_budgets
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

limits = groups.group()

_USERS = "/api/v0/organization/usage/limits/users"
_GLOBAL = "/api/v0/organization/usage/limits/global"
_STANDINGS = "/api/platform/v1/limits"
_COLUMNS = (
    "who",
    "used",
    Column("limit", is_number=True),
    Column("remaining", is_number=True),
    table.share("share"),
    table.wide("own limit"),
    table.wide("id"),
)
LIMIT_MIN = 1_000_000
"""The least that the API takes."""
_CREDITS_PER_DOLLAR = 400_000
"""A credit is a token of a model of 2.50 USD a million."""

Who = Annotated[str, typer.Argument(help="A member's e-mail, or the id of a service account.")]
Credits = Annotated[int, typer.Argument(help="Standard Credits a month, at least 1,000,000.")]


def register(app: typer.Typer) -> None:
    """Add the group `limits`, with its commands on budgets."""
    limits_budgets.add_to(limits)
    app.add_typer(limits, name="limits")


@limits.command("list")
def list_limits(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """What everyone has used of their limit this period; the nearest to it first."""
    found = _standings(connection.api())
    if json:
        output.as_json(found)
        return
    rows = [_row(each) for each in found["principals"]]
    output.as_table(_COLUMNS, rows, wide=wide, empty="There are no members.")
    period, through = found["period"], found["usedThrough"]
    counted = f"counted through {through}" if through else "nothing counted yet"
    output.say(f"{period['start']} to {period['end']}, {counted}.")
    output.say(f"The organization used {found['totalUsed']:,} credits.")


@limits.command("set")
def set_limit(connection: Connection, who: Who, credits: Credits, json: Json = False) -> None:
    """Give a member or a service account a limit of its own."""
    _check(credits)
    _change(connection.api(), who, credits, json)


@limits.command("remove")
def remove_limit(connection: Connection, who: Who, json: Json = False) -> None:
    """Take an own limit back; the organization's applies again."""
    _change(connection.api(), who, None, json)


@limits.command("global")
def global_limit(
    connection: Connection,
    credits: Annotated[
        int | None, typer.Argument(help="Credits a month, at least 1,000,000.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="No limit but own ones.")] = False,
    json: Json = False,
) -> None:
    """Set, clear or, with neither, show the limit of everyone without one of their own."""
    if clear and credits is not None:
        raise BadRequest("name a limit or --clear, not both", code="limit")
    if credits is not None:
        _check(credits)
    api = connection.api()
    if clear or credits is not None:
        answer = api.send("PUT", _GLOBAL, {"globalLimit": credits})
    else:
        answer = api.get(_GLOBAL)
    if json:
        output.as_json(answer)
    else:
        output.say(f"{_organization(answer['globalLimit'])}")


def _change(api: Api, who: str, credits: int | None, json: bool) -> None:
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
    if json:
        output.as_json(answer)
    else:
        output.say(f"The limit of {who} is {_told(answer['limit'])}.")


def _standings(api: Api) -> dict[str, Any]:
    """All pages as one answer, without the paging."""
    answer: dict[str, Any] = api.get(_STANDINGS, limit=100)
    principals = answer["principals"]
    while answer["pagination"]["hasMore"]:
        answer = api.get(_STANDINGS, limit=100, cursor=answer["pagination"]["nextCursor"])
        principals += answer["principals"]
    principals.sort(key=lambda each: (-(each["share"] or 0), -(each["used"] or 0), each["id"]))
    return {
        **{name: value for name, value in answer.items() if name != "pagination"},
        "principals": principals,
    }


def _row(principal: dict[str, Any]) -> list[object]:
    return [
        principal["email"] or principal["name"] or principal["id"],
        principal["used"],
        "none" if principal["effectiveLimit"] is None else principal["effectiveLimit"],
        principal["remaining"],
        principal["share"],
        principal["limit"],
        principal["id"],
    ]


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
