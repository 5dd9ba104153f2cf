"""Computers: register, have made, find, change, remove, and where one is reached."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path, Query, Response
from pydantic import Field

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.background import waking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.computers import model, presence, remote_access, service
from stationmaster.computers.managed import service as managed
from stationmaster.computers.relay.hub import offline
from stationmaster.errors import BadRequest, Conflict

GRANT_S = 300
"""How long a key is let in: a login must begin within this time, and continues after it."""

routes = router("/api/v0/computers", "Computers")

_LookedUp = Annotated[str, Path(min_length=1, max_length=model.NAME_LENGTH_MAX)]


@routes.get("", response_model=bodies.Computers, response_model_exclude_none=True)
@blocking.reads
def list_computers(
    services: Opened,
    response: Response,
    caller: callers.Member,
    with_steps: Annotated[bool, Query(alias="includeProvisioningSteps")] = False,
    host_id: Annotated[UUID | None, Query(alias="hostId")] = None,
) -> Response:
    """The computers that the caller may see, newest first.

    The caller's own; for managers and owners also those of service accounts.
    """
    host = None if host_id is None else str(host_id)
    computers = service.list_all(services.db, caller, host)
    shown = [
        bodies.computer(computer, services.settings, with_steps=with_steps)
        for computer in computers
    ]
    return wire.body_answer(bodies.Computers(computers=shown), response, exclude_none=True)


@routes.get("/providers")
async def list_providers(services: Opened, _: callers.Member) -> bodies.Providers:
    """The available providers: `managed` if the operator offers templates."""
    offers = bool(services.offer.templates)
    return bodies.Providers(providers=["byom", "managed"] if offers else ["byom"])


# The path of a name takes slashes too, and nothing at all, so that these are refused as names.
@routes.get("/name/{name:path}", response_model_exclude_none=True, responses=problems(409))
@blocking.reads
def find_computer(services: Opened, name: _LookedUp, caller: callers.Member) -> bodies.Computer:
    """The computer with exactly this name, the caller's own first. 409 with the `ids` of the
    candidates in `metadata` if several match."""
    computer = service.find_named(services.db, caller, name)
    return bodies.computer(computer, services.settings)


@routes.post("", status_code=201, response_model_exclude_none=True, responses=problems(409, 501))
async def create_computer(
    services: Opened, asked: bodies.NewComputer, caller: callers.Member
) -> bodies.CreatedComputer:
    """Register the caller's own machine, or create a managed computer. The answer for a machine
    has its credential, which is shown once; it is active immediately. A
    managed computer is `provisioning`. 409 when the name is taken among the caller's computers, or
    the host is registered; 501 for a managed one if the operator offers no templates.
    """
    if asked.remote_user is None and asked.source is None:
        raise BadRequest("remoteUser is required when source is omitted", code="missing_user")
    if _provider(asked, services) == "managed":
        [made] = await _make(services, caller, [asked.name], asked)
        return bodies.created(made, services.settings)
    if asked.remote_user is None or asked.source is not None:
        raise BadRequest("`source` is only for managed computers.", code="not_managed")
    new = bodies.registration(asked, asked.remote_user)
    made, credential = await blocking.work(service.register, services.db, caller, new)
    return bodies.created(made, services.settings, credential)


@routes.post(
    "/bulk",
    status_code=201,
    response_model=bodies.Computers,
    response_model_exclude_none=True,
    responses=problems(409, 501),
)
async def create_computers(
    services: Opened, asked: bodies.NewComputers, caller: callers.Member
) -> bodies.Computers:
    """Create up to twenty managed computers, all or none, named `namePrefix-1` and so on;
    numbers whose name is taken are skipped."""
    if asked.provider is not None and _provider(asked, services) != "managed":
        raise BadRequest("Only managed computers are created in bulk.", code="not_managed")
    db = services.db
    free = await blocking.read(db, managed.numbered, db, caller, asked.name_prefix, asked.count)
    made = await _make(services, caller, free, asked)
    shown = [bodies.computer(computer, services.settings) for computer in made]
    return bodies.Computers(computers=shown)


async def _make(
    services: Opened,
    caller: Caller,
    names: list[str],
    asked: bodies.NewComputer | bodies.NewComputers,
) -> list[model.Computer]:
    return await blocking.work(
        managed.create,
        services.db,
        services.offer,
        caller,
        names,
        bodies.wanted(asked),
    )


def _provider(asked: bodies.NewComputer | bodies.NewComputers, services: Opened) -> model.Provider:
    """The provider that is asked for; who names none but what only a managed computer has, means
    that."""
    provider = bodies.provider_of(asked.provider, services.settings)
    if provider is None:
        raise BadRequest("A provider is byom or managed.", code="unknown_provider")
    is_managed = asked.source is not None or asked.repos or asked.auto_install_deps
    return "managed" if asked.provider is None and is_managed else provider


@routes.get("/{computer_id}", response_model_exclude_none=True)
@blocking.reads
def get_computer(services: Opened, computer_id: str, caller: callers.Member) -> bodies.Computer:
    """One computer by its id."""
    computer = service.get(services.db, caller, computer_id)
    return bodies.computer(computer, services.settings)


@routes.patch("/{computer_id}", response_model_exclude_none=True, responses=problems(409))
def change_computer(
    services: Opened, computer_id: str, asked: bodies.ChangedComputer, caller: callers.Member
) -> bodies.Computer:
    """Rename a computer, or change its description. 409 if its owner already uses the name."""
    computer = service.update(services.db, caller, computer_id, bodies.changes(asked))
    return bodies.computer(computer, services.settings)


@routes.delete("/{computer_id}", status_code=204)
async def remove_computer(services: Opened, computer_id: str, caller: callers.Member) -> None:
    """Remove a computer in any state, and revoke its credential. A repeated request succeeds."""
    await blocking.work(service.remove, services.db, caller, computer_id)
    await services.relay.drop(caller.org_id, computer_id)


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
    await waking.awake(services, caller, computer_id)
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
    service.trust(db, caller, computer_id)
    return Response(status_code=204)


async def _presence(db: Db, caller: Caller, computer_id: str) -> presence.Presence | None:
    def read() -> presence.Presence | None:
        computer = service.get(db, caller, computer_id)
        return presence.of(db, caller.org_id, computer.computer_id)

    return await blocking.read(db, read)
