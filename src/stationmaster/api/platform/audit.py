"""The audit log, for owners."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.requests import Request

from stationmaster.access import audit
from stationmaster.access.model import PrincipalKind, Role, Source
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/audit", "Audit")


class ActorAnswer(wire.Answer):
    """Who made a change, with the role of that moment; a service account has no e-mail."""

    kind: PrincipalKind
    id: str
    email: str | None
    role: Role


class TargetAnswer(wire.Answer):
    kind: str
    id: str


class EventAnswer(wire.Answer):
    """One change. `actor` is null for the software itself, `createdAt` is ISO 8601 in UTC.

    `payload` holds identifiers, enumerated words and numbers, which depend on `eventType`.
    """

    audit_id: str
    event_type: str
    source: Source
    actor: ActorAnswer | None
    target: TargetAnswer | None
    payload: dict[str, Any] | None
    created_at: str


class EventPage(wire.Answer):
    events: list[EventAnswer]
    pagination: wire.Pagination


@routes.get("")
async def list_events(
    request: Request,
    caller: callers.Owner,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^aud_[0-9a-f]{24}$", description="An audit id: the page is older."),
    ] = None,
    event_type: Annotated[str | None, Query(alias="eventType", pattern=r"^[a-z_]{1,100}$")] = None,
) -> EventPage:
    """List changes, newest first, of all types or of one."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: audit.page(
            db, caller.org_id, limit=limit + 1, before=cursor, event_type=event_type
        ),
    )
    page, pagination = wire.paged(found, limit, lambda each: each.audit_id)
    return EventPage(events=[_shown(each) for each in page], pagination=pagination)


def _shown(found: audit.Record) -> EventAnswer:
    at = datetime.fromtimestamp(found.created_at / 1000, UTC)
    told = msgspec.to_builtins(found) | {
        "target": None if found.target is None else found.target._asdict(),
        "created_at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    return EventAnswer(**told)
