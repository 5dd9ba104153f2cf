"""The history of a computer and the logs of its steps, beside the specification's operations."""

from __future__ import annotations

import msgspec
from starlette.requests import Request

from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.api.v0.computer_bodies import ProvisioningStep
from stationmaster.computers import service
from stationmaster.computers.managed import store

routes = router("/api/platform/v1/computers", "Computers")


class ComputerChange(wire.Answer):
    """A change of a computer's state, at a time in Unix milliseconds; `fromStatus` is null when it
    was made, and `toStatus` is `removed` when it ended."""

    created_at: int
    from_status: str | None
    to_status: str
    cause: str
    actor_id: str


class ComputerHistory(wire.Answer):
    """Newest first, up to 200 changes."""

    changes: list[ComputerChange]


@routes.get("/{computer_id}/history")
async def get_history(
    request: Request, computer_id: str, caller: callers.Member
) -> ComputerHistory:
    """The changes of a computer's state: when, why and by whom."""
    db = services_of(request).db
    changes = await blocking.read(db, service.history, db, caller, computer_id)
    return ComputerHistory(changes=[ComputerChange(**change._asdict()) for change in changes])


class StepLog(ProvisioningStep):
    """A step with the end of what it printed, up to 64 KiB, without secrets."""

    log: str


class StepLogs(wire.Answer):
    """In order; empty for somebody's own machine."""

    steps: list[StepLog]


@routes.get("/{computer_id}/steps", response_model_exclude_none=True)
async def get_steps(request: Request, computer_id: str, caller: callers.Member) -> StepLogs:
    """The steps of setting a managed computer up, with their logs as they are at this moment."""
    db = services_of(request).db

    def read() -> StepLogs:
        computer = service.get(db, caller, computer_id)
        logs = store.logs(db, caller.org_id, computer_id)
        return StepLogs(
            steps=[
                StepLog(**msgspec.to_builtins(step), log=logs.get(step.id, ""))
                for step in computer.provisioning_steps
            ]
        )

    return await blocking.read(db, read)
