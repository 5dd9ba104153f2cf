"""The nouns of computers, and what computers and things on them may be called."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

import msgspec

from stationmaster.access.model import PrincipalKind
from stationmaster.errors import BadRequest

NAME_LENGTH_MAX = 63
USER_LENGTH_MAX = 63
HOSTNAME_LENGTH_MAX = 253
"""The longest name that DNS can carry: RFC 1035, 2.3.4, without the dot at the end."""
DIRECTORY_LENGTH_MAX = 1_024
DIRECTORIES_MAX = 200

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]*\$?")
_LOCAL_DOMAINS = (".local", ".localdomain", ".lan", ".home", ".home.arpa", ".internal")
_UNNAMED = "computer"


def is_name(text: str) -> bool:
    """Whether a computer may have this name: it is a label of DNS, in lower case.

    DNS keeps two hyphens in the third and fourth place for itself (RFC 5891, 4.2.3.1).
    """
    return len(text) <= NAME_LENGTH_MAX and _NAME.fullmatch(text) is not None and text[2:4] != "--"


def name_of(text: str) -> str:
    """The name of a computer as given; raises BadRequest."""
    if not is_name(text):
        raise BadRequest(
            f"A computer's name has 1 to {NAME_LENGTH_MAX} lower-case letters, digits and hyphens; "
            "it does not begin or end with a hyphen, and does not have hyphens as its third and "
            "fourth characters.",
            code="invalid_name",
        )
    return text


def user_of(text: str) -> str:
    """The name of an account on a computer; raises BadRequest.

    It will be an argument of programs, so it never looks like an option of theirs.
    """
    if len(text) > USER_LENGTH_MAX or _USER.fullmatch(text) is None:
        raise BadRequest(
            f"remoteUser is the name of an account: 1 to {USER_LENGTH_MAX} letters, digits and "
            "_ . @ + -, beginning with a letter, a digit or _.",
            code="invalid_user",
        )
    return text


def hostname_of(text: str) -> str:
    """A host name for people to read; raises BadRequest."""
    if not 0 < len(text) <= HOSTNAME_LENGTH_MAX or not text.isprintable():
        raise BadRequest(
            f"A host name has 1 to {HOSTNAME_LENGTH_MAX} printable characters.",
            code="invalid_hostname",
        )
    return text


def directory_of(text: str) -> str:
    """The absolute path of a folder on a computer; raises BadRequest."""
    if not text.startswith("/") or len(text) > DIRECTORY_LENGTH_MAX or not text.isprintable():
        raise BadRequest(
            "A directory of a clone is an absolute path of at most "
            f"{DIRECTORY_LENGTH_MAX} printable characters.",
            code="invalid_directory",
        )
    return text


def derived(host: str) -> str:
    """The name of a computer whose owner gave none: its host name, made to fit."""
    lower = host.lower().rstrip(".")
    for domain in _LOCAL_DOMAINS:
        lower = lower.removesuffix(domain)
    fitting = re.sub(r"[^a-z0-9]+", "-", lower).strip("-")
    return fitting[:NAME_LENGTH_MAX].rstrip("-") or _UNNAMED


def numbered(name: str, number: int) -> str:
    """Another name where one is taken: `build`, `build-2`, `build-3`."""
    end = f"-{number}"
    return name[: NAME_LENGTH_MAX - len(end)].rstrip("-") + end


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
    `hostname` and `cloned_repo_directories` are what it reports of itself.
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
