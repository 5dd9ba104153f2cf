"""The people of an organization, as the public API lists them."""

from __future__ import annotations

from starlette.requests import Request

from stationmaster.access import reads
from stationmaster.access.model import Role
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

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
async def list_users(
    request: Request,
    caller: callers.Member,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> UserPage:
    """List users by id, without those who were invited and have not joined."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: reads.page_members(
            db, caller.org_id, limit=limit + 1, after=cursor, is_active=True
        ),
    )
    page, pagination = wire.paged(found, limit, lambda each: each.user_id)
    users = [
        User(
            id=each.user_id,
            user_id=each.user_id,
            email=each.email,
            role=each.role,
            created_at=each.created_at,
        )
        for each in page
    ]
    return UserPage(users=users, pagination=pagination)
