"""The people of an organization, as the public API lists them."""

from __future__ import annotations

from stationmaster.access import reads
from stationmaster.access.model import Role
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router

routes = router("/api/v0/organization/users", "Organization")


class User(wire.Answer):
    """A person who has joined; `createdAt` is in Unix milliseconds.

    `id` and `userId` are the same. An account has an e-mail address and no other name, so
    `firstName` and `lastName` are null.
    """

    id: str
    user_id: str
    email: str
    first_name: str | None = None
    last_name: str | None = None
    role: Role
    created_at: int


class UserPage(wire.Answer):
    users: list[User]
    pagination: wire.Pagination


@routes.get("")
@blocking.reads
def list_users(
    db: Db,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> UserPage:
    """List users by id, without invited people who have not joined."""
    listed = reads.page_members(db, caller.org_id, limit=limit + 1, after=cursor, is_active=True)
    return wire.page(
        UserPage,
        listed,
        limit,
        lambda member: member.user_id,
        lambda member: User.of(member, id=member.user_id),
    )
