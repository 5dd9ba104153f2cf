"""Can this process do its work, and if not, why, and what to do about it."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterator

from stationmaster.api import blocking
from stationmaster.api.background.worker import Background, ended
from stationmaster.api.monitoring.installation import RecentLook
from stationmaster.api.services import Services
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from stationmaster.lake.storage import Lake

_log = logging.getLogger(__name__)

KEPT_S = 1.0
"""How long a look counts, so that probes cost next to nothing."""
STOPPING = "stopping: this process ends; send requests to another one"


class Condition:
    """Of one process. `worker` is None where background work runs elsewhere."""

    def __init__(self, services: Services, worker: Background | None) -> None:
        self.is_stopping = False
        """True from the first signal to stop on."""
        self._services = services
        self._worker = worker
        self._lake_kept = RecentLook(self._look_at_lake)
        self._lock = asyncio.Lock()
        self._found: list[str] = []
        self._until = 0.0

    async def reasons(self) -> list[str]:
        """Why it cannot do its work; empty when it can. Checked once a second at most."""
        if self.is_stopping:
            return [STOPPING]
        async with self._lock:
            if time.monotonic() >= self._until:
                self._found = await blocking.work(self._look)
                self._until = time.monotonic() + KEPT_S
            return self._found

    def faults(self) -> list[str]:
        """Why what should run in the background does not."""
        faults = [] if self._services.inbox.is_writing else [ended("inbox-writer")]
        return faults if self._worker is None else [*faults, *self._worker.faults()]

    def _look(self) -> list[str]:
        return [
            f"{name}: {reason}"
            for name, check in (
                ("state", lambda: _writes(self._services.db)),
                ("inbox", lambda: _writes(self._services.inbox.database)),
                ("schema", self._schema),
                ("disk", self._disk),
                ("lake", self._lake),
                ("backlog", self._backlog),
                ("threads", lambda: iter(self.faults())),
            )
            for reason in _reasons(check)
        ]

    def _schema(self) -> Iterator[str]:
        if not self._services.db.is_usable():
            yield "not one that this version may use; restart this process, or upgrade it"

    def _disk(self) -> Iterator[str]:
        settings = self._services.settings
        free = shutil.disk_usage(settings.data_dir).free
        if free < settings.disk_free_min:
            yield (
                f"only {free >> 20} MiB are free for the data folder; make room, "
                "or lower STATIONMASTER_DISK_FREE_MIN"
            )

    def _lake(self) -> Iterator[str]:
        # Others need only the inbox: what they take waits there until the lake is back.
        if self._worker is not None and (reason := self._lake_kept.get()):
            yield reason

    def _look_at_lake(self) -> str:
        """Empty where it takes files."""
        lake = Lake.open(self._services.settings)
        try:
            lake.files.probe()
        except OSError as fault:
            outages.log_failure(_log, f"writing to the lake at {lake.files.root}", fault)
            return (
                f"files cannot be written to it ({fault.strerror}); check its permissions and disk"
            )
        except StationmasterError as fault:
            outages.log_failure(_log, "writing to the lake", fault)
            return fault.detail
        return ""

    def _backlog(self) -> Iterator[str]:
        waiting = self._services.inbox.backlog_bytes
        if waiting > self._services.settings.inbox_backlog_max:
            yield (
                f"{waiting >> 20} MiB wait in the inbox, more than "
                "STATIONMASTER_INBOX_BACKLOG_MAX; check that a worker runs and keeps up"
            )


def _reasons(check: Callable[[], Iterator[str]]) -> Iterator[str]:
    try:
        yield from check()
    except StationmasterError as fault:
        outages.log_failure(_log, "looking whether this process can work", fault)
        yield fault.detail


def _writes(db: Database) -> Iterator[str]:
    """Taking the write lock for a moment proves more than reading does."""
    with db.transaction() as connection:
        if db.dialect == "sqlite":
            return
        (read_only,) = connection.exec_driver_sql("SHOW transaction_read_only").one()
        if read_only == "on":
            yield "PostgreSQL is read-only; is STATIONMASTER_DATABASE_URL that of a standby?"
