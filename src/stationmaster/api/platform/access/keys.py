"""API keys: of oneself, and for owners and managers those of everybody; and the
identities of programs: made, paused, given roles, removed."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field, StrictBool

from stationmaster.access import reads, service
from stationmaster.access.change_rules import MANAGING
from stationmaster.access.model import (
    NAME_LENGTH_MAX,
    ApiKey,
    Caller,
    Principal,
    Role,
    Scope,
    ServiceAccount,
    require,
    service_role_of,
)
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.errors import BadRequest
from stationmaster.ids import UserId

account_routes = router("/api/platform/v1/service-accounts", "Service accounts")

ServiceRoleWord = Literal["manager", "member", "guest", "admin", "user", "viewer"]
"""Roles, and what other systems call them: admin is a manager, user a member, viewer a guest."""

routes = router("/api/platform/v1/keys", "API keys")

TIME_MAX = 2**53 - 1
"""The last millisecond that every client of JSON keeps exactly."""


class KeyAnswer(wire.Answer, record=ApiKey):
    """A key without its secret; times are Unix milliseconds, null is never. `role` limits the
    key's rights; null means those of its holder. `hint` is the beginning of the key.
    `lastUsedAt` is up to a minute behind. `madeWith` is the key or session that created it;
    null for keys created by a command."""


class Keys(wire.Answer):
    keys: list[KeyAnswer]


class NewKey(wire.Question):
    """A key of the caller, of a service account, or of another member (`userId`; scope `ingest`
    only).

    The key has its holder's current role, at most `role`. A key with the scope `ingest` can
    only send telemetry and read about its own person. `expiresAt` is a future time
    in Unix milliseconds; without it a key never expires. A key that expires cannot create keys
    that expire later.
    """

    name: Annotated[
        str, Field(min_length=1, max_length=NAME_LENGTH_MAX, examples=["laptop"]), wire.NAMED
    ]
    scope: Scope
    role: Role | None = None
    expires_at: Annotated[int, Field(strict=True, ge=0, le=TIME_MAX), wire.WHOLE] | None = None
    service_account_id: Annotated[str, Field(pattern=wire.ID)] | None = None
    user_id: Annotated[str, Field(pattern=wire.ID)] | None = None


class MadeKey(KeyAnswer):
    """`apiKey` is the secret: shown once."""

    api_key: str


class Revocation(wire.Question):
    """`includeMade` also revokes keys that the key created, and keys that these created."""

    include_made: bool = False


class Revoked(wire.Answer):
    """The key, and the keys that stay active: those that it created, and others of its holder."""

    key: KeyAnswer
    made_keys: list[KeyAnswer]
    other_keys: list[KeyAnswer]


@routes.get("")
@blocking.reads
def list_keys(
    db: Db,
    caller: callers.Member,
    everybody: Annotated[
        bool, Query(alias="all", description="All keys; for owners and managers.")
    ] = False,
    principal_id: Annotated[
        str | None,
        Query(
            alias="principalId",
            pattern=wire.ID,
            description="Keys of one user or service account; only owners and managers can list "
            "keys of others.",
        ),
    ] = None,
) -> Keys:
    """List keys, the caller's own by default, oldest first, revoked and expired ones too."""
    whose = None if everybody else principal_id or caller.principal_id
    if whose != caller.principal_id:
        require(caller, *MANAGING)
    listed = reads.list_keys(db, caller.org_id, whose)
    return Keys.of(keys=listed)


@routes.post("", status_code=201, responses=problems(409))
def create_key(services: Opened, body: NewKey, caller: callers.Member) -> MadeKey:
    """Create a key for the caller, or, as an owner or manager, for an active service account,
    or one with the scope `ingest` for another member."""
    key, secret = service.create_key(
        services.db,
        caller.org_id,
        _principal(services.db, caller, body),
        name=body.name,
        role=body.role,
        scope=body.scope,
        expires_at=body.expires_at,
        by=caller,
        only_by_managers=services.settings.restrict_api_key_creation_to_managers,
    )
    return MadeKey.of(key, api_key=secret.reveal())


@routes.get("/{key_id}")
@blocking.reads
def get_key(db: Db, key_id: wire.Identifier, caller: callers.Member) -> KeyAnswer:
    """Get a key of the caller, or, as an owner or manager, any."""
    return KeyAnswer.of(service.get_key(db, caller.org_id, key_id, by=caller))


@routes.delete("/{key_id}", status_code=204)
def revoke_key(db: Db, key_id: wire.Identifier, caller: callers.Member) -> None:
    """Revoke a key permanently: a key of the caller, or, as an owner or manager, any. Only
    owners revoke owners' keys. Revoking again changes nothing. Keys that it created stay active:
    `POST …/revoke` lists them.
    """
    service.revoke_key(db, caller.org_id, key_id, by=caller)


@routes.post("/{key_id}/revoke")
def revoke_key_and_list(
    db: Db, key_id: wire.Identifier, body: Revocation, caller: callers.Member
) -> Revoked:
    """Revoke a key, on request with the keys that it created, and list the keys that stay
    active."""
    key = service.revoke_key(db, caller.org_id, key_id, by=caller, with_made=body.include_made)
    left = reads.keys_left(db, caller.org_id, key, by=caller)
    return Revoked.of(
        key=KeyAnswer.of(key),
        made_keys=left.made,
        other_keys=left.of_holder,
    )


def _principal(db: Db, caller: Caller, body: NewKey) -> Principal:
    if body.service_account_id is not None and body.user_id is not None:
        raise BadRequest("Set serviceAccountId or userId, not both.", code="two_holders")
    is_own = body.service_account_id is None and body.user_id is None
    if body.user_id is not None or (is_own and caller.principal_kind == "human"):
        user = body.user_id or caller.principal_id
        if user != caller.principal_id:
            require(caller, *MANAGING)
        return service.get_member(db, caller.org_id, UserId(user))
    principal_id = body.service_account_id or caller.principal_id
    return service.get_service_account(db, caller.org_id, principal_id)


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


@account_routes.get("")
@blocking.reads
def list_service_accounts(db: Db, caller: callers.Manager) -> ServiceAccounts:
    """List service accounts by name."""
    accounts = reads.list_service_accounts(db, caller.org_id)
    return ServiceAccounts.of(service_accounts=accounts)


@account_routes.post("", status_code=201, responses=problems(409))
def create_service_account(
    db: Db, body: NewServiceAccount, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Create a service account. A name is never reused, also not after its account was removed."""
    return ServiceAccountAnswer.of(
        service.create_service_account(
            db, caller.org_id, body.name, service_role_of(body.role), by=caller
        )
    )


@account_routes.get("/{service_account_id}")
@blocking.reads
def get_service_account(
    db: Db, service_account_id: wire.Identifier, caller: callers.Manager
) -> ServiceAccountAnswer:
    """Get a service account."""
    return ServiceAccountAnswer.of(
        service.get_service_account(db, caller.org_id, service_account_id)
    )


@account_routes.patch("/{service_account_id}")
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


@account_routes.delete("/{service_account_id}", status_code=204)
def remove_service_account(
    db: Db, service_account_id: wire.Identifier, caller: callers.Manager
) -> None:
    """Remove a service account, whose keys become invalid immediately; reports keep the figures.
    404 for an account that was already removed."""
    service.remove_service_account(db, caller.org_id, service_account_id, by=caller)
