"""Reaching a computer: whether it is connected, and letting an SSH key in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Response
from pydantic import Field

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.background import waking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.computers import presence, remote_access, service
from stationmaster.computers.managed import service as managed
from stationmaster.computers.relay.hub import offline
from stationmaster.errors import Conflict

routes = router("/api/v0/computers", "Computers")

GRANT_S = 300
"""How long a key is let in: a login must begin within this time, and goes on after it."""


class Connection(wire.Answer):
    """Whether a computer's agent is connected, and since when; times are UTC milliseconds.

    A managed computer that is `asleep` wakes when it is used. `newHostKeys` are its current SSH
    host keys if they differ from the trusted ones.
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
async def get_computer_connection(db: Db, computer_id: str, caller: callers.Member) -> Connection:
    """Whether a computer's agent is connected to the relay."""
    connection = await _presence(db, caller, computer_id)
    if connection is None:
        return Connection(state="offline", host_keys=[], new_host_keys=[])
    sleeps = connection.state == "offline" and await blocking.read(
        db, managed.is_asleep, db, caller.org_id, computer_id
    )
    return Connection.of(connection, state="asleep" if sleeps else connection.state)


@routes.post(
    "/{computer_id}/ssh-grants",
    status_code=201,
    response_model=Grant,
    responses=problems(409, 429, 503),
)
async def create_ssh_grant(
    services: Opened, computer_id: str, asked: PublicKey, caller: callers.Member
) -> Grant:
    """Permit a public SSH key to log in to a computer, for five minutes.

    409 `offline` while the computer is not connected, `host_key_changed` while it shows other host
    keys than the trusted ones, `no_ssh_server` if it has none; 403 `remote_access_off`.
    """
    computer = await blocking.read(services.db, remote_access.get, services.db, caller, computer_id)
    await waking.awake(services, caller.org_id, computer_id)
    connection = await _presence(services.db, caller, computer_id)
    if connection is None or connection.process is None:
        raise Conflict(offline().detail, code="offline")
    if connection.new_host_keys:
        raise Conflict(
            "The SSH host key of this computer has changed. If it was reinstalled, trust it: "
            "`stationmaster computers trust NAME`.",
            code="host_key_changed",
        )
    if not connection.host_keys or computer.remote_user is None:
        raise Conflict(
            "This computer has no SSH server: install openssh-server on it.", code="no_ssh_server"
        )
    grant = await services.relay.authorize(caller.org_id, computer_id, asked.public_key, GRANT_S)
    return Grant(
        id=grant,
        remote_user=computer.remote_user,
        host_keys=list(connection.host_keys),
        until=clock.now_ms() + GRANT_S * 1000,
    )


@routes.post("/{computer_id}/host-keys/trust", status_code=204)
def trust_computer_host_keys(db: Db, computer_id: str, caller: callers.Member) -> Response:
    """Trust the current SSH host keys of a computer instead of the earlier ones."""
    presence.trust(db, caller, computer_id)
    return Response(status_code=204)


async def _presence(db: Db, caller: Caller, computer_id: str) -> presence.Presence | None:
    def read() -> presence.Presence | None:
        computer = service.get(db, caller, computer_id)
        return presence.of(db, caller.org_id, computer.computer_id)

    return await blocking.read(db, read)
