"""The audit log, for owners."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import BeforeValidator
from starlette.responses import Response

from stationmaster import clock, days
from stationmaster.access import audit
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router
from stationmaster.api.wire import body_answer

_Text = Annotated[str | None, Query(min_length=1, max_length=254, pattern=wire.ONE_LINE)]

routes = router("/api/platform/v1/audit", "Audit")


class ActorAnswer(wire.Answer, record=audit.Actor):
    """Who made a change, with the role at that time; a service account has no e-mail."""


class TargetAnswer(wire.Answer, record=audit.Target):
    pass


class EventAnswer(wire.Answer, record=audit.AuditRecord):
    """One change. `actor` is null for the software itself, `createdAt` is ISO 8601 in UTC.

    `payload` holds identifiers, enumerated words and numbers, which depend on `eventType`.
    """

    actor: ActorAnswer | None
    target: TargetAnswer | None
    created_at: Annotated[str, BeforeValidator(days.iso)]


class EventPage(wire.Answer):
    events: list[EventAnswer]
    pagination: wire.Pagination


@routes.get("", response_model=EventPage)
@blocking.reads
def list_events(
    db: Db,
    response: Response,
    caller: callers.Owner,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^aud_[0-9a-f]{24}$", description="The last audit id of the previous page."),
    ] = None,
    event_type: Annotated[str | None, Query(alias="eventType", pattern=r"^[a-z_]{1,100}$")] = None,
    actor: Annotated[_Text, Query(description="Who made a change: an id or an address.")] = None,
    target: Annotated[_Text, Query(description="The id of the changed object.")] = None,
    start: Annotated[
        wire.Day | None, Query(alias="startDate", description="The first UTC day.")
    ] = None,
    end: Annotated[wire.Day | None, Query(alias="endDate", description="The last UTC day.")] = None,
) -> Response:
    """List changes, newest first, filtered by type, actor, target and days."""
    span = None
    if start is not None or end is not None:
        span = (
            days.start_ms(start or date.min.replace(year=1970)),
            days.start_ms(end or clock.today()) + days.MS_PER_DAY,
        )
    events = audit.page(
        db,
        caller.org_id,
        limit=limit + 1,
        before=cursor,
        event_type=event_type,
        actor=actor,
        target=target,
        span_ms=span,
    )
    return body_answer(wire.page(EventPage, events, limit, lambda event: event.audit_id), response)
