"""Pairing machines by a short code that a person who is signed in types."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Secret
from stationmaster.api import callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Opened, open_router, router
from stationmaster.api.v0.computer_bodies import Hostname, Name, User
from stationmaster.computers.model import Registration
from stationmaster.computers.pairings import PairingStart

open_routes = open_router("/api/platform/v1/pairings", "Computers")
routes = router("/api/platform/v1/pairings", "Computers")
NO_KEY: dict[str, Any] = {"security": []}
"""A machine that is to be paired has no key yet."""

Code = Annotated[str, Field(min_length=8, max_length=20, examples=["BCDF-GHJK"])]


class NewPairing(wire.Question):
    """The description of a machine, as for registering."""

    name: Name
    remote_user: User
    host_id: UUID
    machine_hash: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    hostname: Hostname | None = None


class BegunPairing(wire.Answer, record=PairingStart):
    """`code` is to be shown to a person; `credential` opens nothing until the code is approved.
    `expiresAt` is Unix milliseconds."""

    credential: str


class PairingClaim(wire.Question):
    credential: Annotated[str, Field(min_length=1, max_length=200)]


class PairingOutcome(wire.Answer):
    """`computerId` and `name` are null until the code is approved."""

    computer_id: str | None
    name: str | None


class TypedCode(wire.Question):
    code: Code


class PairingApproval(wire.Question):
    """With `name`, the computer gets another name than the machine's own."""

    code: Code
    name: Name | None = None


class WaitingMachine(wire.Answer):
    """A machine that shows a code, as it describes itself."""

    name: str
    hostname: str | None
    remote_user: str
    expires_at: int


@open_routes.post("", status_code=201, responses=problems(429, 503), openapi_extra=NO_KEY)
def begin_pairing(
    services: Opened, request: Request, response: Response, asked: NewPairing
) -> BegunPairing:
    """Request a code for a machine without a key; it is valid once and for ten minutes."""
    response.headers["Cache-Control"] = "no-store"
    new = Registration(**dict(asked) | {"host_id": str(asked.host_id)})
    address = None if request.client is None else request.client.host
    begun = services.pairings.begin(new, address)
    return BegunPairing.of(begun, credential=begun.credential.reveal())


@open_routes.post("/claim", responses=problems(410), openapi_extra=NO_KEY)
def claim_pairing(services: Opened, asked: PairingClaim) -> PairingOutcome:
    """Check whether a person has approved the code. 410 after it has expired."""
    claimed = services.pairings.claim(Secret(asked.credential))
    computer_id, name = (None, None) if claimed is None else claimed
    return PairingOutcome(computer_id=computer_id, name=name)


@routes.post("/look-up", responses=problems(404))
def look_up_pairing(services: Opened, asked: TypedCode, caller: callers.Member) -> WaitingMachine:
    """The machine that shows a code, to be compared with the expected one."""
    pairing = services.pairings.look_up(caller, asked.code)
    return WaitingMachine.of(pairing.registration, expires_at=pairing.expires_at)


@routes.post("/approve", status_code=201, responses=problems(404, 409))
def approve_pairing(
    services: Opened, asked: PairingApproval, caller: callers.Member
) -> PairingOutcome:
    """Register the machine that shows a code as a computer of the caller. 409 `name_taken`,
    `host_registered`, `disk_copied` as for registering; the code stays valid then.
    """
    made = services.pairings.approve(caller, asked.code, asked.name)
    return PairingOutcome.of(made)
