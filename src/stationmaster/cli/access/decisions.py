"""`privacy`, `time-zone` and `retention`: what an organization decides, on a server or in the local
data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest

privacy = groups.group()

_PRIVACY = "/api/platform/v1/privacy"


@privacy.command("show")
def show_privacy(connection: Connection) -> output.Shown:
    """Print the mode."""
    yield from _print_privacy(connection.api().get(_PRIVACY))


@privacy.command("set")
def set_privacy(
    connection: Connection,
    mode: Annotated[str, typer.Argument(help="named, pseudonymous, team-only or off.")],
    minimum: Annotated[
        int | None, typer.Option(help="The minimum size of a group, 2 to 1000.")
    ] = None,
) -> output.Shown:
    """Change the mode, effective immediately; with --url it needs an owner's key."""
    body = {"mode": mode, "minimum": minimum}
    yield from _print_privacy(connection.api().send("PUT", _PRIVACY, body))


def _print_privacy(answer: dict[str, Any]) -> output.Shown:
    yield answer
    output.remark(f"People are shown: {answer['mode']}, at least {answer['minimum']} in a group.")


time_zone = groups.group()

_TIME_ZONE = "/api/platform/v1/time-zone"


@time_zone.command("show")
def show_time_zone(connection: Connection) -> output.Shown:
    """Print the time zone."""
    yield from _print_time_zone(connection.api().get(_TIME_ZONE))


@time_zone.command("set")
def set_time_zone(
    connection: Connection,
    zone: Annotated[str, typer.Argument(help="A name such as Europe/Berlin, or UTC.")],
) -> output.Shown:
    """Change the time zone, effective immediately; with --url it needs an owner's key."""
    yield from _print_time_zone(connection.api().send("PUT", _TIME_ZONE, {"timeZone": zone}))


def _print_time_zone(answer: dict[str, Any]) -> output.Shown:
    yield from output.as_answer(answer, f"Days begin at midnight of {answer['timeZone']}.")


retention = groups.group()

_RETENTION = "/api/platform/v1/retention"
_OPERATOR = "operator"


@retention.command("show")
def show_retention(connection: Connection) -> output.Shown:
    """Print for how many days raw events are kept."""
    yield from _print_retention(connection.api().get(_RETENTION))


@retention.command("set")
def set_retention(
    connection: Connection,
    days: Annotated[
        str, typer.Argument(help="A number of days, or `operator` for the operator's setting.")
    ],
    yes: Yes = False,
) -> output.Shown:
    """Change the number of days; events of older days are erased permanently, figures stay."""
    body = {"days": _number(days)}
    api = connection.api()
    confirm(
        "The background worker erases raw events of older days permanently. Continue?",
        yes,
        or_fail=True,
    )
    yield from _print_retention(api.send("PUT", _RETENTION, body))


def _number(text: str) -> int | None:
    if text == _OPERATOR:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRequest(f"{text[:20]!r} is neither a number of days nor `{_OPERATOR}`.")
    return int(text)


def _print_retention(answer: dict[str, Any]) -> output.Shown:
    yield answer
    days = answer["effectiveDays"]
    kept = "of all days" if days is None else f"of the last {days} closed days"
    whose = "the operator" if answer["days"] != days or days is None else "the organization"
    output.remark(f"Raw events {kept} are kept, as {whose} has set.")
