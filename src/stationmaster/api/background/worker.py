"""Background work of one process: move to the lake, roll up due days, erase old events, check
the lake, do jobs, raise and send alerts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from stationmaster.aggregate import retention
from stationmaster.alerts import delivering
from stationmaster.api.background import watch
from stationmaster.api.background.handlers import handlers
from stationmaster.api.services import Services
from stationmaster.computers.managed import keeper
from stationmaster.computers.model import JOB
from stationmaster.db import outages
from stationmaster.ids import OrgId
from stationmaster.jobs.runner import Runner
from stationmaster.lake import integrity
from stationmaster.lake.storage import Lake
from stationmaster.limits import reported, thresholds
from stationmaster.limits.budgets import organizations_with_budgets
from stationmaster.limits.holds import Ledger
from stationmaster.repos import service

ROUND_S = 2.0
"""Pause between two looks for days that are due."""
LOOK_S = 5.0
"""Pause between two looks for repositories whose last look is old."""
RETRY_S = 10.0
ERASE_S = 600.0
"""Pause between two looks for events to erase, which become too old once a day."""
SWEEP_S = 5.0
"""Pause between two looks for holds that have expired."""
BUDGETS_S = 60.0
BUDGETS_SHARE = 10.0
"""What telemetry reports of budgets is counted so often, and not longer than a tenth of the time.
"""
COMPUTERS_AT_ONCE = 4
CHECK_S = 60.0
"""Pause between two checks of some parts of the lake."""
_LOOK_S = 0.2

_log = logging.getLogger(__name__)


class Background(Protocol):
    """Background work next to the application."""

    def start(self) -> None:
        """Begin the work, which continues after the call."""

    def stop(self) -> None:
        """Returns once every step that has begun is done, or when `shutdown_seconds` have passed,
        or soon after `hurry`.
        """

    def hurry(self) -> None:
        """Let `stop` wait no longer."""

    def living(self) -> int:
        """How many threads of this process work."""

    def faults(self) -> list[str]:
        """Why it does not work, and what to do; empty when it does."""


def ended(*names: str) -> str:
    """The fault of threads that ended without being stopped."""
    return f"{', '.join(names)} ended unexpectedly; the log has the reason. Restart this process"


class Worker:
    """Threads next to the application, or the whole of `stationmaster worker`.

    They never outlive the process: every step may be cut at any point, and is then done again.
    """

    def __init__(self, services: Services) -> None:
        self._patience_s = services.settings.shutdown_seconds
        self._stop = threading.Event()
        self._hurry = threading.Event()
        jobs = Runner(
            services.db,
            handlers(services),
            services.metrics.job_ended,
            services.settings.jobs_at_once,
            services.alerts.given_up,
        )
        deliverer = services.deliverer
        self._threads = [
            threading.Thread(
                target=_run, args=(run, *arguments, self._stop), name=name, daemon=True
            )
            for name, run, arguments in (
                ("mover", services.mover.run, ()),
                ("rollup", _run_rounds, (services,)),
                ("heads", _look_around, (services,)),
                ("lake check", _check_lake, (services,)),
                ("causes of alerts", watch.run, (services.db,)),
                ("budgets", _keep_budgets, (services,)),
                *((f"alerts {n + 1}", deliverer.run, ()) for n in range(delivering.THREADS)),
                *((f"jobs {n + 1}", jobs.run, ()) for n in range(services.settings.jobs_at_once)),
                *(_computers(services) if services.offer.templates else ()),
            )
        ]

    def start(self) -> None:
        """Start all threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Have all threads end, and wait for that up to `shutdown_seconds` or until `hurry`."""
        self._stop.set()
        until = time.monotonic() + self._patience_s
        while self.living() and time.monotonic() < until and not self._hurry.is_set():
            for thread in self._threads:
                thread.join(_LOOK_S / len(self._threads))
        if self.living():
            _log.warning("background work continues at the next start")

    def hurry(self) -> None:
        """Let `stop` wait no longer for the threads."""
        self._hurry.set()

    def living(self) -> int:
        """The number of threads that have not ended."""
        return sum(thread.is_alive() for thread in self._threads)

    def faults(self) -> list[str]:
        """What ended though it was not stopped, in one sentence; empty where nothing did."""
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        return [ended(*dead)] if dead and not self._stop.is_set() else []


def _computers(services: Services) -> list[tuple[str, Callable[..., None], tuple[Any, ...]]]:
    """Threads for managed computers alone: setting one up takes minutes, mostly of waiting."""
    runner = Runner(
        services.db,
        {JOB: services.converger},
        services.metrics.job_ended,
        COMPUTERS_AT_ONCE,
        services.alerts.given_up,
    )
    threads = [(f"computers {n + 1}", runner.run, ()) for n in range(COMPUTERS_AT_ONCE)]
    return [("keeper of computers", _keep_computers, (services,)), *threads]


def _keep_computers(services: Services, stop: threading.Event) -> None:
    while not stop.wait(keeper.ROUND_S):
        try:
            keeper.round_of(services.db, services.offer)
        except Exception as fault:  # The job edge: an outage must not end the looks.
            outages.log_failure(_log, "looking after computers", fault)


def _run(run: Callable[..., None], *arguments: Any) -> None:
    try:
        run(*arguments)
    except Exception:  # The thread's edge: no caller would get it.
        _log.exception("background work ended; this process is not ready any more")


def _run_rounds(services: Services, stop: threading.Event) -> None:
    erase_at = time.monotonic()
    while not stop.wait(ROUND_S):
        try:
            services.freshness.catch_up(stop)
            if time.monotonic() >= erase_at:
                retention.enforce(services.db, services.inbox, services.settings, stop)
                erase_at = time.monotonic() + ERASE_S
        except Exception as fault:  # The job edge: a bad day must not end the worker.
            outages.log_failure(_log, "a round of background work", fault)
            stop.wait(RETRY_S)


def _keep_budgets(services: Services, stop: threading.Event) -> None:
    ledger = Ledger(services.db, services.settings.credit_reset_day)
    counted_at, cost_s = -BUDGETS_S, 0.0
    while not stop.wait(SWEEP_S):
        try:
            ledger.sweep()
            began = time.monotonic()
            if began - counted_at < max(BUDGETS_S, BUDGETS_SHARE * cost_s):
                continue
            with services.db.alone("budgets", wait=False) as is_mine:
                for org in organizations_with_budgets(services.db) if is_mine else ():
                    services.today.count(org)
                    reported.refresh(services.db, services.settings, org)
                    thresholds.raise_alerts(services.db, org, services.settings.credit_reset_day)
            counted_at, cost_s = began, time.monotonic() - began
        except Exception as fault:  # The job edge: an outage must not end the counting.
            outages.log_failure(_log, "counting the use of budgets", fault)
            stop.wait(RETRY_S)


def _check_lake(services: Services, stop: threading.Event) -> None:
    lake, adoption = Lake.open(services.settings), integrity.Adoption()
    while not stop.wait(CHECK_S):
        try:
            adoption.round(services.db, lake)
            with services.db.alone("check of the lake", wait=False) as is_mine:
                if is_mine:
                    checked = integrity.check_oldest(services.db, lake, stop)
                    for org in {org for (org, _), _, _ in checked.faults}:
                        services.alerts.damaged(OrgId(org))
        except Exception as fault:  # The job edge: an outage must not end the checks.
            outages.log_failure(_log, "checking the lake", fault)


def _look_around(services: Services, stop: threading.Event) -> None:
    if not services.settings.repos_look_seconds:
        stop.wait()
    while not stop.wait(LOOK_S):
        try:
            service.look_around(
                services.db, services.settings, services.vault, services.wants.moved, stop
            )
        except Exception as fault:  # The job edge: an outage must not end the looks.
            outages.log_failure(_log, "looking at repositories", fault)
            stop.wait(RETRY_S)
