"""How computers look on the wire. Times are UTC milliseconds."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from pydantic import AfterValidator, BeforeValidator, Field, StrictBool

from stationmaster import days
from stationmaster.access.model import PrincipalKind, Secret
from stationmaster.api import wire
from stationmaster.computers import model
from stationmaster.computers.managed import model as managed
from stationmaster.computers.managed.metrics import Average
from stationmaster.repos import addresses
from stationmaster.settings import Settings

Name = Annotated[
    str,
    Field(min_length=1, max_length=model.NAME_LENGTH_MAX, examples=["build-1"]),
    wire.described(pattern=r"^[a-z0-9](?!.--)([a-z0-9-]*[a-z0-9])?$"),
]
User = Annotated[
    str,
    Field(min_length=1, max_length=model.USER_LENGTH_MAX, examples=["dev"]),
    wire.described(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@+-]*\$?$"),
]
Hostname = Annotated[
    str,
    Field(min_length=1, max_length=model.HOSTNAME_LENGTH_MAX),
    wire.described(pattern=wire.ONE_LINE),
]
Directories = Annotated[
    tuple[
        Annotated[
            str,
            Field(min_length=1, max_length=model.DIRECTORY_LENGTH_MAX),
            wire.described(pattern=r"^/[^\x00-\x1f\x7f]*$"),
        ],
        ...,
    ],
    Field(max_length=model.DIRECTORIES_MAX),
]


Repos = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=addresses.LENGTH_MAX)], ...],
    Field(max_length=managed.REPOS_MAX),
]


class TemplateSource(wire.Question):
    kind: Literal["template"]
    template_id: str


class ComputerSource(wire.Question):
    kind: Literal["computer"]
    computer_id: str


Source = Annotated[TemplateSource | ComputerSource, Field(discriminator="kind")]


class ProvisioningStep(wire.Question):
    """One step of setting up a managed computer. `error` is a sentence for display."""

    id: str
    name: str
    status: model.StepStatus
    error: str | None = None
    started_at: int | None = None
    completed_at: int | None = None
    install_session_id: str | None = None


class Computer(wire.Answer):
    """A machine that persists between sessions. `providerType` is `byom` for a person's own
    machine. `provisioningSteps` are included while `status` is not `active`, or on request."""

    id: str
    name: str
    provider_type: str
    status: model.Status
    created_at: int
    host_id: UUID | None = None
    hostname: str | None = None
    remote_user: str | None = None
    relay_client_url: str
    relay_agent_url: str
    provisioning_steps: list[ProvisioningStep] | None = None
    cloned_repo_directories: list[str]
    owner_principal_kind: PrincipalKind
    owner_id: str
    computer_source: Source | None = None


class CreatedComputer(Computer):
    """A machine of the caller with its credential, which is shown once; null for a managed
    computer."""

    machine_credential: str | None = None


class Computers(wire.Answer):
    computers: list[Computer]


class Providers(wire.Answer):
    providers: list[model.Provider]


class Restarted(wire.Answer):
    was_restarted: bool


class Refreshed(wire.Answer):
    """The number of repositories with credentials and of secrets on the computer."""

    configured: int
    secrets_configured: int


class Activity(wire.Answer):
    """UTC milliseconds."""

    last_active_at: int


class MetricSample(wire.Answer, record=Average):
    """`timestamp` is ISO 8601; memory and disk are in bytes."""

    began_at: Annotated[str, BeforeValidator(partial(days.iso, timespec="seconds"))] = wire.sent_as(
        "timestamp"
    )
    cpu_used_pct: Annotated[float, AfterValidator(lambda percent: round(percent, 2))]


class NewComputer(wire.Question):
    """`hostId` is a UUID that the machine stores, `machineHash` a hash of its permanent machine
    id. `source`, `repos` and `autoInstallDeps` are for managed computers."""

    name: Name
    provider: str | None = None
    remote_user: User | None = None
    source: Source | None = None
    repos: Repos = ()
    auto_install_deps: StrictBool = False
    host_id: UUID | None = None
    machine_hash: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    hostname: Hostname | None = None
    cloned_repo_directories: Directories = ()


class NewComputers(wire.Question):
    """Managed computers that differ only in their names: `namePrefix-1`, `namePrefix-2`, …"""

    name_prefix: Annotated[
        str,
        Field(min_length=1, max_length=model.NAME_LENGTH_MAX, examples=["build"]),
        wire.described(pattern=r"^[a-z](?!.--)([a-z0-9-]*[a-z0-9])?$"),
    ]
    count: Annotated[int, Field(ge=1, le=managed.BULK_MAX, strict=True), wire.WHOLE]
    provider: str | None = None
    remote_user: User | None = None
    source: Source | None = None
    repos: Repos = ()
    auto_install_deps: StrictBool = False


class Restart(wire.Question):
    """`resume` starts a stopped computer, `reboot` restarts it in any case."""

    mode: Literal["resume", "reboot"] = "reboot"


class ChangedComputer(wire.Question):
    """Members that are left out or null stay unchanged."""

    name: Name | None = None
    remote_user: User | None = None
    hostname: Hostname | None = None
    cloned_repo_directories: Directories | None = None


def provider_of(word: str | None, settings: Settings) -> model.Provider | None:
    """The provider that a client names, `byom` where it names none; None for an unknown word."""
    if word is None:
        return "byom"
    if word == settings.vendor_provider_name:
        return "managed"
    return word if word in model.PROVIDERS else None


def registration(asked: NewComputer, remote_user: str) -> model.Registration:
    """What a body registers, with its remote user, which the caller has checked to be there."""
    return model.Registration(
        name=asked.name,
        remote_user=remote_user,
        host_id=None if asked.host_id is None else str(asked.host_id),
        machine_hash=asked.machine_hash,
        hostname=asked.hostname,
        cloned_repo_directories=asked.cloned_repo_directories,
    )


def changes(asked: ChangedComputer) -> model.Changes:
    """What a body changes; a member that it lacks is None."""
    return model.Changes(**dict(asked))


def computer(stored: model.Computer, settings: Settings, *, with_steps: bool = False) -> Computer:
    """The body of a computer; with its steps in any case while it is not active."""
    return Computer.of(stored, **_members(stored, settings, with_steps))


def created(
    made: model.Computer, settings: Settings, credential: Secret | None = None
) -> CreatedComputer:
    """The body of a new machine with its credential, or of a managed computer with its steps."""
    members = _members(made, settings, with_steps=credential is None)
    shown = None if credential is None else credential.reveal()
    return CreatedComputer.of(made, **members, machine_credential=shown)


def wanted(asked: NewComputer | NewComputers) -> managed.NewComputer:
    """What the platform is to make."""
    source = asked.source
    return managed.NewComputer(
        remote_user=asked.remote_user,
        template=source.template_id if isinstance(source, TemplateSource) else None,
        copy_of=source.computer_id if isinstance(source, ComputerSource) else None,
        repos=asked.repos,
        installs_dependencies=asked.auto_install_deps,
    )


def _members(stored: model.Computer, settings: Settings, with_steps: bool) -> dict[str, Any]:
    relay = f"{_relay_address(settings)}/computers/{stored.computer_id}"
    is_renamed = stored.provider == "managed" and settings.vendor_provider_name is not None
    shows_steps = with_steps or stored.status != "active"
    return {
        "id": stored.computer_id,
        "provider_type": settings.vendor_provider_name if is_renamed else stored.provider,
        "relay_client_url": f"{relay}/connect",
        "relay_agent_url": f"{relay}/listen",
        "provisioning_steps": msgspec.to_builtins(stored.provisioning_steps)
        if shows_steps
        else None,
        "owner_principal_kind": stored.owner_kind,
        "owner_id": stored.owner_id,
        "computer_source": None if stored.source is None else msgspec.to_builtins(stored.source),
    }


def _relay_address(settings: Settings) -> str:
    """Where the relay is: on the application's host, over WebSocket."""
    return settings.app_address.replace("http", "ws", 1) + "/relay/v1"
