"""What a provider of machines does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

from stationmaster.errors import StationmasterError

State = Literal["running", "busy", "stopped", "absent"]
"""`busy` is on its way to another state: ask again."""


class ProviderError(StationmasterError):
    """A machine could not be made, reached, stopped or ended; the detail is for its owner."""

    status = 502
    code = "provider_failed"


class Machine(NamedTuple):
    """A machine at its provider. `key` is the same for every attempt to make it, `reference` what
    the provider calls it once it is made, `user` the account that was wanted on it.
    """

    key: str
    reference: str | None
    user: str


class NewMachine(NamedTuple):
    """`user` is the account that sessions use, where the provider has made it already; `agent` is
    the program of the agent, where it is there already.
    """

    reference: str
    user: str | None = None
    agent: str | None = None


class Doing(NamedTuple):
    """One call: until when it may take (`time.monotonic`), what to call several times a second
    (it raises where the work is not wanted any more), and the target of output.
    """

    until: float
    look: Callable[[], None] = lambda: None
    log: Callable[[bytes], None] = lambda _: None

    @property
    def left_s(self) -> float:
        return max(self.until - time.monotonic(), 0.0)


class Provider(Protocol):
    """All verbs raise ProviderError."""

    can_stop: bool
    """Whether `stop` and `start` exist; without them a computer is never paused."""

    def create(self, machine: Machine, doing: Doing, /) -> NewMachine:
        """Make a machine, or find the one that an earlier call with this key has made."""

    def state(self, machine: Machine, doing: Doing, /) -> State: ...

    def start(self, machine: Machine, doing: Doing, /) -> None:
        """Changes nothing about a machine that runs."""

    def stop(self, machine: Machine, doing: Doing, /) -> None:
        """End what runs on it; its files stay."""

    def destroy(self, machine: Machine, doing: Doing, /) -> None:
        """End all that bears its key, also without a reference; fine where there is nothing."""

    def run(self, machine: Machine, script: str, doing: Doing, /) -> int:
        """Run a script of `sh` on a machine that runs, as its most powerful account; its exit
        status."""
