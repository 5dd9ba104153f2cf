"""The nouns of computers. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import msgspec

from stationmaster.access.model import PrincipalKind

Provider = Literal["byom", "managed"]
"""A machine of its owner's, or one that the platform makes and looks after."""
Status = Literal["provisioning", "active", "error"]
StepStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
JOB = "computer"
"""The kind of the job that brings a managed computer to what is wanted of it."""


class SetupStep(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One step of setting up a managed computer. `error` is a sentence for display."""

    id: str
    name: str
    status: StepStatus
    error: str | None = None
    started_at: int | None = None
    completed_at: int | None = None
    install_session_id: str | None = None


class Template(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="template"):
    """What a managed computer was made from: a template."""

    template_id: str


class CopySource(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="computer"):
    """What a managed computer was made from: another computer."""

    computer_id: str


class Computer(msgspec.Struct, frozen=True):
    """A machine that outlasts sessions. `host_id` is a UUID that the machine made for itself;
    `hostname` and `cloned_repo_directories` are what it says of itself.
    """

    computer_id: str
    name: str
    owner_kind: PrincipalKind
    owner_id: str
    provider: Provider
    status: Status
    created_at: int
    remote_user: str | None
    host_id: str | None
    hostname: str | None
    cloned_repo_directories: tuple[str, ...] = ()
    provisioning_steps: tuple[SetupStep, ...] = ()
    source: Template | CopySource | None = None


class StatusChange(NamedTuple):
    """A change of a computer's state, and who made it; `from_status` is None when it was made."""

    created_at: int
    from_status: str | None
    to_status: str
    cause: str
    actor_id: str


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """A machine that its owner registers.

    `machine_hash` (64 hexadecimal digits) stays the same as long as the machine does: a copied disk
    brings the `host_id` along, and another hash.
    """

    name: str
    remote_user: str
    host_id: str | None = None
    machine_hash: str | None = None
    hostname: str | None = None
    cloned_repo_directories: tuple[str, ...] = ()


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What to change of a computer; what is None stays."""

    name: str | None = None
    remote_user: str | None = None
    hostname: str | None = None
    cloned_repo_directories: tuple[str, ...] | None = None
