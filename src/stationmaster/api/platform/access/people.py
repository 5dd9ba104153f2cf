"""Who is who: members, people who are seen in telemetry only, and which of them are one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access import privacy
from stationmaster.access.model import EMAIL_LENGTH_MAX
from stationmaster.api import callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router
from stationmaster.people import reads, service
from stationmaster.people.reads import Person

routes = router("/api/platform/v1/people", "People")


class AliasAnswer(wire.Answer):
    """Another user id of a person: `evidence` is `said` if a person merged them, else the
    telemetry that has both ids."""

    user_id: str
    evidence: str


class PersonAnswer(wire.Answer, record=Person):
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
