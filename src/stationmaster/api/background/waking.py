"""Waiting for managed computers that were asked to run, or to do a step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from stationmaster.access.model import Caller
from stationmaster.api import blocking
from stationmaster.computers import service
from stationmaster.computers.managed import service as managed
from stationmaster.computers.managed.model import Kind
from stationmaster.computers.model import SetupStep
from stationmaster.errors import Conflict, Unavailable
from stationmaster.ids import OrgId

if TYPE_CHECKING:
    from stationmaster.api.services import Services

WAIT_S = 120.0
_LOOK_S = 0.5


async def awake(services: Services, caller: Caller, computer_id: str) -> None:
    """Wake a managed computer that is used, where it sleeps; several wait for one waking.

    Raises Unavailable (`waking`) when it takes too long.
    """
    if await blocking.work(managed.wake, services.db, caller.org_id, computer_id):
        await until_up(services, caller.org_id, computer_id)


async def until_up(services: Services, org: OrgId, computer_id: str) -> None:
    """Return once a computer runs and its agent is connected."""

    async def look() -> bool:
        return await blocking.read(services.db, managed.is_up, services.db, org, computer_id)

    if not await _within(look):
        raise Unavailable("This computer is being started; try again in a moment.", code="waking")


async def until_done(services: Services, caller: Caller, computer_id: str, kind: Kind) -> None:
    """Return once a step that was asked for is done.

    Raises Conflict (`step_failed`) where it failed, and Unavailable (`waking`).
    """

    async def step() -> SetupStep:
        computer = await blocking.read(services.db, service.get, services.db, caller, computer_id)
        return next(
            provisioning_step
            for provisioning_step in computer.provisioning_steps
            if provisioning_step.id == kind.id
        )

    async def look() -> bool:
        return (await step()).status in ("completed", "failed")

    if not await _within(look):
        raise Unavailable(
            "The computer has not finished this yet; check again later.", code="waking"
        )
    done = await step()
    if done.status == "failed":
        raise Conflict(f"{kind.name} failed: {done.error}", code="step_failed")


async def _within(look: Callable[[], Awaitable[bool]]) -> bool:
    """Whether a look is answered with yes in time."""
    until = asyncio.get_running_loop().time() + WAIT_S
    while not await look():
        if asyncio.get_running_loop().time() > until:
            return False
        await asyncio.sleep(_LOOK_S)
    return True
