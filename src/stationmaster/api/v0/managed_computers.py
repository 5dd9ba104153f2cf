"""What only a managed computer can do: restart, set up again, wake, be measured; the secrets
that it gets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import Query
from pydantic import Field, SecretStr

from stationmaster import clock, days
from stationmaster.access.model import Caller, Secret
from stationmaster.api import blocking, callers, wire
from stationmaster.api.background import waking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.v0 import computer_bodies as bodies
from stationmaster.computers import secrets, service
from stationmaster.computers.managed import metrics, model, service as managed, steps, templates
from stationmaster.errors import BadRequest, Conflict, Unavailable

secret_routes = router("/api/v0/organization/computer-secrets", "Computers")

Name = Annotated[
    str,
    Field(min_length=1, max_length=secrets.NAME_LENGTH_MAX),
    wire.described(pattern="^[A-Z_][A-Z0-9_]*$"),
]

routes = router("/api/v0/computers", "Computers")


@routes.post("/{computer_id}/restart", responses=problems(409, 503))
async def restart_computer(
    services: Opened, computer_id: str, asked: bodies.Restart, caller: callers.Member
) -> bodies.Restarted:
    """Restart a managed computer, and wait for up to two minutes until it is connected again.
    `wasRestarted` is false for `resume` of a running computer. 409 `not_managed` for a machine
    that is not managed, `not_active` while it is being set up or in error; 503 (`waking`) when
    it takes longer."""
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
    responses=problems(409),
)
def retry_computer(services: Opened, computer_id: str, caller: callers.Member) -> bodies.Computer:
    """Set up a managed computer again after an error; every step first checks the current
    state. 409 (`not_in_error`) in any other state."""
    computer = service.get(services.db, caller, computer_id)
    if computer.status != "error":
        raise Conflict(
            "This computer is not in the state error, so it cannot be retried.", code="not_in_error"
        )
    again = managed.retry(services.db, caller, computer_id)
    return bodies.computer(again, services.settings)


@routes.post("/{computer_id}/refresh", responses=problems(409, 503))
async def refresh_computer(
    services: Opened, computer_id: str, caller: callers.Member
) -> bodies.Refreshed:
    """Install credentials of repositories and secrets on a managed computer again, and wait for
    up to two minutes. 409 (`not_managed`) for a machine that is not managed."""
    step = model.ENVIRONMENT
    await blocking.work(managed.run_again, services.db, caller, computer_id, step)
    await waking.until_done(services, caller, computer_id, step)
    repositories, secrets = await blocking.read(
        services.db, _credential_counts, services, caller, computer_id
    )
    return bodies.Refreshed(configured=repositories, secrets_configured=secrets)


@routes.post(
    "/{computer_id}/install-deps",
    response_model=bodies.Computer,
    response_model_exclude_none=True,
    responses=problems(409),
)
def install_computer_dependencies(
    services: Opened, computer_id: str, caller: callers.Member
) -> bodies.Computer:
    """Install dependencies of the repositories of a managed computer; the step and its log show
    the progress. 409 (`not_managed`) for a machine that is not managed."""
    computer = managed.run_again(services.db, caller, computer_id, model.DEPENDENCIES)
    return bodies.computer(computer, services.settings, with_steps=True)


@routes.post("/{computer_id}/activity", responses=problems(409))
def note_computer_activity(db: Db, computer_id: str, caller: callers.Member) -> bodies.Activity:
    """Keep a managed computer from being paused. 409 (`not_managed`) for a machine that is not
    managed."""
    at = managed.note_activity(db, caller, computer_id)
    return bodies.Activity(last_active_at=at)


@routes.get("/{computer_id}/metrics")
@blocking.reads
def get_computer_metrics(
    db: Db,
    computer_id: str,
    caller: callers.Member,
    start: Annotated[
        str | None,
        Query(description="ISO 8601; by default four days ago."),
        wire.described(format="date-time"),
    ] = None,
) -> list[bodies.MetricSample]:
    """Processor, memory and disk of a managed computer in averages of five minutes, oldest first.
    400 (`not_managed`) for a machine that is not managed, which is not measured.
    """
    since = clock.now_ms() - metrics.KEPT_MS if start is None else days.iso_ms(start)
    if since is None:
        raise BadRequest("start is a time in ISO 8601.", code="invalid_start")
    computer = service.get(db, caller, computer_id)
    if computer.provider != "managed":
        raise BadRequest("Only managed computers have metrics.", code="not_managed")
    averages = metrics.since(db, caller.org_id, computer_id, since)
    return [bodies.MetricSample.of(average) for average in averages]


def _credential_counts(services: Opened, caller: Caller, computer_id: str) -> tuple[int, int]:
    computer, machine = managed.computer_and_machine(services.db, caller, computer_id)
    template = services.offer.templates.get(machine.template)
    if template is None:
        raise Unavailable("Its template is not offered any more.", code="no_template")
    place = steps.StepContext(
        services.db, services.settings, services.vault, templates.provider_of(template)
    )
    return steps.credential_counts(place, computer, machine)


class ComputerSecret(wire.Question):
    key: Name
    value: Annotated[SecretStr, Field(min_length=1, max_length=secrets.VALUE_LENGTH_MAX)]


class ComputerSecretChanges(wire.Question):
    """A key has capital letters, digits and underscores, and no digit in front."""

    upsert: Annotated[tuple[ComputerSecret, ...], Field(max_length=secrets.SECRETS_MAX)] = ()
    delete: Annotated[tuple[Name, ...], Field(max_length=secrets.SECRETS_MAX)] = ()


class ComputerSecretName(wire.Answer):
    key: str


class ComputerSecrets(wire.Answer):
    """The keys of secrets. Values are written and never read back."""

    secrets: list[ComputerSecretName]


def _answer(names: Iterable[str]) -> ComputerSecrets:
    return ComputerSecrets(secrets=[ComputerSecretName(key=name) for name in names])


@secret_routes.get("")
@blocking.reads
def list_computer_secrets(db: Db, caller: callers.Manager) -> ComputerSecrets:
    """The keys of the organization's secrets for its computers."""
    return _answer(secrets.list_names(db, caller.org_id))


@secret_routes.patch("")
def change_computer_secrets(
    services: Opened, asked: ComputerSecretChanges, caller: callers.Manager
) -> ComputerSecrets:
    """Set and delete secrets, all or none. The answer has the keys after the change."""
    values = {secret.key: Secret(secret.value.get_secret_value()) for secret in asked.upsert}
    if len(values) < len(asked.upsert):
        raise BadRequest("A secret is set once in a request.", code="invalid_secret")
    left = secrets.change(services.db, services.vault, caller, values, asked.delete)
    return _answer(left)
