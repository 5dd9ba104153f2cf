"""Credit limits of an organization and its people."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from stationmaster.access.names import EMAIL_LENGTH_MAX, email_of
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.errors import BadRequest
from stationmaster.limits import service
from stationmaster.limits.model import ENTRIES_MAX, LIMIT_MAX, LIMIT_MIN, bound_text
from stationmaster.limits.model import UserLimit as Entry

routes = router("/api/v0/organization", "Organization")


def _deliverable(text: str) -> str:
    try:
        email_of(text)
    except BadRequest as fault:
        raise PydanticCustomError("email", "This is no e-mail address") from fault
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
    """A member and the limit to set; null takes the member's own limit back."""

    email: Email
    limit: Credits | None


class UserLimitsChange(wire.Question):
    users: Annotated[list[UserLimitChange], Field(min_length=1, max_length=ENTRIES_MAX)]


class UpdatedLimit(wire.Answer):
    """The address as it was sent, and the limit that applies now: after a removal that of the
    organization, or null where there is none."""

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
    """The organization's default (null: none), and the members with a limit of their own."""

    global_limit: int | None
    user_limits: list[UserLimit]


class GlobalLimit(wire.Answer):
    global_limit: int | None


class GlobalLimitChange(wire.Question):
    """The limit of everyone without one of their own; null clears it."""

    global_limit: Credits | None


@routes.put("/usage/limits/users")
async def set_user_limits(
    request: Request, body: UserLimitsChange, caller: callers.LimitWriter
) -> UserLimitsOutcome:
    """Set or remove limits of members.

    A body that does not fit changes nothing. An entry that cannot be applied is told in `errors`,
    and all others are applied at once.
    """
    entries = [Entry(user.email, user.limit) for user in body.users]
    outcome = await blocking.work(service.set_user_limits, services_of(request).db, caller, entries)
    return UserLimitsOutcome(
        updated=[UpdatedLimit(email=each.email, limit=each.limit) for each in outcome.updated],
        errors=[RefusedLimit(email=error.email, error=error.error) for error in outcome.errors],
    )


@routes.get("/usage/limits/users")
async def get_user_limits(request: Request, caller: callers.Manager) -> UserLimits:
    """The organization's default, and the members with a limit of their own."""
    db = services_of(request).db
    found = await blocking.read(db, service.limits, db, caller.org_id)
    return UserLimits(
        global_limit=found.global_limit,
        user_limits=[
            UserLimit(email=email, limit=limit) for email, limit in found.user_limits.items()
        ],
    )


@routes.put("/usage/limits/global")
async def set_global_limit(
    request: Request, body: GlobalLimitChange, caller: callers.LimitWriter
) -> GlobalLimit:
    """Set or clear the organization's default."""
    await blocking.work(
        service.set_global_limit, services_of(request).db, caller, body.global_limit
    )
    return GlobalLimit(global_limit=body.global_limit)


@routes.get("/usage/limits/global")
async def get_global_limit(request: Request, caller: callers.Manager) -> GlobalLimit:
    """The organization's default; null where there is none."""
    db = services_of(request).db
    found = await blocking.read(db, service.global_limit, db, caller.org_id)
    return GlobalLimit(global_limit=found)
