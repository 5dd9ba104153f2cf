"""What only a managed computer can do: restart, set up again, wake, be measured."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request

from stationmaster import clock, days
from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.background import waking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.computers import service
from stationmaster.computers.managed import metrics, model, steps, templates
from stationmaster.computers.managed import service as managed
from stationmaster.errors import BadRequest, Conflict, Unavailable

routes = router("/api/v0/computers", "Computers")


@routes.post("/{computer_id}/restart", responses=problems("Problem", 409, 503))
async def restart_computer(
    request: Request, computer_id: str, asked: bodies.Restart, caller: callers.Member
) -> bodies.Restarted:
    """Restart a managed computer, and wait for up to two minutes until it is there again.

    `wasRestarted` is false for `resume` of one that runs. 409 `not_managed` for a machine of one's
    own, `not_active` while it is being set up or in error; 503 (`waking`) when it takes longer.
    """
    services = services_of(request)
    reboots = asked.mode == "reboot"
    restarts = await blocking.work(managed.restart, services.db, caller, computer_id, reboots)
    if restarts:
        await waking.until_up(services, caller.org_id, computer_id)
    return bodies.Restarted(was_restarted=restarts)


@routes.post(
    "/{computer_id}/retry",
    status_code=202,
    response_model=bodies.Computer,
    response_model_exclude_none=True,
    responses=problems("Problem", 409),
)
async def retry_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """Set a managed computer up again after an error: every step looks first at what is there.

    409 (`not_in_error`) for any other.
    """
    services = services_of(request)
    computer = await blocking.read(services.db, service.get, services.db, caller, computer_id)
    if computer.status != "error":
        raise Conflict(
            "This computer is not in error: there is nothing to retry.", code="not_in_error"
        )
    again = await blocking.work(managed.retry, services.db, caller, computer_id)
    return bodies.computer(again, services.settings)


@routes.post("/{computer_id}/refresh", responses=problems("Problem", 409, 503))
async def refresh_computer(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Refreshed:
    """Hand credentials of repositories and secrets to a managed computer again, and wait for up to
    two minutes until it has them. 409 (`not_managed`) for a machine of one's own.
    """
    services = services_of(request)
    step = model.ENVIRONMENT
    await blocking.work(managed.run_again, services.db, caller, computer_id, step)
    await waking.until_done(services, caller, computer_id, step)
    repositories, secrets = await blocking.read(services.db, _handed, services, caller, computer_id)
    return bodies.Refreshed(configured=repositories, secrets_configured=secrets)


@routes.post(
    "/{computer_id}/install-deps",
    response_model=bodies.Computer,
    response_model_exclude_none=True,
    responses=problems("Problem", 409),
)
async def install_computer_dependencies(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """Install what the repositories of a managed computer need; the step and its log say how far
    that is. 409 (`not_managed`) for a machine of one's own.
    """
    services = services_of(request)
    found = await blocking.work(
        managed.run_again, services.db, caller, computer_id, model.DEPENDENCIES
    )
    return bodies.computer(found, services.settings, with_steps=True)


@routes.post("/{computer_id}/activity", responses=problems("Problem", 409))
async def note_computer_activity(
    request: Request, computer_id: str, caller: callers.Member
) -> bodies.Activity:
    """Keep a managed computer from being paused. 409 (`not_managed`) for a machine of one's own."""
    db = services_of(request).db
    at = await blocking.work(managed.note_activity, db, caller, computer_id)
    return bodies.Activity(last_active_at=at)


@routes.get("/{computer_id}/metrics")
async def get_computer_metrics(
    request: Request,
    computer_id: str,
    caller: callers.Member,
    start: Annotated[
        str | None,
        Query(description="ISO 8601; without it, the last four days."),
        wire.described(format="date-time"),
    ] = None,
) -> list[bodies.MetricSample]:
    """Processor, memory and disk of a managed computer in averages of five minutes, oldest first.
    400 (`not_managed`) for a machine of one's own, which is not measured.
    """
    db = services_of(request).db
    since = clock.now_ms() - metrics.KEPT_MS if start is None else days.iso_ms(start)
    if since is None:
        raise BadRequest("start is a time in ISO 8601.", code="invalid_start")

    def read() -> list[metrics.Average]:
        computer = service.get(db, caller, computer_id)
        if computer.provider != "managed":
            raise BadRequest("Only managed computers have metrics.", code="not_managed")
        return metrics.since(db, caller.org_id, computer_id, since)

    return [bodies.sample(average) for average in await blocking.read(db, read)]


def _handed(services: Services, caller: Caller, computer_id: str) -> tuple[int, int]:
    computer, known = managed.known(services.db, caller, computer_id)
    template = services.offer.templates.get(known.template)
    if template is None:
        raise Unavailable("Its template is not offered any more.", code="no_template")
    place = steps.Place(
        services.db, services.settings, services.vault, templates.provider_of(template)
    )
    return steps.handed(place, computer, known)
