"""The history of a computer, beside the specification's operations on computers."""

from __future__ import annotations

from starlette.requests import Request

from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.computers import service

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
