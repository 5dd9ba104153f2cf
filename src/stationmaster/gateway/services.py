"""What the requests of one gateway process share, and what it does apart from them."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import time
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar, TypeVarTuple

from stationmaster import clock, ids
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import Vault
from stationmaster.agents import values
from stationmaster.db.engine import READS_AT_ONCE, Database
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.events.model import Event
from stationmaster.gateway.accounting.accounts import Account
from stationmaster.gateway.accounting.meter import Meter
from stationmaster.gateway.accounting.tariffs import Tariffs
from stationmaster.gateway.agents import Agent
from stationmaster.gateway.budget_decisions import BudgetDecisions
from stationmaster.gateway.headers import Fields, first
from stationmaster.gateway.memory import Memory
from stationmaster.gateway.providers import Provider
from stationmaster.gateway.upstream import Upstream
from stationmaster.ids import OrgId
from stationmaster.ingest.delivery import prepare
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.rows import Delivery
from stationmaster.limits import gates
from stationmaster.limits.budgets import budgets_of
from stationmaster.pricing import cards
from stationmaster.settings import Settings

FIELD = b"x-stationmaster-repository"
FRESH_S = 30.0
"""How long the repository of a session, or that none is known, is not asked for again."""
_SESSIONS_MAX = 10_000
_REPORTED = """
SELECT repository FROM agent_sessions
WHERE org_id = ? AND session_id = ? AND repository <> '' ORDER BY day DESC LIMIT 1
"""


class Repositories:
    """Those of the sessions that one process has seen lately."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._repositories: dict[tuple[OrgId, str], tuple[float, str]] = {}

    def of(self, org: OrgId, agent: Agent, fields: Fields) -> str:
        """A repository as reports name it (`host/owner/name`); "" where it is not known."""
        reported = values.repository(first(fields, FIELD))
        if reported is not None or agent.session is None:
            return reported or ""
        session, now = ids.session_of(org, agent.product, agent.session), time.monotonic()
        noted_at, repository = self._repositories.get((org, session), (-FRESH_S, ""))
        if now - noted_at < FRESH_S:
            return repository
        try:
            rows = self._db.rows(_REPORTED, org, session)
        except Unavailable:
            return repository
        if len(self._repositories) >= _SESSIONS_MAX:
            self._repositories.clear()
        repository = str(rows[0][0]) if rows else ""
        self._repositories[org, session] = now, repository
        return repository


LOOK_S = 2.0
"""Between two checks of running calls, which write unseen while they think."""
SWEEP_S = 15.0
RETRY_S = 1.0
KEYS_MAX = 1_000
"""Of providers, that one process keeps open."""
NOTED_S = 3_600.0
"""That an agent passes is not noted again while the last note is younger."""
NOTED_MAX = 10_000
RETRIES_MAX = 300
"""How often, a second or more apart, what could not be stored is tried again."""
SOON_S = 0.1
"""So long events of calls may wait for others that are stored with them: each storing syncs the
disk, and takes as much as some calls. A killed process loses those that wait, and no money: what
their calls cost is settled, or held, on its own."""
_log = logging.getLogger(__name__)

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class CallUnderWay:
    """A call whose answer is on its way. `meter` reads the answer once it has begun."""

    def __init__(self, stop: Callable[[], None]) -> None:
        """`stop` ends the answer."""
        self.account: Account | None = None
        self.meter: Meter | None = None
        self.stop = stop


