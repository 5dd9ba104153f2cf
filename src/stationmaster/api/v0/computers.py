"""Computers: register, find, change, remove.

This version registers machines that people have. What only a managed computer can do is refused.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request, Response

from stationmaster.api import blocking, callers
from stationmaster.api.answers import told
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.computers import model, names, service
from stationmaster.errors import BadRequest, Conflict, NotImplementedYet

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
async def list_providers(_: callers.Member) -> bodies.Providers:
    """The providers that this version serves."""
    return bodies.Providers(providers=list(model.SERVED))


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
) -> bodies.RegisteredComputer:
    """Register the caller's own machine; it is active at once.

    The answer holds the machine's credential, which is not shown again. 409 when the name is taken
    among the caller's computers, or the host is registered.
    """
    services = services_of(request)
    if asked.remote_user is None and asked.source is None:
        raise BadRequest("remoteUser is required when source is omitted", code="missing_user")
    provider = bodies.provider_of(asked.provider, services.settings)
    if provider is None:
        raise BadRequest("A provider is byom or managed.", code="unknown_provider")
    is_managed = provider == "managed" or asked.repos or asked.auto_install_deps
    if is_managed or asked.remote_user is None or asked.source is not None:
        raise _managed()
    new = bodies.registration(asked, asked.remote_user)
    made, credential = await blocking.work(service.register, services.db, caller, new)
    return bodies.registered_computer(made, credential, services.settings)


@routes.post(
    "/bulk",
    status_code=201,
    response_model=bodies.Computers,
    responses=problems("Problem", 501),
)
async def create_computers(_: callers.Member) -> bodies.Computers:
    """Create several managed computers; 501, since machines of one's own register one by one."""
    raise _managed()


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


@routes.post(
    "/{computer_id}/restart",
    response_model=bodies.Restarted,
    responses=problems("Problem", 409),
)
async def restart_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Restarted:
    """Restart a managed computer. 409 (`not_managed`) for a machine of one's own."""
    await _check_visible(request, caller, computer_id)
    raise _not_managed("restart it there")


@routes.post(
    "/{computer_id}/retry",
    response_model=bodies.Computer,
    responses=problems("Problem", 409),
)
async def retry_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """Set a managed computer up again after an error. 409 (`not_in_error`) for any other."""
    await _check_visible(request, caller, computer_id)
    raise Conflict("This computer is not in error: there is nothing to retry.", code="not_in_error")


@routes.post(
    "/{computer_id}/refresh",
    response_model=bodies.Refreshed,
    responses=problems("Problem", 409),
)
async def refresh_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Refreshed:
    """Hand credentials and secrets to a managed computer again. 409 (`not_managed`) for a machine
    of one's own.
    """
    await _check_visible(request, caller, computer_id)
    raise _not_managed("it uses the git credentials and the environment that are set up there")


@routes.post(
    "/{computer_id}/install-deps",
    response_model=bodies.Computer,
    responses=problems("Problem", 409),
)
async def install_computer_dependencies(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """Install what the repositories of a managed computer need. 409 (`not_managed`) for a machine
    of one's own.
    """
    await _check_visible(request, caller, computer_id)
    raise _not_managed("install there what its repositories need")


@routes.post(
    "/{computer_id}/activity",
    response_model=bodies.Activity,
    responses=problems("Problem", 409),
)
async def note_computer_activity(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Activity:
    """Keep a managed computer from being paused. 409 (`not_managed`) for a machine of one's own."""
    await _check_visible(request, caller, computer_id)
    raise _not_managed("it is never paused from here")


@routes.get("/{computer_id}/metrics", response_model=list[bodies.MetricSample])
async def get_computer_metrics(
    request: Request, computer_id: str, caller: callers.Member
) -> list[bodies.MetricSample]:
    """Processor, memory and disk of a managed computer in samples of five minutes, oldest first.
    400 (`not_managed`) for a machine of one's own, which is not measured.
    """
    await _check_visible(request, caller, computer_id)
    raise BadRequest("Only managed computers have metrics.", code="not_managed")


async def _check_visible(request: Request, caller: callers.Member, computer_id: str) -> None:
    db = services_of(request).db
    await blocking.read(db, service.get, db, caller, computer_id)


def _not_managed(advice: str) -> Conflict:
    return Conflict(f"This is its owner's machine: {advice}.", code="not_managed")


def _managed() -> NotImplementedYet:
    return NotImplementedYet(
        "This version has no managed computers: register a machine of your own, with the provider "
        "byom and without source, repos and autoInstallDeps.",
        code="managed_not_available",
    )
