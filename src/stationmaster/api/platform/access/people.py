"""Who is who: members, people who are seen in telemetry only, and which of them are one; erasing a
person, and exporting what is stored about one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.responses import StreamingResponse

from stationmaster.access import privacy
from stationmaster.access.model import EMAIL_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.ids import OrgId
from stationmaster.lake.storage import Lake
from stationmaster.people import erasure, export, reads, service

export_routes = router("/api/platform/v1/person-export", "People")

MEDIA_TYPE = "application/x-ndjson"
_CHUNK = 64 * 2**10
_BODY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a line: `section` and `data`.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}

erasure_routes = router("/api/platform/v1/erasures", "People")

routes = router("/api/platform/v1/people", "People")


class AliasAnswer(wire.Answer):
    """Another user id of a person: `evidence` is `said` if a person merged them, else the
    telemetry that has both ids."""

    user_id: str
    evidence: str


class PersonAnswer(wire.Answer, record=reads.Person):
    """A member, or a person who is only in telemetry (`status` null). `firstDay` and `lastDay`
    of activity (UTC) are null, and `products` is empty, if nothing is rolled up."""

    aliases: list[AliasAnswer]


class PeoplePage(wire.Answer):
    people: list[PersonAnswer]
    pagination: wire.Pagination


class Merge(wire.Question):
    """The person to merge into: a user id or an e-mail address."""

    into: Annotated[str, Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE)]


@routes.get("")
def list_people(
    db: Db,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> PeoplePage:
    """List members, and people who are only in telemetry, by user id. If people are not shown
    by name, this is for owners only, and shows no activity."""
    privacy.check_reader(privacy.of(db, caller.org_id), caller)
    listed = reads.page(db, caller.org_id, after=cursor or "", count=limit + 1)
    return wire.page(PeoplePage, listed, limit, lambda person: person.user_id)


@routes.get("/{user_id}")
def get_person(db: Db, user_id: wire.Identifier, caller: callers.Manager) -> PersonAnswer:
    """Get a person; for an alias, the person that it belongs to."""
    privacy.check_reader(privacy.of(db, caller.org_id), caller)
    return PersonAnswer.of(reads.person(db, caller.org_id, user_id))


@routes.post("/{user_id}/merge", responses=problems(409))
def merge_person(
    db: Db, user_id: wire.Identifier, body: Merge, caller: callers.Manager
) -> PersonAnswer:
    """Count a user id for another person, from its first day on; the answer is that person.

    409 for a current member, for a person without an address and for circles.
    """
    return PersonAnswer.of(service.merge(db, caller.org_id, user_id, body.into, by=caller))


@routes.post("/{user_id}/unmerge")
def unmerge_person(db: Db, user_id: wire.Identifier, caller: callers.Manager) -> PersonAnswer:
    """Separate an alias from its person permanently; the answer is the person."""
    return PersonAnswer.of(service.unmerge(db, caller.org_id, user_id, by=caller))


class ErasureRequest(wire.Question):
    """`person` is an e-mail address or a user id.

    `reports`: `restate` takes the person's figures out of the reports, `anonymise` keeps them
    under a random id.
    """

    person: Annotated[str, Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE)]
    reports: erasure.Reports


class ErasureAnswer(wire.Answer, record=erasure.Erasure):
    """The person is not named. `finishedAt` is null until all is erased; the job `jobId` has
    state and step. `events` counts those that were erased or made anonymous so far. Times are Unix
    milliseconds.
    """


class Erasures(wire.Answer):
    """Newest first."""

    erasures: list[ErasureAnswer]


@erasure_routes.get("")
@blocking.reads
def list_erasures(db: Db, caller: callers.Owner) -> Erasures:
    """List the erasures that were requested."""
    listed = erasure.listed(db, caller.org_id)
    return Erasures.of(erasures=listed)


@erasure_routes.post("", status_code=202, responses=problems(404, 409))
def erase_person(db: Db, body: ErasureRequest, caller: callers.Owner) -> ErasureAnswer:
    """Erase a person permanently: events, sessions, keys, evidence, computers, and names in
    records.

    Access ends immediately; a job does the rest. 409 with `last_owner` for the last owner; 404 for
    an unknown person.
    """
    return ErasureAnswer.of(
        erasure.request(db, caller.org_id, body.person, body.reports, by=caller)
    )


@erasure_routes.get("/{erasure_id}")
@blocking.reads
def get_erasure(db: Db, erasure_id: wire.Identifier, caller: callers.Owner) -> ErasureAnswer:
    """Get an erasure."""
    return ErasureAnswer.of(erasure.get(db, caller.org_id, erasure_id))


@export_routes.get("", response_class=StreamingResponse, responses={**problems(404), **_BODY})
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
    chunk = bytearray()
    for record in records:
        chunk += msgspec.json.encode(record._asdict()) + b"\n"
        if len(chunk) >= _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)