class Bodies:
    """The bytes of request bodies that the process holds, within a limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def enter(self, size: int) -> None:
        """Raises Unavailable where there is no room; `leave` gives it back in either case."""
        self._held += size
        if self._held > self._most:
            raise Unavailable("The gateway has too many requests; try again.", retry_after_s=1)

    def leave(self, size: int) -> None:
        """Give back the room of a body of so many bytes."""
        self._held -= size


class Services:
    """Opened within the event loop of the process that uses it."""

    def __init__(self, settings: Settings) -> None:
        """Raises OperatorError when the data folder or schema needs a person, Unavailable when
        storage does not answer."""
        self.settings = settings
        self.db = Database.open(settings.state_url)
        self.db.migrate()
        self._vault = Vault.open(settings)
        # Read before the first call, because it takes a third of a second.
        cards.read(settings.rate_card)
        self.upstream = Upstream()
        self.bodies = Bodies(settings.request_bodies_max)
        self.tariffs = Tariffs(self.db, settings)
        self.memory = Memory()
        self.repositories = Repositories(self.db)
        self._keys: dict[bytes, Secret] = {}
        self.running: set[CallUnderWay] = set()
        self.budget_decisions = BudgetDecisions(self.db, settings.credit_reset_day)
        self._inbox = Inbox.open(settings, self.db)
        self._readers = ThreadPoolExecutor(READS_AT_ONCE, "read")
        self._events: dict[Caller, list[Event]] = {}
        self._noted: dict[tuple[OrgId, str, str], float] = {}
        self._version: tuple[object | None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._beats = [
            asyncio.create_task(self._every(LOOK_S, self._look_at_all)),
            asyncio.create_task(self._every(SWEEP_S, self._sweep)),
        ]

    async def read(self, call: Callable[[*Ts], T], *args: *Ts) -> T:
        """A short read of the database: in the loop on SQLite, in a thread on PostgreSQL."""
        if self.db.dialect == "sqlite":
            return call(*args)
        return await get_running_loop().run_in_executor(self._readers, call, *args)

    def version(self) -> object | None:
        """`Database.quick_version`, asked once for all requests that have arrived in one moment."""
        if self._version is None:
            self._version = (self.db.quick_version(),)
            get_running_loop().call_soon(self._clear_version)
        return self._version[0]

    def _clear_version(self) -> None:
        self._version = None

    def key_of(self, provider: Provider, org: OrgId) -> Secret:
        """A provider's key, opened once."""
        key = self._keys.get(provider.sealed)
        if key is None:
            if len(self._keys) >= KEYS_MAX:
                self._keys.clear()
            key = self._keys[provider.sealed] = provider.key(self._vault, org)
        return key

    def report(self, caller: Caller, event: Event) -> None:
        """Store a call's event soon, attributed to its caller."""
        if not self._events:
            get_running_loop().call_later(SOON_S, self._store_events)
        self._events.setdefault(caller, []).append(event)

    def _store_events(self) -> None:
        waiting, self._events = self._events, {}
        for caller, events in waiting.items():
            delivery = prepare(caller, events, {}, received_ms=clock.now_ms())
            self.later(self._store(delivery))
            self.later(self._note(caller, {event.product for event in events}))

    async def _store(self, delivery: Delivery) -> None:
        for _ in range(RETRIES_MAX):
            try:
                await self._inbox.store(delivery)
            except Unavailable:
                await asyncio.sleep(RETRY_S)
            else:
                return
        _log.error("%d calls could not be reported", len(delivery.events))

    async def _note(self, caller: Caller, agents: set[str]) -> None:
        """Note which agents passed: what shows that calls without a session are stopped here."""
        now = time.monotonic()
        for agent in agents:
            key = (caller.org_id, caller.principal_id, agent)
            if now - self._noted.get(key, -NOTED_S) < NOTED_S:
                continue
            if len(self._noted) >= NOTED_MAX:
                self._noted.clear()
            self._noted[key] = now
            with suppress(Unavailable):
                await asyncio.to_thread(gates.note_passed, self.db, *key)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that no request waits for; it is done before the process ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def look(self, call: CallUnderWay) -> None:
        """See to the account of a running call: another slice, a renewal, or its end."""
        if call.account is not None and call.account.needs(call.meter):
            self.later(self._see_to(call))

    async def _see_to(self, call: CallUnderWay) -> None:
        if not await self.may_go_on(call):
            call.stop()

    async def may_go_on(self, call: CallUnderWay) -> bool:
        """Hold more for a call where it needs more; False where it has used all it may."""
        account, meter = call.account, call.meter
        if account is None:
            return True
        try:
            await account.go_on(meter)
        except Unavailable:
            if self.memory.lets_go_on(account.call):
                return True
        return meter is None or not account.is_used_up(meter)

    async def _look_at_all(self) -> None:
        await asyncio.to_thread(self.db.tidy)
        for call in list(self.running):
            self.look(call)
        parent = multiprocessing.parent_process()
        if parent is not None and not parent.is_alive():
            # No other process would end the gateway of a server that was killed.
            os.kill(os.getpid(), signal.SIGTERM)

    async def _sweep(self) -> None:
        await asyncio.to_thread(self.budget_decisions.sweep)
        for org in self.memory.organizations():
            budgets = await asyncio.to_thread(budgets_of, self.db, OrgId(org))
            self.memory.note_budgets(org, budgets)

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except StationmasterError as fault:
                _log.warning("the gateway's upkeep failed: %s", fault)
            except Exception:
                _log.exception("the gateway's upkeep failed")
            await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Settle the calls that have ended, then close."""
        for beat in self._beats:
            beat.cancel()
        await self.budget_decisions.close(self.settings.shutdown_seconds)
        self._store_events()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.settings.shutdown_seconds)
        await self.upstream.close()
        await asyncio.to_thread(self._inbox.close)
        self._readers.shutdown()
        self.db.close()
