"""`audit`: what was changed in an organization, and by whom."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli.options import Connection, Limit, Wide
from stationmaster.cli.printing import output

_PATH = "/api/platform/v1/audit"
_COLUMNS = (
    "createdAt: time (moment), eventType: event, actor.email|actor.id: by, source (wide), "
    "target.id: target (wide), details"
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
    rows = [{**event, "details": _details(event["payload"] or {})} for event in events]
    output.as_rows(_COLUMNS, rows, wide=wide, empty="No changes match.")


def _details(payload: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in payload.items() if value is not None)
