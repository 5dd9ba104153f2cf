"""Erasing people: requests, and how far they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access.model import EMAIL_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router
from stationmaster.people import erasure

routes = router("/api/platform/v1/erasures", "People")


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


@routes.get("")
@blocking.reads
def list_erasures(db: Db, caller: callers.Owner) -> Erasures:
    """List the erasures that were requested."""
    listed = erasure.listed(db, caller.org_id)
    return Erasures.of(erasures=listed)


@routes.post("", status_code=202, responses=problems(404, 409))
def erase_person(db: Db, body: ErasureRequest, caller: callers.Owner) -> ErasureAnswer:
    """Erase a person permanently: events, sessions, keys, evidence, computers, and names in
    records.

    Access ends at once; a job does the rest. 409 with `last_owner` for the last owner; 404 for
    an unknown person.
    """
    return ErasureAnswer.of(
        erasure.request(db, caller.org_id, body.person, body.reports, by=caller)
    )


@routes.get("/{erasure_id}")
@blocking.reads
def get_erasure(db: Db, erasure_id: wire.Identifier, caller: callers.Owner) -> ErasureAnswer:
    """Get an erasure."""
    return ErasureAnswer.of(erasure.get(db, caller.org_id, erasure_id))
