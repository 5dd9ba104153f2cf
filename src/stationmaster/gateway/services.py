"""What the requests of one gateway process share."""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from stationmaster.access.vault import Vault
from stationmaster.db.engine import READS_AT_ONCE, Database
from stationmaster.errors import Unavailable
from stationmaster.gateway.upstream import Upstream
from stationmaster.settings import Settings

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Bodies:
    """The bytes of request bodies that the process holds, within a limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def enter(self, size: int) -> None:
        """Raises Unavailable where there is no room; `leave` gives it back in either case."""
        self._held += size
        if self._held > self._most:
            raise Unavailable("The gateway holds too many requests; try again.", retry_after_s=1)

    def leave(self, size: int) -> None:
        self._held -= size


class Services:
    """Opened within the event loop of the process that uses it."""

    def __init__(self, settings: Settings) -> None:
        """Raises OperatorError when the data folder or schema needs a person."""
        self.settings = settings
        self.db = Database.open(settings.state_url)
        self.db.migrate()
        self.vault = Vault.open(settings)
        self.upstream = Upstream()
        self.bodies = Bodies(settings.request_bodies_max)
        self._readers = ThreadPoolExecutor(READS_AT_ONCE, "read")

    async def read(self, call: Callable[[*Ts], T], *args: *Ts) -> T:
        """A short read of the database: at once on SQLite, in a thread on PostgreSQL."""
        if self.db.dialect == "sqlite":
            return call(*args)
        return await get_running_loop().run_in_executor(self._readers, call, *args)

    async def close(self) -> None:
        await self.upstream.close()
        self._readers.shutdown()
        self.db.close()
