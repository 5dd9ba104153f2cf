"""Computers: register, have made, find, change, remove."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request, Response

from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers
from stationmaster.api.answers import told
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.computers import model, names, service
from stationmaster.computers.managed import service as managed_service
from stationmaster.errors import BadRequest

routes = router("/api/v0/computers", "Computers")

_LookedUp = Annotated[str, Path(min_length=1, max_length=names.NAME_LENGTH_MAX)]


@routes.get("", response_model=bodies.Computers, response_model_exclude_none=True)
async def list_computers(
    request: Request,
    response: Response,
    caller: callers.Member,
    with_steps: Annotated[bool, Query(alias="includeProvisioningSteps")] = False,
    host_id: Annotated[UUID | None, Query(alias="hostId")] = None,
) -> Response:
    """The computers that the caller may see, newest first.

    One's own; for managers and owners also those of service accounts.
    """
    services = services_of(request)
    host = None if host_id is None else str(host_id)
    found = await blocking.read(services.db, service.list_all, services.db, caller, host)
    shown = [bodies.computer(each, services.settings, with_steps=with_steps) for each in found]
    return told(bodies.Computers(computers=shown), response, exclude_none=True)


@routes.get("/providers")
async def list_providers(request: Request, _: callers.Member) -> bodies.Providers:
    """The providers that can be named: `managed` where the operator offers templates."""
    offers = bool(services_of(request).offer.templates)
    return bodies.Providers(providers=["byom", "managed"] if offers else ["byom"])


# The path of a name takes slashes too, and nothing at all, so that these are refused as names.
@routes.get(
    "/name/{name:path}", response_model_exclude_none=True, responses=problems("Problem", 409)
)
async def find_computer(
    request: Request, name: _LookedUp, caller: callers.Member
) -> bodies.Computer:
    """The computer of exactly this name, the caller's own before any other.

    409 with the `ids` of the candidates in `metadata` when several are left.
    """
    services = services_of(request)
    found = await blocking.read(services.db, service.find_named, services.db, caller, name)
    return bodies.computer(found, services.settings)


@routes.post(
    "", status_code=201, response_model_exclude_none=True, responses=problems("Problem", 409, 501)
)
async def create_computer(
    request: Request, asked: bodies.NewComputer, caller: callers.Member
) -> bodies.CreatedComputer:
    """Register the caller's own machine, or have a managed computer made.

    The answer for a machine holds its credential, which is not shown again; it is active at once. A
    managed computer is `provisioning`. 409 when the name is taken among the caller's computers, or
    the host is registered; 501 for a managed one where the operator offers no templates.
    """
    services = services_of(request)
    if asked.remote_user is None and asked.source is None:
        raise BadRequest("remoteUser is required when source is omitted", code="missing_user")
    if _provider(asked, services) == "managed":
        [managed] = await _make(services, caller, [asked.name], asked)
        return bodies.created_managed(managed, services.settings)
    if asked.remote_user is None or asked.source is not None:
        raise BadRequest("A machine of one's own is made of no source.", code="not_managed")
    new = bodies.registration(asked, asked.remote_user)
    made, credential = await blocking.work(service.register, services.db, caller, new)
    return bodies.registered_computer(made, credential, services.settings)


@routes.post(
    "/bulk",
    status_code=201,
    response_model=bodies.Computers,
    response_model_exclude_none=True,
    responses=problems("Problem", 409, 501),
)
async def create_computers(
    request: Request, asked: bodies.NewComputers, caller: callers.Member
) -> bodies.Computers:
    """Have up to twenty managed computers made, all or none, named `namePrefix-1` and so on;
    numbers whose name is taken are left out.
    """
    services = services_of(request)
    if asked.provider is not None and _provider(asked, services) != "managed":
        raise BadRequest("Machines of one's own register one by one.", code="not_managed")
    db = services.db
    free = await blocking.read(
        db, managed_service.numbered, db, caller, asked.name_prefix, asked.count
    )
    made = await _make(services, caller, free, asked)
    shown = [bodies.computer(each, services.settings) for each in made]
    return bodies.Computers(computers=shown)


async def _make(
    services: Services,
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


def _provider(
    asked: bodies.NewComputer | bodies.NewComputers, services: Services
) -> model.Provider:
    """The provider that is asked for; who names none but what only a managed computer has, means
    that."""
    provider = bodies.provider_of(asked.provider, services.settings)
    if provider is None:
        raise BadRequest("A provider is byom or managed.", code="unknown_provider")
    is_managed = asked.source is not None or asked.repos or asked.auto_install_deps
    return "managed" if asked.provider is None and is_managed else provider


@routes.get("/{computer_id}", response_model_exclude_none=True)
async def get_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """One computer by its id."""
    services = services_of(request)
    found = await blocking.read(services.db, service.get, services.db, caller, computer_id)
    return bodies.computer(found, services.settings)


@routes.patch(
    "/{computer_id}", response_model_exclude_none=True, responses=problems("Problem", 409)
)
async def change_computer(
    request: Request, computer_id: str, asked: bodies.ChangedComputer, caller: callers.Member
) -> bodies.Computer:
    """Rename a computer, or change what is told of it. 409 when its owner has that name in use."""
    services = services_of(request)
    found = await blocking.work(
        service.update, services.db, caller, computer_id, bodies.changes(asked)
    )
    return bodies.computer(found, services.settings)


@routes.delete("/{computer_id}", status_code=204)
async def remove_computer(request: Request, computer_id: str, caller: callers.Member) -> None:
    """Remove a computer, in whatever state; its credential ends with it. Removing again is fine."""
    services = services_of(request)
    await blocking.work(service.remove, services.db, caller, computer_id)
    await services.relay.drop(caller.org_id, computer_id)
