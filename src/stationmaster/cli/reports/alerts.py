"""`alerts`: what was raised, the destinations that it is sent to, and every delivery."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Json, Limit, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.cli.typed import choice
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

alerts = groups.group()
destinations = groups.group()
alerts.add_typer(
    destinations, name="destinations", help="Where alerts are sent: add, list, change, remove."
)

_PATH = "/api/platform/v1/alerts"
_DESTINATIONS = f"{_PATH}/destinations"
_DELIVERIES = f"{_PATH}/deliveries"
_TEST_S, _LOOK_S = 25.0, 0.5
"""How long a test waits for its first attempt, and between two looks."""
FORMATS = ("webhook", "slack", "teams", "alertmanager", "mail")
STATES = ("waiting", "delivered", "failed")
_ALERTS = (
    "raisedAt: raised (moment), kind, title: what, resolvedAt: resolved (moment), text (wide), "
    "alertId: id (wide)"
)
_PLACES = (
    "name, format, address|recipients: where, kinds|'all': kinds, state, reason, "
    "destinationId: id (wide)"
)
_SENT = (
    "createdAt: created (moment), destination, event, state, attempts, deliveryId: id, "
    "dueAt: next attempt (moment wide), alertId: alert (wide)"
)

Where = Annotated[str, typer.Argument(metavar="DESTINATION", help="Its name or id.")]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="Only this kind; repeat for more. Default: all.")
]


@alerts.command("list")
def list_alerts(
    connection: Connection,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as ci.critical.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only those not resolved.")] = False,
    limit: Limit = 20,
    wide: Wide = False,
) -> output.Shown:
    """List alerts, newest first."""
    api = connection.api()
    is_open = "true" if open_only else None
    pages = api.rows(_PATH, "alerts", limit, kind=kind, open=is_open)
    yield from output.as_list("alerts", _ALERTS, pages, wide=wide, empty="No alerts match.")


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
) -> output.Shown:
    """Add a destination; the secret of a webhook is shown once."""
    choice("--format", format, FORMATS)
    body = {
        "name": name,
        "format": format,
        "url": address,
        "recipients": to or [],
        "kinds": kind or [],
    }
    made = connection.api().send("POST", _DESTINATIONS, body)
    yield from _show_secret(made, f"{name} is added.")


@destinations.command("list")
def list_destinations(connection: Connection, wide: Wide = False) -> output.Shown:
    """List destinations, oldest first."""
    rows = connection.api().get(_DESTINATIONS)["destinations"]
    yield from output.as_list(
        "destinations", _PLACES, rows, wide=wide, empty="There are no destinations."
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
) -> output.Shown:
    """Rename a destination, choose its kinds, disable or enable it."""
    api = connection.api()
    body = {"name": name, "kinds": [] if all_kinds else kind, "enabled": enable}
    changed = api.send("PATCH", _path(api, destination), body)
    yield from output.as_answer(changed, f"{changed['name']} is {changed['state']}.")


@destinations.command("remove")
def remove_destination(
    connection: Connection, destination: Where, yes: Yes = False
) -> output.Shown:
    """Remove a destination with its deliveries."""
    api = connection.api()
    path = _path(api, destination)
    confirm(f"Remove the destination {destination} with its deliveries?", yes)
    api.send("DELETE", path)
    removed = {"destinationId": path.rpartition("/")[2], "name": destination}
    yield from output.as_answer(removed, f"{destination} is removed.")


@destinations.command("rotate")
def rotate_secret(connection: Connection, destination: Where) -> output.Shown:
    """Replace the secret of a webhook; for a day messages are signed with both."""
    api = connection.api()
    changed = api.send("POST", f"{_path(api, destination)}/rotate")
    yield from _show_secret(changed, f"{destination} has another secret.")


@destinations.command("test")
def send_test(connection: Connection, destination: Where, json: Json = False) -> None:
    """Send a test to a destination, and wait for the first attempt; exit with 1 if it fails."""
    api = connection.api()
    made = api.send("POST", f"{_path(api, destination)}/test")
    until = time.monotonic() + _TEST_S
    while True:
        record = api.get(f"{_DELIVERIES}/{made['deliveryId']}")
        ended = [attempt for attempt in record["attempts"] if attempt["endedAt"] is not None]
        if ended or time.monotonic() > until:
            break
        time.sleep(_LOOK_S)
    if json:
        output.as_json(record)
    if not ended:
        raise BadRequest(
            "the test waits for a process that does background work: run `stationmaster up` or "
            "`stationmaster worker`",
            code="no_worker",
        )
    if record["delivery"]["state"] != "delivered":
        raise BadRequest(f"the test was not accepted: {ended[-1]['error']}", code="not_delivered")
    if not json:
        output.remark(f"The test arrived at {destination}.")


@alerts.command("deliveries")
def list_deliveries(
    connection: Connection,
    destination: Annotated[str | None, typer.Option(help="Only to this one.")] = None,
    state: Annotated[str | None, typer.Option(help="waiting, delivered or failed.")] = None,
    limit: Limit = 20,
    wide: Wide = False,
) -> output.Shown:
    """List deliveries, newest first."""
    if state is not None:
        choice("--state", state, STATES)
    api = connection.api()
    place = None if destination is None else _path(api, destination).rpartition("/")[2]
    deliveries = api.rows(_DELIVERIES, "deliveries", limit, destination=place, state=state)
    yield {"deliveries": deliveries}
    names = {row["destinationId"]: row["name"] for row in api.get(_DESTINATIONS)["destinations"]}
    rows = [{**row, "destination": names.get(row["destinationId"])} for row in deliveries]
    output.as_rows(_SENT, rows, wide=wide, empty="No deliveries match.")


@alerts.command("replay")
def replay(
    connection: Connection,
    delivery: Annotated[str | None, typer.Argument(help="A delivery's id.")] = None,
    destination: Annotated[
        str | None, typer.Option(help="All deliveries to this destination, with --since.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Since a time, such as 2026-11-20T08:00Z.")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="With --since: only failed ones.")
    ] = False,
) -> output.Shown:
    """Send one delivery again, or everything to a destination since a time, under the same ids."""
    api = connection.api()
    if delivery is not None and destination is None and since is None:
        answer = api.send("POST", f"{_DELIVERIES}/{quote(delivery, safe='')}/replay")
        yield from output.as_answer(answer, f"{delivery} is sent again.")
        return
    if delivery is not None or destination is None or since is None:
        raise BadRequest("name a delivery, or --destination and --since", code="replay")
    body = {"since": _ms(since), "state": "failed" if failed else None}
    answer = api.send("POST", f"{_path(api, destination)}/replay", body)
    count = answer["count"]
    yield from output.as_answer(
        answer, f"{count:,} {'delivery is' if count == 1 else 'deliveries are'} sent again."
    )


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
    return api.address(_DESTINATIONS, "destinations", "destinationId", destination, "destination")


def _show_secret(answer: dict[str, Any], text: str) -> output.Shown:
    yield answer
    output.remark(text)
    if answer["secret"] is not None:
        output.remark("Its secret, which is not shown again:")
        output.line(answer["secret"])
