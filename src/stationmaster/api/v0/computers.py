"""Computers: register, have made, find, change, remove."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response

from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Opened, router
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.api.wire import body_answer
from stationmaster.computers import model, service
from stationmaster.computers.managed import service as managed_service
from stationmaster.errors import BadRequest

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
    return body_answer(bodies.Computers(computers=shown), response, exclude_none=True)


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
    has its credential, which is shown once; it is active at once. A
    managed computer is `provisioning`. 409 when the name is taken among the caller's computers, or
    the host is registered; 501 for a managed one if the operator offers no templates.
    """
    if asked.remote_user is None and asked.source is None:
        raise BadRequest("remoteUser is required when source is omitted", code="missing_user")
    if _provider(asked, services) == "managed":
        [managed] = await _make(services, caller, [asked.name], asked)
        return bodies.created(managed, services.settings)
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
    free = await blocking.read(
        db, managed_service.numbered, db, caller, asked.name_prefix, asked.count
    )
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
        managed_service.create,
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
