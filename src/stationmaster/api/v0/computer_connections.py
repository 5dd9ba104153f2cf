"""Reaching a computer: whether it is connected, and letting an SSH key in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import Field

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.background import waking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.computers import presence, remote_access, service
from stationmaster.computers.managed import service as managed
from stationmaster.computers.relay.hub import offline
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict

routes = router("/api/v0/computers", "Computers")

GRANT_S = 300
"""How long a key is let in: a login must begin within this time, and goes on after it."""


class Connection(wire.Answer):
    """Whether a computer's agent is connected, and since when; times are UTC milliseconds.

    A managed computer that is `asleep` wakes when it is used.

    `newHostKeys` are SSH host keys other than the trusted ones, which the computer shows now.
    """

    state: Literal["online", "offline", "asleep"]
    since: int | None = None
    last_seen_at: int | None = None
    agent_version: str | None = None
    host_keys: list[str]
    new_host_keys: list[str]


class PublicKey(wire.Question):
    public_key: Annotated[
        str,
        Field(
            min_length=20,
            max_length=4096,
            pattern=r"^(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [\x20-\x7e]*)?$",
            examples=["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"],
        ),
    ]


class Grant(wire.Answer):
    """What an SSH client needs to log in until `until`, in UTC milliseconds."""

    id: str
    remote_user: str
    host_keys: list[str]
    until: int


@routes.get("/{computer_id}/connection", response_model=Connection)
async def get_computer_connection(
    request: Request, computer_id: str, caller: callers.Member
) -> Connection:
    """Whether a computer's agent is connected to the relay."""
    db = services_of(request).db
    found = await _presence(db, caller, computer_id)
    if found is None:
        return Connection(state="offline", host_keys=[], new_host_keys=[])
    sleeps = found.state == "offline" and await blocking.read(
        db, managed.is_asleep, db, caller.org_id, computer_id
    )
    return Connection(
        state="asleep" if sleeps else found.state,
        since=found.since,
        last_seen_at=found.last_seen_at,
        agent_version=found.agent_version,
        host_keys=list(found.host_keys),
        new_host_keys=list(found.new_host_keys),
    )


@routes.post(
    "/{computer_id}/ssh-grants",
    status_code=201,
    response_model=Grant,
    responses=problems("Problem", 409, 429, 503),
)
async def create_ssh_grant(
    request: Request, computer_id: str, asked: PublicKey, caller: callers.Member
) -> Grant:
    """Let a public SSH key log in to a computer, for five minutes.

    409 `offline` while the computer is not connected, `host_key_changed` while it shows other host
    keys than the trusted ones, `no_ssh_server` where it has none; 403 `remote_access_off`.
    """
    services = services_of(request)
    computer = await blocking.read(services.db, remote_access.get, services.db, caller, computer_id)
    await waking.awake(services, caller.org_id, computer_id)
    found = await _presence(services.db, caller, computer_id)
    if found is None or found.process is None:
        raise Conflict(offline().detail, code="offline")
    if found.new_host_keys:
        raise Conflict(
            "This computer shows another SSH host key than before. If it was installed anew, trust "
            "it: `stationmaster computers trust NAME`.",
            code="host_key_changed",
        )
    if not found.host_keys or computer.remote_user is None:
        raise Conflict(
            "This computer has no SSH server: install openssh-server on it.", code="no_ssh_server"
        )
    grant = await services.relay.authorize(caller.org_id, computer_id, asked.public_key, GRANT_S)
    return Grant(
        id=grant,
        remote_user=computer.remote_user,
        host_keys=list(found.host_keys),
        until=clock.now_ms() + GRANT_S * 1000,
    )


@routes.post("/{computer_id}/host-keys/trust", status_code=204)
async def trust_computer_host_keys(
    request: Request, computer_id: str, caller: callers.Member
) -> Response:
    """Trust the SSH host keys that a computer shows now, instead of those from before."""
    db = services_of(request).db
    await blocking.work(presence.trust, db, caller, computer_id)
    return Response(status_code=204)


async def _presence(db: Database, caller: Caller, computer_id: str) -> presence.Presence | None:
    def read() -> presence.Presence | None:
        computer = service.get(db, caller, computer_id)
        return presence.of(db, caller.org_id, computer.computer_id)

    return await blocking.read(db, read)
