"""Erasing people: requests, and how far they are."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field
from starlette.requests import Request

from stationmaster.access.names import EMAIL_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.people import erasure

routes = router("/api/platform/v1/erasures", "People")


class ErasureRequest(wire.Question):
    """`person` is an e-mail address or a user id.

    `reports`: `restate` takes the person's figures out of the reports, `anonymise` keeps them
    under an id that leads to nobody.
    """

    person: Annotated[str, Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE)]
    reports: erasure.Reports


class ErasureAnswer(wire.Answer):
    """Whom it is about is not told. `finishedAt` is null until all is erased; the job `jobId` has
    state and step. `events` counts those that were erased or made anonymous so far. Times are Unix
    milliseconds.
    """

    erasure_id: str
    reports: erasure.Reports
    job_id: str
    requested_at: int
    finished_at: int | None
    events: int


class Erasures(wire.Answer):
    """Newest first."""

    erasures: list[ErasureAnswer]


@routes.get("")
async def list_erasures(request: Request, caller: callers.Owner) -> Erasures:
    """List the erasures that were requested."""
    db = services_of(request).db
    found = await blocking.read(db, erasure.listed, db, caller.org_id)
    return Erasures(erasures=[_shown(each) for each in found])


@routes.post("", status_code=202, responses=problems("Problem", 404, 409))
async def erase_person(
    request: Request, body: ErasureRequest, caller: callers.Owner
) -> ErasureAnswer:
    """Erase a person for good: events, sessions, keys, evidence, computers, and names in records.

    Access ends at once; a job does the rest. The last owner stays: 409 with `last_owner`. Who is
    not known here is 404.
    """
    db = services_of(request).db
    return _shown(
        await blocking.work(
            lambda: erasure.request(db, caller.org_id, body.person, body.reports, by=caller)
        )
    )


@routes.get("/{erasure_id}")
async def get_erasure(
    request: Request, erasure_id: wire.Identifier, caller: callers.Owner
) -> ErasureAnswer:
    """Get an erasure."""
    db = services_of(request).db
    return _shown(await blocking.read(db, erasure.get, db, caller.org_id, erasure_id))


def _shown(found: erasure.Erasure) -> ErasureAnswer:
    return ErasureAnswer(**msgspec.structs.asdict(found))
