"""Machines by six commands of the operator: containers, clouds, whatever has a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from stationmaster.computers.managed.providers import base, programs

Command = tuple[str, ...]
T = TypeVar("T")


class Commands(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="provider",
    tag="command",
    forbid_unknown_fields=True,
):
    """A template of the provider `command`: a program with its arguments for each verb.

    `start` and `stop` may be missing together; such computers are never paused. `environment` is
    what the programs get in addition to PATH, HOME, LANG and what they are to work on. `agent` is
    where the image has the agent already.
    """

    create: Command
    state: Command
    run: Command
    destroy: Command
    start: Command | None = None
    stop: Command | None = None
    environment: Mapping[str, str] = {}
    agent: str | None = None


class _Created(msgspec.Struct):
    reference: str
    user: str | None = None


class _State(msgspec.Struct):
    state: base.State


class CommandProvider:
    def __init__(self, template: Commands) -> None:
        self._template = template
        self.can_stop = template.start is not None and template.stop is not None

    def create(self, machine: base.Machine, doing: base.Doing) -> base.NewMachine:
        content = self._answer("create", machine, doing)
        made = _decoded(content, _Created, "create", '{"reference": "…"}')
        return base.NewMachine(made.reference, made.user, self._template.agent)

    def state(self, machine: base.Machine, doing: base.Doing) -> base.State:
        shown = '{"state": "running"}, "busy", "stopped" or "absent"'
        return _decoded(self._answer("state", machine, doing), _State, "state", shown).state

    def start(self, machine: base.Machine, doing: base.Doing) -> None:
        self._answer("start", machine, doing)

    def stop(self, machine: base.Machine, doing: base.Doing) -> None:
        self._answer("stop", machine, doing)

    def destroy(self, machine: base.Machine, doing: base.Doing) -> None:
        self._answer("destroy", machine, doing)

    def run(self, machine: base.Machine, script: str, doing: base.Doing) -> int:
        variables = self._variables(machine)
        command = self._template.run
        return programs.run(command, doing, content=script.encode(), variables=variables).status

    def _answer(self, verb: str, machine: base.Machine, doing: base.Doing) -> bytes:
        command: Command | None = getattr(self._template, verb)
        if command is None:
            raise base.ProviderError(f"The template has no command {verb}.", code="no_command")
        variables = self._variables(machine)
        done = programs.run(command, doing, variables=variables, wants_answer=True)
        if done.status:
            raise base.ProviderError(f"The command {verb} ended with status {done.status}.")
        return done.answer

    def _variables(self, machine: base.Machine) -> dict[str, str]:
        ours = {
            "STATIONMASTER_COMPUTER": machine.key,
            "STATIONMASTER_REFERENCE": machine.reference or "",
            "STATIONMASTER_USER": machine.user,
        }
        return dict(self._template.environment) | ours


def _decoded(content: bytes, kind: type[T], verb: str, shown: str) -> T:
    """The last line of an answer."""
    lines = content.strip().splitlines() or [b""]
    try:
        return msgspec.json.decode(lines[-1], type=kind)
    except msgspec.DecodeError as fault:
        raise base.ProviderError(f"The command {verb} must print {shown}: {fault}.") from fault
