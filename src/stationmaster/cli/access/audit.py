"""`audit`: what was changed in an organization, and by whom."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Limit, Wide
from stationmaster.cli.printing import output, table

_PATH = "/api/platform/v1/audit"
_COLUMNS = (
    table.moment("time"),
    "event",
    "by",
    table.wide("source"),
    table.wide("target"),
    "details",
)


def audit(
    connection: Connection,
    event_type: Annotated[
        str | None, typer.Option("--type", help="Only this type, such as member_removed.")
    ] = None,
    limit: Limit = 20,
    wide: Wide = False,
) -> output.Shown:
    """List changes of access and settings, newest first."""
    events = connection.api().rows(_PATH, "events", limit, eventType=event_type)
    yield {"events": events}
    output.as_table(_COLUMNS, map(_row, events), wide=wide, empty="No changes match.")


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
