"""The one place that decides where a blocking call runs.

A read of SQLite takes tens of microseconds, less than handing it to a thread; PostgreSQL answers
over a socket, and roll-ups, writes and long reads take their time: those go to worker threads.
"""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, TypeVar, TypeVarTuple

from anyio import CapacityLimiter, to_thread

from stationmaster.db.engine import READS_AT_ONCE, Database

# Costs a third less than a thread of `work`, which may be cancelled and has its own limit.
_READERS = ThreadPoolExecutor(READS_AT_ONCE, "read")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def read(db: Database, call: Callable[[*Ts], T], *args: *Ts) -> T:
    """A short read of the state database: in the loop on SQLite, in a thread on PostgreSQL."""
    if db.dialect == "sqlite":
        return call(*args)
    within = copy_context()
    return await get_running_loop().run_in_executor(_READERS, within.run, call, *args)


def reads(operation: Callable[..., T]) -> Callable[..., Awaitable[T]]:
    """An operation that is one short read of its `db` or of the database of its `services`; plain
    functions, which the framework runs in threads, are those that take longer."""

    @wraps(operation)
    async def at_once(**values: Any) -> T:
        db = values["db"] if "db" in values else values["services"].db
        return await read(db, partial(operation, **values))

    return at_once


async def work(call: Callable[[*Ts], T], *args: *Ts) -> T:
    """Anything longer, always in a thread."""
    return await to_thread.run_sync(call, *args)


async def few(slots: CapacityLimiter, call: Callable[[*Ts], T], *args: *Ts) -> T:
    """Like `work`, with no more at the same time than there are slots, and without delaying
    others."""
    return await to_thread.run_sync(call, *args, limiter=slots)
