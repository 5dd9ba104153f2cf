"""Credit limits of an organization and its people."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from stationmaster.access.names import EMAIL_LENGTH_MAX, email_of
from stationmaster.api import blocking, callers
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.errors import BadRequest
from stationmaster.limits import service
from stationmaster.limits.model import ENTRIES_MAX, LIMIT_MAX, LIMIT_MIN
from stationmaster.limits.model import UserLimit as Entry

routes = router("/api/v0/organization", "Organization")


def _deliverable(text: str) -> str:
    try:
        email_of(text)
    except BadRequest as fault:
        raise PydanticCustomError("email", "This is no e-mail address") from fault
    return text


Credits = Annotated[int, Field(strict=True, ge=LIMIT_MIN, le=LIMIT_MAX)]
"""A limit as it may be set: a JSON integer."""
Email = Annotated[
    str,
    AfterValidator(_deliverable),
    Field(max_length=EMAIL_LENGTH_MAX, json_schema_extra={"format": "email"}),
]


class UserLimitChange(BaseModel):
    """A member and the limit to set; null takes the member's own limit back."""

    model_config = ConfigDict(extra="forbid")
    email: Email
    limit: Credits | None


class UserLimitsChange(BaseModel):
    model_config = ConfigDict(extra="forbid")
    users: Annotated[list[UserLimitChange], Field(min_length=1, max_length=ENTRIES_MAX)]


class UpdatedLimit(BaseModel):
    """The address as it was sent, and the limit that applies now: after a removal that of the
    organization, or null where there is none."""

    email: str
    limit: int | None


class RefusedLimit(BaseModel):
    email: str
    error: str


class UserLimitsOutcome(BaseModel):
    """Both in the order of the request."""

    updated: list[UpdatedLimit]
    errors: list[RefusedLimit]


class UserLimit(BaseModel):
    email: str
    limit: int


class UserLimits(BaseModel):
    """The organization's default (null: none), and the members with a limit of their own."""

    globalLimit: int | None
    userLimits: list[UserLimit]


class GlobalLimit(BaseModel):
    globalLimit: int | None


class GlobalLimitChange(BaseModel):
    """The limit of everyone without one of their own; null clears it."""

    model_config = ConfigDict(extra="forbid")
    globalLimit: Credits | None


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
        errors=[RefusedLimit(email=each.email, error=each.error) for each in outcome.errors],
    )


@routes.get("/usage/limits/users")
async def get_user_limits(request: Request, caller: callers.Manager) -> UserLimits:
    """The organization's default, and the members with a limit of their own."""
    db = services_of(request).db
    found = await blocking.read(db, service.limits, db, caller.org_id)
    return UserLimits(
        globalLimit=found.global_limit,
        userLimits=[
            UserLimit(email=email, limit=limit) for email, limit in found.user_limits.items()
        ],
    )


@routes.put("/usage/limits/global")
async def set_global_limit(
    request: Request, body: GlobalLimitChange, caller: callers.LimitWriter
) -> GlobalLimit:
    """Set or clear the organization's default."""
    await blocking.work(service.set_global_limit, services_of(request).db, caller, body.globalLimit)
    return GlobalLimit(globalLimit=body.globalLimit)


@routes.get("/usage/limits/global")
async def get_global_limit(request: Request, caller: callers.Manager) -> GlobalLimit:
    """The organization's default; null where there is none."""
    db = services_of(request).db
    found = await blocking.read(db, service.global_limit, db, caller.org_id)
    return GlobalLimit(globalLimit=found)
