"""Who is who: members, people who are seen in telemetry only, and which of them are one."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field
from starlette.requests import Request

from stationmaster.access import privacy
from stationmaster.access.model import MemberStatus
from stationmaster.access.names import EMAIL_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.people import model, reads, service

routes = router("/api/platform/v1/people", "People")


class AliasAnswer(wire.Answer):
    """Another user id of a person: `evidence` is `said` where somebody merged them, else what of
    telemetry shows both together.
    """

    user_id: str
    evidence: str


class PersonAnswer(wire.Answer):
    """A member, or somebody who is only seen in telemetry: `status` null.

    `firstDay` and `lastDay` of activity (UTC) are null, and `products` empty, where nothing is
    rolled up.
    """

    user_id: str
    email: str | None
    status: MemberStatus | None
    team: str | None
    aliases: list[AliasAnswer]
    products: list[str]
    first_day: str | None
    last_day: str | None


class PeoplePage(wire.Answer):
    people: list[PersonAnswer]
    pagination: wire.Pagination


class Merge(wire.Question):
    """The person to count for: a user id or an e-mail address."""

    into: Annotated[str, Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE)]


@routes.get("")
async def list_people(
    request: Request,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> PeoplePage:
    """List members and people who are seen in telemetry only, by user id.

    Where people are not shown by name this is for owners, and tells nobody's activity.
    """
    db = services_of(request).db
    privacy.check_reader(await blocking.read(db, privacy.of, db, caller.org_id), caller)
    found = await blocking.work(
        lambda: reads.page(db, caller.org_id, after=cursor or "", count=limit + 1)
    )
    page, pagination = wire.paged(found, limit, lambda each: each.user_id)
    return PeoplePage(people=[_shown(each) for each in page], pagination=pagination)


@routes.get("/{user_id}")
async def get_person(
    request: Request, user_id: wire.Identifier, caller: callers.Manager
) -> PersonAnswer:
    """Get a person; an alias gives the person that it belongs to."""
    db = services_of(request).db
    privacy.check_reader(await blocking.read(db, privacy.of, db, caller.org_id), caller)
    return _shown(await blocking.work(reads.person, db, caller.org_id, user_id))


@routes.post("/{user_id}/merge", responses=problems("Problem", 409))
async def merge_person(
    request: Request, user_id: wire.Identifier, body: Merge, caller: callers.Manager
) -> PersonAnswer:
    """Count a user id for another person, from its first day on; the answer is that person.

    A member who is there is not merged: 409, as for a person without an address and for circles.
    """
    db = services_of(request).db
    return _shown(
        await blocking.work(lambda: service.merge(db, caller.org_id, user_id, body.into, by=caller))
    )


@routes.post("/{user_id}/unmerge")
async def unmerge_person(
    request: Request, user_id: wire.Identifier, caller: callers.Manager
) -> PersonAnswer:
    """Let an alias be a person of its own again, for good; the answer is whose it was."""
    db = services_of(request).db
    return _shown(
        await blocking.work(lambda: service.unmerge(db, caller.org_id, user_id, by=caller))
    )


def _shown(person: model.Person) -> PersonAnswer:
    return PersonAnswer.model_validate(msgspec.to_builtins(person))
