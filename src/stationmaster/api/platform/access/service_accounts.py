"""Identities of programs: made, paused, given roles, removed by owners and managers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from pydantic import Field, StrictBool
from starlette.requests import Request

from stationmaster.access import reads, service
from stationmaster.access.model import ServiceAccount, ServiceRole, service_role_of
from stationmaster.access.names import NAME_LENGTH_MAX
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/service-accounts", "Service accounts")

ServiceRoleWord = Literal["manager", "member", "guest", "admin", "user", "viewer"]
"""Roles, and what other systems call them: admin is a manager, user a member, viewer a guest."""


class ServiceAccountAnswer(wire.Answer):
    """A program's own identity; `createdAt` is in Unix milliseconds."""

    service_account_id: str
    name: str
    role: ServiceRole
    is_active: bool
    created_at: int


class ServiceAccounts(wire.Answer):
    service_accounts: list[ServiceAccountAnswer]


class NewServiceAccount(wire.Question):
    name: Annotated[
        str, Field(min_length=1, max_length=NAME_LENGTH_MAX, examples=["nightly"]), wire.NAMED
    ]
    role: ServiceRoleWord


class ServiceAccountChange(wire.Question):
    """What is left out, or null, stays. The name of an account never changes."""

    is_active: StrictBool | None = None
    role: ServiceRoleWord | None = None


@routes.get("")
async def list_service_accounts(request: Request, caller: callers.Manager) -> ServiceAccounts:
    """List service accounts by name."""
    db = services_of(request).db
    found = await blocking.read(db, reads.list_service_accounts, db, caller.org_id)
    return ServiceAccounts(service_accounts=[_shown(each) for each in found])


@routes.post("", status_code=201, responses=problems("Problem", 409))
async def create_service_account(
    request: Request, body: NewServiceAccount, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Make a service account. A name is given once, also when its account is removed later."""
    db = services_of(request).db
    return _shown(
        await blocking.work(
            lambda: service.create_service_account(
                db, caller.org_id, body.name, service_role_of(body.role), by=caller
            )
        )
    )


@routes.get("/{service_account_id}")
async def get_service_account(
    request: Request, service_account_id: wire.Identifier, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Get a service account."""
    db = services_of(request).db
    return _shown(
        await blocking.read(db, service.get_service_account, db, caller.org_id, service_account_id)
    )


@routes.patch("/{service_account_id}")
async def change_service_account(
    request: Request,
    service_account_id: wire.Identifier,
    body: ServiceAccountChange,
    caller: callers.Manager,
) -> ServiceAccountAnswer:
    """Pause an account, let it go on, or give it another role, effective with the next request."""
    db = services_of(request).db
    role = None if body.role is None else service_role_of(body.role)
    return _shown(
        await blocking.work(
            lambda: service.change_service_account(
                db,
                caller.org_id,
                service_account_id,
                is_active=body.is_active,
                role=role,
                by=caller,
            )
        )
    )


@routes.delete("/{service_account_id}", status_code=204)
async def remove_service_account(
    request: Request, service_account_id: wire.Identifier, caller: callers.Manager
) -> None:
    """Remove a service account, whose keys end at once; the reports keep what it did.

    What was removed already is 404.
    """
    db = services_of(request).db
    await blocking.work(
        lambda: service.remove_service_account(db, caller.org_id, service_account_id, by=caller)
    )


def _shown(account: ServiceAccount) -> ServiceAccountAnswer:
    return ServiceAccountAnswer(**msgspec.structs.asdict(account))
