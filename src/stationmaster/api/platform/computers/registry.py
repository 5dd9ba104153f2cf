"""Registering a computer by the code that it shows, the switches of remote access to computers, and
what happened to one."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import msgspec
from pydantic import Field, StrictBool
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import EMAIL_LENGTH_MAX, Caller, Secret
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, open_router, router
from stationmaster.api.v0.computer_bodies import Hostname, Name, ProvisioningStep, User
from stationmaster.computers import remote_access, service
from stationmaster.computers.managed import store
from stationmaster.computers.model import Registration, StatusChange
from stationmaster.computers.pairings import PairingStart
from stationmaster.ids import user_of_email

open_routes = open_router("/api/platform/v1/pairings", "Computers")
pairing_routes = router("/api/platform/v1/pairings", "Computers")
NO_KEY: dict[str, Any] = {"security": []}
"""A machine that is to be paired has no key yet."""

Code = Annotated[str, Field(min_length=8, max_length=20, examples=["BCDF-GHJK"])]

history_routes = router("/api/platform/v1/computers", "Computers")

routes = router("/api/platform/v1/remote-access", "Computers")

ORGANIZATION, ME = "organization", "me"


class RemoteAccess(wire.Answer, record=remote_access.RemoteAccess):
    """Whether the switches of the organization and of the caller are on; `othersOff` are ids of
    others whose switch is off, for owners and managers."""


class RemoteAccessChange(wire.Question):
    """`of` is `organization`, `me`, or a member's e-mail address or the id of a principal."""

    of: Annotated[
        str,
        Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE, examples=[ME]),
    ]
    is_on: StrictBool


@routes.get("")
@blocking.reads
def get_remote_access(db: Db, caller: callers.Member) -> RemoteAccess:
    """Whether remote access to computers is on."""
    return _standing(db, caller)


@routes.put("", responses=problems(404))
def set_remote_access(db: Db, asked: RemoteAccessChange, caller: callers.Member) -> RemoteAccess:
    """Switch remote access on or off: owners for the organization, owners and managers for
    others, everyone for themselves, unless another person has switched it off.
    """
    who = asked.of
    if who in (ORGANIZATION, ME):
        who = remote_access.EVERYBODY if who == ORGANIZATION else caller.principal_id
    elif "@" in who:
        who = user_of_email(caller.org_id, who)
    remote_access.switch(db, caller, who, is_on=asked.is_on)
    return _standing(db, caller)


def _standing(db: Db, caller: Caller) -> RemoteAccess:
    return RemoteAccess.of(remote_access.standing(db, caller))


class ComputerChange(wire.Answer, record=StatusChange):
    """A change of a computer's state, at a time in Unix milliseconds; `fromStatus` is null for
    its creation, and `toStatus` is `removed` for its removal."""


class ComputerHistory(wire.Answer):
    """Newest first, up to 200 changes."""

    changes: list[ComputerChange]


@history_routes.get("/{computer_id}/history")
@blocking.reads
def get_history(db: Db, computer_id: str, caller: callers.Member) -> ComputerHistory:
    """The changes of a computer's state: when, why and by whom."""
    return ComputerHistory.of(changes=service.history(db, caller, computer_id))


class StepLog(ProvisioningStep):
    """A step with the end of its log, up to 64 KiB, without secrets."""

    log: str


class StepLogs(wire.Answer):
    """In order; empty for a machine that is not managed."""

    steps: list[StepLog]


@history_routes.get("/{computer_id}/steps", response_model_exclude_none=True)
@blocking.reads
def get_steps(db: Db, computer_id: str, caller: callers.Member) -> StepLogs:
    """The steps of setting up a managed computer, with their current logs."""
    computer = service.get(db, caller, computer_id)
    logs = store.logs(db, caller.org_id, computer_id)
    return StepLogs(
        steps=[
            StepLog(**msgspec.to_builtins(step), log=logs.get(step.id, ""))
            for step in computer.provisioning_steps
        ]
    )


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


@pairing_routes.post("/look-up", responses=problems(404))
def look_up_pairing(services: Opened, asked: TypedCode, caller: callers.Member) -> WaitingMachine:
    """The machine that shows a code, to be compared with the expected one."""
    pairing = services.pairings.look_up(caller, asked.code)
    return WaitingMachine.of(pairing.registration, expires_at=pairing.expires_at)


@pairing_routes.post("/approve", status_code=201, responses=problems(404, 409))
def approve_pairing(
    services: Opened, asked: PairingApproval, caller: callers.Member
) -> PairingOutcome:
    """Register the machine that shows a code as a computer of the caller. 409 `name_taken`,
    `host_registered`, `disk_copied` as for registering; the code stays valid then.
    """
    made = services.pairings.approve(caller, asked.code, asked.name)
    return PairingOutcome.of(made)
