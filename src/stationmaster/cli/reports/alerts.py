"""`alerts`: what was raised, the destinations that it is sent to, and every delivery."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import asking, groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.cli.typed import choice
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

alerts = groups.group()
destinations = groups.group()

_PATH = "/api/platform/v1/alerts"
_DESTINATIONS = f"{_PATH}/destinations"
_DELIVERIES = f"{_PATH}/deliveries"
_PAGE_MAX = 100
_TEST_S, _LOOK_S = 25.0, 0.5
"""How long a test waits for its first attempt, and between two looks."""
FORMATS = ("webhook", "slack", "teams", "alertmanager", "mail")
STATES = ("waiting", "delivered", "failed")
_ALERTS = {
    "raisedAt": table.moment("raised"),
    "kind": Column("kind"),
    "title": Column("what"),
    "resolvedAt": table.moment("resolved"),
    "text": table.wide("text"),
    "alertId": table.wide("id"),
}
_PLACES = {
    "name": Column("name"),
    "format": Column("format"),
    "where": Column("where"),
    "wants": Column("kinds"),
    "state": Column("state"),
    "reason": Column("reason"),
    "destinationId": table.wide("id"),
}
_SENT = {
    "createdAt": table.moment("created"),
    "destination": Column("destination"),
    "event": Column("event"),
    "state": Column("state"),
    "attempts": Column("attempts"),
    "deliveryId": Column("id"),
    "dueAt": table.moment("next attempt", wide=True),
    "alertId": table.wide("alert"),
}

Where = Annotated[str, typer.Argument(metavar="DESTINATION", help="Its name or id.")]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="Only this kind; repeat for more. Default: all.")
]


def register(app: typer.Typer) -> None:
    """Add the group `alerts`, with its group `destinations`."""
    alerts.add_typer(
        destinations, name="destinations", help="Where alerts are sent: add, list, change, remove."
    )
    app.add_typer(alerts, name="alerts")


@alerts.command("list")
def list_alerts(
    connection: Connection,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as ci.critical.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only those not resolved.")] = False,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """List alerts, newest first."""
    api = connection.api()
    wanted = {"kind": kind, "open": "true" if open_only else None}
    pages = _pages(api, _PATH, "alerts", limit, wanted)
    output.as_list("alerts", _ALERTS, pages, json, wide=wide, empty="There are no such alerts.")


@destinations.command("add")
def add_destination(
    connection: Connection,
    name: str,
    format: Annotated[
        str, typer.Option(help="webhook (the default), slack, teams, alertmanager or mail.")
    ] = "webhook",
    address: Annotated[
        str | None, typer.Option(help="Where messages are posted: https://host/path.")
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(help="Of mail: an address, owners, managers or person; repeat for more."),
    ] = None,
    kind: Kinds = None,
    json: Json = False,
) -> None:
    """Add a destination; the secret of a webhook is shown this once."""
    choice("--format", format, FORMATS)
    body = {
        "name": name,
        "format": format,
        "url": address,
        "recipients": to or [],
        "kinds": kind or [],
    }
    made = connection.api().send("POST", _DESTINATIONS, body)
    _show_secret(made, f"{name} is added.", json)


@destinations.command("list")
def list_destinations(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """List destinations, oldest first."""
    found = connection.api().get(_DESTINATIONS)["destinations"]
    rows = found if json else [_place(each) for each in found]
    output.as_list(
        "destinations", _PLACES, rows, json, wide=wide, empty="There are no destinations."
    )


@destinations.command("change")
def change_destination(
    connection: Connection,
    destination: Where,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    kind: Kinds = None,
    all_kinds: Annotated[bool, typer.Option("--all-kinds", help="All kinds of alerts.")] = False,
    enable: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Send, or send nothing.")
    ] = None,
    json: Json = False,
) -> None:
    """Rename a destination, choose its kinds, disable or enable it."""
    api = connection.api()
    body = {"name": name, "kinds": [] if all_kinds else kind, "enabled": enable}
    changed = api.send("PATCH", _path(api, destination), body)
    _say(changed, f"{changed['name']} is {changed['state']}.", json)


@destinations.command("remove")
def remove_destination(
    connection: Connection, destination: Where, yes: Yes = False, json: Json = False
) -> None:
    """Remove a destination with its deliveries."""
    api = connection.api()
    path = _path(api, destination)
    asking.confirm(f"Remove the destination {destination} with its deliveries?", yes)
    api.send("DELETE", path)
    removed = {"destinationId": path.rpartition("/")[2], "name": destination}
    _say(removed, f"{destination} is removed.", json)


@destinations.command("rotate")
def rotate_secret(connection: Connection, destination: Where, json: Json = False) -> None:
    """Give a webhook another secret; for a day messages are signed with both."""
    api = connection.api()
    changed = api.send("POST", f"{_path(api, destination)}/rotate")
    _show_secret(changed, f"{destination} has another secret.", json)


@destinations.command("test")
def send_test(connection: Connection, destination: Where, json: Json = False) -> None:
    """Send a test to a destination, and wait for the first attempt; exit with 1 if it fails."""
    api = connection.api()
    made = api.send("POST", f"{_path(api, destination)}/test")
    until = time.monotonic() + _TEST_S
    while True:
        found = api.get(f"{_DELIVERIES}/{made['deliveryId']}")
        ended = [each for each in found["attempts"] if each["endedAt"] is not None]
        if ended or time.monotonic() > until:
            break
        time.sleep(_LOOK_S)
    if json:
        output.as_json(found)
    if not ended:
        raise BadRequest(
            "the test waits for a process that does background work: run `stationmaster up` or "
            "`stationmaster worker`",
            code="no_worker",
        )
    if found["delivery"]["state"] != "delivered":
        raise BadRequest(f"the test was not taken: {ended[-1]['error']}", code="not_delivered")
    if not json:
        output.say(f"The test arrived at {destination}.")


@alerts.command("deliveries")
def list_deliveries(
    connection: Connection,
    destination: Annotated[str | None, typer.Option(help="Only to this one.")] = None,
    state: Annotated[str | None, typer.Option(help="waiting, delivered or failed.")] = None,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """List deliveries, newest first."""
    if state is not None:
        choice("--state", state, STATES)
    api = connection.api()
    place = None if destination is None else _path(api, destination).rpartition("/")[2]
    found = _pages(api, _DELIVERIES, "deliveries", limit, {"destination": place, "state": state})
    if not json:
        names = {
            each["destinationId"]: each["name"] for each in api.get(_DESTINATIONS)["destinations"]
        }
        found = [{**each, "destination": names.get(each["destinationId"])} for each in found]
    output.as_list(
        "deliveries", _SENT, found, json, wide=wide, empty="There are no such deliveries."
    )


@alerts.command("replay")
def replay(
    connection: Connection,
    delivery: Annotated[str | None, typer.Argument(help="A delivery's id.")] = None,
    destination: Annotated[
        str | None, typer.Option(help="All of this one's, with --since.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Since a time, such as 2026-11-20T08:00Z.")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="With --since: only failed ones.")
    ] = False,
    json: Json = False,
) -> None:
    """Send one delivery again, or everything to a destination since a time, under the same ids."""
    api = connection.api()
    if delivery is not None and destination is None and since is None:
        answer = api.send("POST", f"{_DELIVERIES}/{quote(delivery, safe='')}/replay")
        _say(answer, f"{delivery} is sent again.", json)
        return
    if delivery is not None or destination is None or since is None:
        raise BadRequest("name a delivery, or --destination and --since", code="replay")
    body = {"since": _ms(since), "state": "failed" if failed else None}
    answer = api.send("POST", f"{_path(api, destination)}/replay", body)
    count = answer["count"]
    _say(answer, f"{count:,} {'delivery is' if count == 1 else 'deliveries are'} sent again.", json)


def _pages(
    api: Api, path: str, name: str, limit: int, wanted: dict[str, str | None]
) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(pages) < limit:
        page = api.get(path, limit=min(limit - len(pages), _PAGE_MAX), cursor=cursor, **wanted)
        pages += page[name]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            break
    return pages


def _ms(text: str) -> int:
    """A time as Unix milliseconds; without an offset it is UTC. Raises BadRequest."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError as fault:
        raise BadRequest(
            f"--since takes a time such as 2026-11-20T08:00Z, not '{text}'", code="bad_time"
        ) from fault
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _path(api: Api, destination: str) -> str:
    """The address of the destination with that id or name."""
    for each in api.get(_DESTINATIONS)["destinations"]:
        if destination in (each["destinationId"], each["name"]):
            return f"{_DESTINATIONS}/{each['destinationId']}"
    raise BadRequest(f"there is no destination {destination!r}", code="no_destination")


def _place(each: dict[str, Any]) -> dict[str, Any]:
    where = each["address"] or ", ".join(each["recipients"])
    return {**each, "where": where, "wants": ", ".join(each["kinds"]) or "all"}


def _show_secret(answer: dict[str, Any], text: str, json: bool) -> None:
    if json:
        output.as_json(answer)
        return
    output.say(text)
    if answer["secret"] is not None:
        output.say("Its secret, which is not shown again:")
        output.line(answer["secret"])


def _say(answer: dict[str, Any], text: str, json: bool) -> None:
    if json:
        output.as_json(answer)
    else:
        output.say(text)
