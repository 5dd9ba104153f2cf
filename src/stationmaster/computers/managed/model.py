"""The nouns of managed computers. Times are UTC milliseconds."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

import msgspec

from stationmaster.computers.model import SetupStep
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.repos import addresses

REPOS_MAX = 20
BULK_MAX = 20
DEADLINE_S = 20 * 60
"""Of setting a computer up as a whole."""
ERROR_KEPT_S = 24 * 3600
"""How long a machine that failed is kept for a look."""
UNSEEN_S = 15 * 60
"""A computer that should be awake and was not connected for so long is in error."""

Power = Literal["running", "asleep", "restarting"]
"""How a machine is wanted; `restarting` becomes `running` once it was stopped."""
Failure = Literal["step", "deadline", "gone", "unreachable"]


class Kind(NamedTuple):
    """A step: the word that clients know it by, what people read, how long a try of it may take,
    how many there are, and whether a computer is in error without it.
    """

    id: str
    name: str
    seconds: float
    tries: int
    is_needed: bool = True


CREATE = Kind("create-computer", "Creating computer", 600, 2)
USER = Kind("setup-user", "Setting up user", 120, 3)
ENVIRONMENT = Kind("configure-environment", "Configuring environment", 120, 3)
AGENT = Kind("install-agent", "Installing agent", 300, 3)
SERVICES = Kind("start-services", "Starting services", 180, 3)
CLONE = Kind("clone-repositories", "Cloning repositories", 600, 2)
DEPENDENCIES = Kind("install-dependencies", "Installing dependencies", 900, 1, is_needed=False)
KINDS = {
    kind.id: kind for kind in (CREATE, USER, ENVIRONMENT, AGENT, SERVICES, CLONE, DEPENDENCIES)
}


def addresses_of(repos: Collection[str]) -> tuple[str, ...]:
    """The addresses of repositories that are cloned, each once. Raises BadRequest."""
    if len(repos) > REPOS_MAX:
        raise BadRequest(f"At most {REPOS_MAX} repositories are cloned.", code="too_many_repos")
    return tuple(dict.fromkeys(addresses.normalise(repo) for repo in repos))


def steps(*, clones: bool, installs: bool) -> tuple[SetupStep, ...]:
    """The steps of a new computer, all of them still to do."""
    left_out = {*(() if clones else (CLONE,)), *(() if installs else (DEPENDENCIES,))}
    return tuple(SetupStep(k.id, k.name, "pending") for k in KINDS.values() if k not in left_out)


class Managed(msgspec.Struct, frozen=True):
    """What the platform keeps of a computer that it has made. `account` is the one on the machine,
    `agent` the program of the agent there, where the provider has it ready.
    """

    org_id: OrgId
    computer_id: str
    template: str
    account: str
    reference: str | None
    agent: str | None
    repos: tuple[str, ...]
    power: Power
    deadline_at: int
    last_active_at: int
    failure: Failure | None
    failed_at: int | None


class NewComputer(msgspec.Struct, frozen=True, kw_only=True):
    """A computer that its owner wants. Without a `template` it is made of the default one.

    `copy_of` is another computer that the owner sees: what is not stated is taken from it.
    """

    remote_user: str | None = None
    template: str | None = None
    copy_of: str | None = None
    repos: tuple[str, ...] = ()
    installs_dependencies: bool = False
