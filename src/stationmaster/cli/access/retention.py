"""`retention`: how long raw events are kept, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import asking, groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Yes
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest

retention = groups.group()

_PATH = "/api/platform/v1/retention"
_OPERATOR = "operator"


@retention.command("show")
def show_retention(connection: Connection) -> output.Shown:
    """Print for how many days raw events are kept."""
    yield from _print(connection.api().get(_PATH))


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
    asking.confirm(
        "The background worker erases raw events of older days permanently. Continue?",
        yes,
        or_fail=True,
    )
    yield from _print(api.send("PUT", _PATH, body))


def _number(text: str) -> int | None:
    if text == _OPERATOR:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRequest(f"{text[:20]!r} is no number of days, nor `{_OPERATOR}`.")
    return int(text)


def _print(answer: dict[str, Any]) -> output.Shown:
    yield answer
    days = answer["effectiveDays"]
    kept = "of all days" if days is None else f"of the last {days} closed days"
    whose = "the operator" if answer["days"] != days or days is None else "the organization"
    output.say(f"Raw events {kept} are kept, as {whose} has set.")
