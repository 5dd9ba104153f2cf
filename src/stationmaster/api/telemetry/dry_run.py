"""`Stationmaster-Dry-Run: true`: what a delivery would become, reported and not stored.

It is decoded, attributed and counted as any other, so that a person who sets an agent up sees what
arrives, and no report knows of it.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from starlette.requests import Request

from stationmaster.access.model import Caller
from stationmaster.api import blocking, wire
from stationmaster.api.wire import JsonResponse
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.events.model import Event
from stationmaster.lake import senders
from stationmaster.lake.rows import Delivery

HEADER = "Stationmaster-Dry-Run"
EVENTS_MAX = 1_000
"""How many events are answered; the outcomes count all of them."""


class Outcome(msgspec.Struct):
    """How many records of a product and source were kept, or dropped for a reason."""

    product: str
    source: str
    outcome: str
    count: int


class LastSeen(msgspec.Struct):
    """The time (ms) of the last event of a product and source that is stored of the caller."""

    product: str
    source: str
    at: int


class DryRun(msgspec.Struct):
    """With `Stationmaster-Dry-Run: true`. `receivedAt` is the server's clock in milliseconds.
    `events` have the form of docs/events.md; `lastSeen` lists those products alone that are among
    the outcomes.
    """

    dryRun: Literal[True]
    receivedAt: int
    outcomes: list[Outcome]
    events: list[Event]
    lastSeen: list[LastSeen]


def is_asked(request: Request) -> bool:
    """Raises BadRequest for a value that is neither: nothing may be stored by mistake."""
    value = wire.header(request, HEADER.lower().encode())
    if value not in (None, "true", "false"):
        raise BadRequest(f"{HEADER} is `true` or `false`.", code="invalid_header")
    return value == "true"


async def answer(db: Database, caller: Caller, taken: Delivery, received_ms: int) -> JsonResponse:
    """What would become of a delivery: all outcomes, and at most EVENTS_MAX events."""
    outcomes = [Outcome(*key, count) for key, count in sorted(taken.tally.items())]
    products = {outcome.product for outcome in outcomes}
    last = await blocking.read(db, senders.last_of, db, caller.org_id, caller.principal_id)
    last_seen = [LastSeen(*event) for event in last if event.product in products]
    return JsonResponse(DryRun(True, received_ms, outcomes, taken.events[:EVENTS_MAX], last_seen))


PARAMETER: dict[str, Any] = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "`true` shows what each record would become, and stores nothing.",
    "schema": {"type": "string", "enum": ["true", "false"]},
}
