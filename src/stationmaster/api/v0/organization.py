"""Credit limits of an organization and its people, and who they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from stationmaster.access import reads
from stationmaster.access.model import EMAIL_LENGTH_MAX, Role, email_of
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router
from stationmaster.errors import BadRequest
from stationmaster.limits import service
from stationmaster.limits.model import (
    ENTRIES_MAX,
    LIMIT_MAX,
    LIMIT_MIN,
    UserLimit as Entry,
    bound_text,
)

user_routes = router("/api/v0/organization/users", "Organization")

routes = router("/api/v0/organization", "Organization")


def _deliverable(text: str) -> str:
    try:
        email_of(text)
    except BadRequest as fault:
        raise PydanticCustomError("email", "This is not an e-mail address") from fault
    return text


def _bounded(credits: int) -> int:
    if not LIMIT_MIN <= credits <= LIMIT_MAX:
        raise PydanticCustomError("limit", "{why}", {"why": bound_text()})
    return credits


Credits = Annotated[
    int,
    AfterValidator(_bounded),
    Field(strict=True, json_schema_extra={"minimum": LIMIT_MIN, "maximum": LIMIT_MAX}),
    wire.WHOLE,
]
"""A limit as it may be set: a JSON integer."""
Email = Annotated[
    str,
    AfterValidator(_deliverable),
    Field(
        max_length=EMAIL_LENGTH_MAX,
        json_schema_extra={"format": "email"},
        examples=["ada@example.com"],
    ),
]


class UserLimitChange(wire.Question):
    """A member and the limit to set; null removes the member's individual limit."""

    email: Email
    limit: Credits | None


class UserLimitsChange(wire.Question):
    users: Annotated[list[UserLimitChange], Field(min_length=1, max_length=ENTRIES_MAX)]


class UpdatedLimit(wire.Answer):
    """The address as it was sent, and the limit that applies now: after a removal that of the
    organization, or null if there is none."""

    email: str
    limit: int | None


class RefusedLimit(wire.Answer):
    email: str
    error: str


class UserLimitsOutcome(wire.Answer):
    """Both in the order of the request."""

    updated: list[UpdatedLimit]
    errors: list[RefusedLimit]


class UserLimit(wire.Answer):
    email: str
    limit: int


class UserLimits(wire.Answer):
    """The organization's default (null: none), and the members with individual limits."""

    global_limit: int | None
    user_limits: list[UserLimit]


class GlobalLimit(wire.Answer):
    global_limit: int | None


class GlobalLimitChange(wire.Question):
    """The limit of everyone without an individual limit; null clears it."""

    global_limit: Credits | None


@routes.put("/usage/limits/users")
def set_user_limits(
    db: Db, body: UserLimitsChange, caller: callers.LimitWriter
) -> UserLimitsOutcome:
    """Set or remove limits of members.

    An invalid body changes nothing. Entries that cannot be applied are listed in `errors`; all
    others are applied together.
    """
    entries = [Entry(user.email, user.limit) for user in body.users]
    outcome = service.set_user_limits(db, caller, entries)
    return UserLimitsOutcome.of(outcome)


@routes.get("/usage/limits/users")
@blocking.reads
def get_user_limits(db: Db, caller: callers.Manager) -> UserLimits:
    """The organization's default, and the members with individual limits."""
    limits = service.limits(db, caller.org_id)
    return UserLimits(
        global_limit=limits.global_limit,
        user_limits=[
            UserLimit(email=email, limit=limit) for email, limit in limits.user_limits.items()
        ],
    )


@routes.put("/usage/limits/global")
def set_global_limit(db: Db, body: GlobalLimitChange, caller: callers.LimitWriter) -> GlobalLimit:
    """Set or clear the organization's default."""
    service.set_global_limit(db, caller, body.global_limit)
    return GlobalLimit(global_limit=body.global_limit)


@routes.get("/usage/limits/global")
@blocking.reads
def get_global_limit(db: Db, caller: callers.Manager) -> GlobalLimit:
    """The organization's default; null if there is none."""
    limit = service.global_limit(db, caller.org_id)
    return GlobalLimit(global_limit=limit)


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


@user_routes.get("")
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
