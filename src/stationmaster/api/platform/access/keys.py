"""API keys: of oneself, and for owners and managers those of everybody."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.requests import Request

from stationmaster.access import reads, service
from stationmaster.access.authenticate import require
from stationmaster.access.model import ApiKey, Caller, Principal, PrincipalKind, Role, Scope
from stationmaster.access.names import NAME_LENGTH_MAX
from stationmaster.access.rules import MANAGING
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import KeyId, UserId

routes = router("/api/platform/v1/keys", "API keys")

TIME_MAX = 2**53 - 1
"""The last millisecond that every client of JSON keeps exactly."""


class KeyAnswer(wire.Answer):
    """What is known of a key after it was shown; times are Unix milliseconds, null is never.

    `role` is the most that the key may do; null is as much as its holder. `hint` is how the key
    begins. `lastUsedAt` is up to a minute behind. `madeWith` is the key or the session that made
    it; null for keys that a command made.
    """

    key_id: str
    principal_kind: PrincipalKind
    principal_id: str
    name: str
    scope: Scope
    hint: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    role: Role | None
    made_with: str | None


class Keys(wire.Answer):
    keys: list[KeyAnswer]


class NewKey(wire.Question):
    """A key of the caller, of a service account, or of another member (`userId`; scope `ingest`
    only).

    The key acts with its holder's role of the moment, and never with more than `role`. One with
    the scope `ingest` may send telemetry and nothing else. `expiresAt` is a future time
    in Unix milliseconds; without it a key never expires. A key that expires makes keys that expire
    no later.
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
    """`apiKey` is the secret: shown this once."""

    api_key: str


class Revocation(wire.Question):
    """`includeMade` also revokes the keys that the key made, and those that these made."""

    include_made: bool = False


class Revoked(wire.Answer):
    """The key, and the active keys that remain: those that it made, and its holder's others."""

    key: KeyAnswer
    made_keys: list[KeyAnswer]
    other_keys: list[KeyAnswer]


@routes.get("")
async def list_keys(
    request: Request,
    caller: callers.Member,
    everybody: Annotated[
        bool, Query(alias="all", description="Those of everybody; for owners and managers.")
    ] = False,
    principal_id: Annotated[
        str | None,
        Query(
            alias="principalId",
            pattern=wire.ID,
            description="Those of one user or service account; others' for owners and managers.",
        ),
    ] = None,
) -> Keys:
    """List keys, the caller's own by default, oldest first, revoked and expired ones too."""
    db = services_of(request).db
    whose = None if everybody else principal_id or caller.principal_id
    if whose != caller.principal_id:
        require(caller, *MANAGING)
    found = await blocking.read(db, reads.list_keys, db, caller.org_id, whose)
    return Keys(keys=[_shown(each) for each in found])


@routes.post("", status_code=201, responses=problems("Problem", 409))
async def create_key(request: Request, body: NewKey, caller: callers.Member) -> MadeKey:
    """Make a key of one's own, or as an owner or manager one of an active service account, or one
    of the scope `ingest` for another member.
    """
    services = services_of(request)

    def create() -> MadeKey:
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
        return MadeKey(**msgspec.structs.asdict(key), api_key=secret.reveal())

    return await blocking.work(create)


@routes.get("/{key_id}")
async def get_key(request: Request, key_id: wire.Identifier, caller: callers.Member) -> KeyAnswer:
    """Get a key: an own one, or as an owner or manager any."""
    db = services_of(request).db
    return _shown(
        await blocking.read(
            db, lambda: service.get_key(db, caller.org_id, KeyId(key_id), by=caller)
        )
    )


@routes.delete("/{key_id}", status_code=204)
async def revoke_key(request: Request, key_id: wire.Identifier, caller: callers.Member) -> None:
    """Revoke a key for good: an own one, or as an owner or manager any.

    Only owners revoke owners' keys. Revoking again changes nothing. Keys that it made stay active:
    `POST …/revoke` lists them.
    """
    db = services_of(request).db
    await blocking.work(lambda: service.revoke_key(db, caller.org_id, KeyId(key_id), by=caller))


@routes.post("/{key_id}/revoke")
async def revoke_key_and_list(
    request: Request, key_id: wire.Identifier, body: Revocation, caller: callers.Member
) -> Revoked:
    """Revoke a key, on request with the keys that it made, and list the keys that stay active."""
    db = services_of(request).db

    def revoke() -> Revoked:
        key = service.revoke_key(
            db, caller.org_id, KeyId(key_id), by=caller, with_made=body.include_made
        )
        left = reads.keys_left(db, caller.org_id, key, by=caller)
        return Revoked(
            key=_shown(key),
            made_keys=[_shown(each) for each in left.made],
            other_keys=[_shown(each) for each in left.held],
        )

    return await blocking.work(revoke)


def _principal(db: Database, caller: Caller, body: NewKey) -> Principal:
    if body.service_account_id is not None and body.user_id is not None:
        raise BadRequest("Give serviceAccountId or userId, not both.", code="two_holders")
    is_own = body.service_account_id is None and body.user_id is None
    if body.user_id is not None or (is_own and caller.principal_kind == "human"):
        user = body.user_id or caller.principal_id
        if user != caller.principal_id:
            require(caller, *MANAGING)
        return service.get_member(db, caller.org_id, UserId(user))
    wanted = body.service_account_id or caller.principal_id
    return service.get_service_account(db, caller.org_id, wanted)


def _shown(key: ApiKey) -> KeyAnswer:
    return KeyAnswer(**msgspec.structs.asdict(key))
