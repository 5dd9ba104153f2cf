"""Pairing machines by a short code that a person who is signed in types."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Secret
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import open_router, router
from stationmaster.api.services import services_of
from stationmaster.api.v0.computer_bodies import Hostname, Name, User
from stationmaster.computers.model import Registration

open_routes = open_router("/api/platform/v1/pairings", "Computers")
routes = router("/api/platform/v1/pairings", "Computers")
NO_KEY: dict[str, Any] = {"security": []}
"""A machine that is to be paired has no key yet."""

Code = Annotated[str, Field(min_length=8, max_length=20, examples=["BCDF-GHJK"])]


class NewPairing(wire.Question):
    """What a machine says of itself, as when it is registered."""

    name: Name
    remote_user: User
    host_id: UUID
    machine_hash: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    hostname: Hostname | None = None


class BegunPairing(wire.Answer):
    """`code` is to be shown to a person; `credential` opens nothing until the code is approved.
    `expiresAt` is Unix milliseconds."""

    code: str
    credential: str
    expires_at: int


class PairingClaim(wire.Question):
    credential: Annotated[str, Field(min_length=1, max_length=200)]


class PairingOutcome(wire.Answer):
    """`computerId` and `name` are null while nobody has approved the code."""

    computer_id: str | None
    name: str | None


class TypedCode(wire.Question):
    code: Code


class PairingApproval(wire.Question):
    """Under another name than the machine's own, if one is given."""

    code: Code
    name: Name | None = None


class WaitingMachine(wire.Answer):
    """A machine that shows a code, as it describes itself."""

    name: str
    hostname: str | None
    remote_user: str
    expires_at: int


@open_routes.post(
    "", status_code=201, responses=problems("Problem", 429, 503), openapi_extra=NO_KEY
)
async def begin_pairing(request: Request, response: Response, asked: NewPairing) -> BegunPairing:
    """Ask for a code, for a machine without a key; it is good once and for ten minutes."""
    response.headers["Cache-Control"] = "no-store"
    new = Registration(
        name=asked.name,
        remote_user=asked.remote_user,
        host_id=str(asked.host_id),
        machine_hash=asked.machine_hash,
        hostname=asked.hostname,
    )
    address = None if request.client is None else request.client.host
    begun = await blocking.work(services_of(request).pairings.begin, new, address)
    return BegunPairing(
        code=begun.code, credential=begun.credential.reveal(), expires_at=begun.expires_at
    )


@open_routes.post("/claim", responses=problems("Problem", 410), openapi_extra=NO_KEY)
async def claim_pairing(request: Request, asked: PairingClaim) -> PairingOutcome:
    """Ask whether a person has approved the code. 410 once it is too old."""
    pairings = services_of(request).pairings
    found = await blocking.work(pairings.claim, Secret(asked.credential))
    computer_id, name = (None, None) if found is None else found
    return PairingOutcome(computer_id=computer_id, name=name)


@routes.post("/look-up", responses=problems("Problem", 404))
async def look_up_pairing(
    request: Request, asked: TypedCode, caller: callers.Member
) -> WaitingMachine:
    """The machine that shows a code, to be compared with the one that is meant."""
    found = await blocking.work(services_of(request).pairings.look_up, caller, asked.code)
    new = found.registration
    return WaitingMachine(
        name=new.name,
        hostname=new.hostname,
        remote_user=new.remote_user,
        expires_at=found.expires_at,
    )


@routes.post("/approve", status_code=201, responses=problems("Problem", 404, 409))
async def approve_pairing(
    request: Request, asked: PairingApproval, caller: callers.Member
) -> PairingOutcome:
    """Make the machine that shows a code a computer of the caller. 409 `name_taken`,
    `host_registered`, `disk_copied` as when it is registered; the code stays good then.
    """
    pairings = services_of(request).pairings
    made = await blocking.work(pairings.approve, caller, asked.code, asked.name)
    return PairingOutcome(computer_id=made.computer_id, name=made.name)
