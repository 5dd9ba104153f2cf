"""Identities of programs: made, paused, given roles, removed by owners and managers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from stationmaster.access import reads, service
from stationmaster.access.model import NAME_LENGTH_MAX, ServiceAccount, service_role_of
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router

routes = router("/api/platform/v1/service-accounts", "Service accounts")

ServiceRoleWord = Literal["manager", "member", "guest", "admin", "user", "viewer"]
"""Roles, and what other systems call them: admin is a manager, user a member, viewer a guest."""


class ServiceAccountAnswer(wire.Answer, record=ServiceAccount):
    """The identity of a program; `createdAt` is in Unix milliseconds."""


class ServiceAccounts(wire.Answer):
    service_accounts: list[ServiceAccountAnswer]


class NewServiceAccount(wire.Question):
    name: Annotated[
        str, Field(min_length=1, max_length=NAME_LENGTH_MAX, examples=["nightly"]), wire.NAMED
    ]
    role: ServiceRoleWord


class ServiceAccountChange(wire.Question):
    """Members that are left out or null stay unchanged. The name of an account never changes."""

    is_active: StrictBool | None = None
    role: ServiceRoleWord | None = None


@routes.get("")
@blocking.reads
def list_service_accounts(db: Db, caller: callers.Manager) -> ServiceAccounts:
    """List service accounts by name."""
    accounts = reads.list_service_accounts(db, caller.org_id)
    return ServiceAccounts.of(service_accounts=accounts)


@routes.post("", status_code=201, responses=problems(409))
def create_service_account(
    db: Db, body: NewServiceAccount, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Create a service account. A name is never reused, also not after its account was removed."""
    return ServiceAccountAnswer.of(
        service.create_service_account(
            db, caller.org_id, body.name, service_role_of(body.role), by=caller
        )
    )


@routes.get("/{service_account_id}")
@blocking.reads
def get_service_account(
    db: Db, service_account_id: wire.Identifier, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Get a service account."""
    return ServiceAccountAnswer.of(
        service.get_service_account(db, caller.org_id, service_account_id)
    )


@routes.patch("/{service_account_id}")
def change_service_account(
    db: Db, service_account_id: wire.Identifier, body: ServiceAccountChange, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Pause or resume an account, or change its role, effective with the next request."""
    role = None if body.role is None else service_role_of(body.role)
    return ServiceAccountAnswer.of(
        service.change_service_account(
            db,
            caller.org_id,
            service_account_id,
            is_active=body.is_active,
            role=role,
            by=caller,
        )
    )


@routes.delete("/{service_account_id}", status_code=204)
def remove_service_account(
    db: Db, service_account_id: wire.Identifier, caller: callers.Manager
) -> None:
    """Remove a service account, whose keys become invalid at once; reports keep the figures.
    404 for an account that was already removed."""
    service.remove_service_account(db, caller.org_id, service_account_id, by=caller)
