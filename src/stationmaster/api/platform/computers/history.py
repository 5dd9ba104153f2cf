"""The history of a computer and the logs of its steps, beside the specification's operations."""

from __future__ import annotations

import msgspec

from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router
from stationmaster.api.v0.computer_bodies import ProvisioningStep
from stationmaster.computers import service
from stationmaster.computers.managed import store
from stationmaster.computers.model import StatusChange

routes = router("/api/platform/v1/computers", "Computers")


class ComputerChange(wire.Answer, record=StatusChange):
    """A change of a computer's state, at a time in Unix milliseconds; `fromStatus` is null for
    its creation, and `toStatus` is `removed` for its removal."""


class ComputerHistory(wire.Answer):
    """Newest first, up to 200 changes."""

    changes: list[ComputerChange]


@routes.get("/{computer_id}/history")
@blocking.reads
def get_history(db: Db, computer_id: str, caller: callers.Member) -> ComputerHistory:
    """The changes of a computer's state: when, why and by whom."""
    return ComputerHistory.of(changes=service.history(db, caller, computer_id))


class StepLog(ProvisioningStep):
    """A step with the end of its log, up to 64 KiB, without secrets."""

    log: str


class StepLogs(wire.Answer):
    """In order; empty for a machine that is not managed."""

    steps: list[StepLog]


@routes.get("/{computer_id}/steps", response_model_exclude_none=True)
@blocking.reads
def get_steps(db: Db, computer_id: str, caller: callers.Member) -> StepLogs:
    """The steps of setting up a managed computer, with their current logs."""
    computer = service.get(db, caller, computer_id)
    logs = store.logs(db, caller.org_id, computer_id)
    return StepLogs(
        steps=[
            StepLog(**msgspec.to_builtins(step), log=logs.get(step.id, ""))
            for step in computer.provisioning_steps
        ]
    )
