"""What is stored about a person, as one answer of any length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.requests import Request
from starlette.responses import StreamingResponse

from stationmaster.access.names import EMAIL_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.ids import OrgId
from stationmaster.lake.storage import Lake
from stationmaster.people import export

routes = router("/api/platform/v1/person-export", "People")

MEDIA_TYPE = "application/x-ndjson"
_CHUNK = 64 * 2**10
_BODY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a line: `section` and `data`.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}


@routes.get("", response_class=StreamingResponse, responses={**problems("Problem", 404), **_BODY})
async def export_person(
    request: Request,
    caller: callers.Reader,
    person: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=EMAIL_LENGTH_MAX,
            pattern=wire.ONE_LINE,
            description="An e-mail address or a user id; the caller's own where it is left out.",
        ),
    ] = None,
) -> StreamingResponse:
    """Export all that is stored about a person: for owners, and for everyone about themselves.

    Sections: person, members, keys (never secrets), sessions, links, limits, aliases, evidence,
    senders, computers, computer-sessions, audit, days (figures), events.
    """
    services = services_of(request)
    db, org = services.db, caller.org_id
    named = await blocking.work(lambda: export.of(db, org, person, by=caller))
    await blocking.work(services.mover.drain, org)
    lake = Lake.open(services.settings)
    headers = {"Content-Disposition": 'attachment; filename="person.ndjson"'}
    lines = _lines(export.records(db, lake, OrgId(org), named))
    return StreamingResponse(lines, media_type=MEDIA_TYPE, headers=headers)


def _lines(records: Iterator[export.Record]) -> Iterator[bytes]:
    held = bytearray()
    for record in records:
        held += msgspec.json.encode(record._asdict()) + b"\n"
        if len(held) >= _CHUNK:
            yield bytes(held)
            held.clear()
    yield bytes(held)
