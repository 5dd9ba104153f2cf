"""What is stored about a person, as one answer of any length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.responses import StreamingResponse

from stationmaster.access.model import EMAIL_LENGTH_MAX
from stationmaster.api import callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Opened, router
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


@routes.get("", response_class=StreamingResponse, responses={**problems(404), **_BODY})
def export_person(
    services: Opened,
    caller: callers.Reader,
    person: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=EMAIL_LENGTH_MAX,
            pattern=wire.ONE_LINE,
            description="An e-mail address or a user id; by default the caller.",
        ),
    ] = None,
) -> StreamingResponse:
    """Export all that is stored about a person: for owners, and for everyone about themselves.

    Sections: person, members, keys (never secrets), sessions, links, limits, aliases, evidence,
    senders, computers, computer-sessions, audit, days (figures), events.
    """
    db, org = services.db, caller.org_id
    named = export.of(db, org, person, by=caller)
    services.mover.drain(org)
    lake = Lake.open(services.settings)
    headers = {"Content-Disposition": 'attachment; filename="person.ndjson"'}
    lines = _lines(export.records(db, lake, OrgId(org), named))
    return StreamingResponse(lines, media_type=MEDIA_TYPE, headers=headers)


def _lines(records: Iterator[export.ExportedRecord]) -> Iterator[bytes]:
    held = bytearray()
    for record in records:
        held += msgspec.json.encode(record._asdict()) + b"\n"
        if len(held) >= _CHUNK:
            yield bytes(held)
            held.clear()
    yield bytes(held)
