"""`audit`: what was changed in an organization, and by whom."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide
from stationmaster.cli.printing import output, table

_PATH = "/api/platform/v1/audit"
_PAGE_MAX = 100
_COLUMNS = (
    table.moment("time"),
    "event",
    "by",
    table.wide("source"),
    table.wide("target"),
    "details",
)


def register(app: typer.Typer) -> None:
    """Add the command `audit`."""
    app.command("audit")(list_events)


def list_events(
    connection: Connection,
    event_type: Annotated[
        str | None, typer.Option("--type", help="Only this type, such as member_removed.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """List changes of access and settings, newest first."""

    api = connection.api()
    events: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(events) < limit:
        page = api.get(
            _PATH, limit=min(limit - len(events), _PAGE_MAX), cursor=cursor, eventType=event_type
        )
        events += page["events"]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            break
    if json:
        output.as_json({"events": events})
    else:
        output.as_table(_COLUMNS, map(_row, events), wide=wide, empty="There are no such changes.")


def _row(event: dict[str, Any]) -> list[object]:
    actor, target, payload = event["actor"], event["target"], event["payload"] or {}
    return [
        event["createdAt"],
        event["eventType"],
        actor and (actor["email"] or actor["id"]),
        event["source"],
        target and target["id"],
        " ".join(f"{name}={value}" for name, value in payload.items() if value is not None),
    ]
