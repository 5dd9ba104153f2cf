"""Doing the jobs: one at a time in each thread that runs `Runner.run`.

A worker on a job holds the lock of its kind and subject, which dies with its holder. So a
running job whose lock is free has lost its worker, and is taken again within seconds. A lock that
is lost on the way costs work and nothing else: what a worker writes counts only while the row still
has the attempt that it began.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Forbidden, NotFound, StationmasterError, TooLarge
from stationmaster.ids import OrgId
from stationmaster.jobs import service

ATTEMPTS_MAX = 5
RETRY_S = (30, 120, 600, 1800)
"""The wait after each failed attempt but the last."""
KEPT = 20
"""Jobs that have ended, of each kind and subject."""
LOOK_S = 1.0
"""Between two looks for work of a thread that has none."""
ORPHANS_S = 3.0
"""Between two searches of a process for jobs whose worker has ended; each takes a lock of every
running one.
"""
LONG_S = 30.0
"""A job that takes longer keeps its organization from the last free thread of a process."""
LOST_S = 2.0
"""Between two looks of a working thread whether its job was cancelled."""
_CANDIDATES = 16
_UNEXPECTED = "An internal error occurred; the server's log has the details."
_WORKER_LOST = "Each process that worked on it ended on the way."
_FINAL = (BadRequest, Forbidden, NotFound, TooLarge)
"""Trying again changes nothing about these."""

log = logging.getLogger(__name__)


class Work:
    """A job that has begun, for the handler of its kind."""

    def __init__(self, db: Database, job: service.Job, stop: threading.Event) -> None:
        self.job = job
        self._db = db
        self._stop = stop
        self._look_at = 0.0

    @property
    def org(self) -> OrgId:
        """The id of the organization whose job it is."""
        return OrgId(self.job.org_id)

    def step(self, text: str) -> None:
        """Report what is done next, in a few words; call it where stopping does no harm.

        Raises Lost or Stopping, which the handler lets pass.
        """
        if self._stop.is_set():
            raise service.Stopping
        with self._db.transaction() as connection:
            if service.change(connection, self.job, step=text) is None:
                raise service.JobLost

    def look(self) -> None:
        """Is the work still wanted? Call it several times a second while something else does it.

        Raises Stopping when this process ends, Lost within LOST_S after the job was cancelled.
        """
        if self._stop.is_set():
            raise service.Stopping
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOST_S
            with self._db.reading() as connection:
                now = service.one(connection, self.org, self.job.job_id)
            if now is None or (now.state, now.attempts) != ("running", self.job.attempts):
                raise service.JobLost


Handler = Callable[[Work], None]
"""Does a job. It may be cut at any point and begun again, so what it stores replaces what it has
stored before. What it raises is tried again later, except for errors that no later attempt can
avoid."""


class Worker(Protocol):
    """What does all jobs of a kind."""

    @property
    def job(self) -> service.Kind:
        """The kind."""

    def __call__(self, work: Work) -> None:
        """Do a job, as a Handler does."""


class Runner:
    """The jobs of all organizations, for kinds that have a handler. Safe to run in several threads.

    `ended` is called with kind and outcome of every attempt: an end state, or `queued` for one that
    is tried again. `at_once` is the number of threads that run it: the last free one is kept for
    other organizations than those that have kept another one for over LONG_S. `gave_up` gets each
    job that has failed permanently.
    """

    def __init__(
        self,
        db: Database,
        handlers: Mapping[service.Kind, Handler],
        ended: Callable[[service.Kind, str], None] = lambda *_: None,
        at_once: int = 1,
        gave_up: Callable[[service.Job], None] = lambda _: None,
    ) -> None:
        self._db = db
        self._handlers = handlers
        self._ended = ended
        self._gave_up = gave_up
        self._last_org = ""
        self._at_once = at_once
        self._mine: dict[tuple[str, str], float] = {}
        self._orphans_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Do what is due, until it is stopped."""
        outages.keep_doing(stop, lambda: self.do_next(stop), log, "looking for jobs", LOOK_S)

    def do_next(self, stop: threading.Event) -> bool:
        """Do one job, if one is due: orphans first, then organizations in turn."""
        return any(self._attempt(job, stop) for job in self._candidates())

    def _candidates(self) -> Iterator[service.Job]:
        if time.monotonic() >= self._orphans_at:
            self._orphans_at = time.monotonic() + ORPHANS_S
            mine = set(self._mine)
            yield from (
                job
                for job in service.running(self._db, self._handlers)
                if (job.org_id, job.job_id) not in mine
            )
        now = clock.now_ms()
        orgs = service.organizations_with_due(self._db, self._handlers, now)
        # Each organization is served once before any is served twice, however much one waits for.
        for org in sorted(orgs, key=lambda org_id: (org_id <= self._last_org, org_id)):
            if self._is_greedy(org):
                continue
            yield from service.due(self._db, org, self._handlers, now, _CANDIDATES)

    def _is_greedy(self, org: OrgId) -> bool:
        """Would another job of an organization leave no thread to the others for long?"""
        now = time.monotonic()
        mine = [at for (owner, _), at in list(self._mine.items()) if owner == org]
        is_last = 0 < len(self._mine) == self._at_once - 1
        if not is_last or all(now - at < LONG_S for at in mine):
            return False
        return len(operator.tenants(self._db)) > 1

    def _attempt(self, job: service.Job, stop: threading.Event) -> bool:
        """Work on a job unless another process does; False where there was nothing to do."""
        with self._db.alone(f"job {job.org_id} {job.kind} {job.subject}", wait=False) as is_mine:
            if not is_mine:
                return False
            if job.state == "running" and job.attempts >= ATTEMPTS_MAX:
                self._end(job, "failed", _WORKER_LOST)
                return False
            begun = self._begin(job)
            if begun is None:
                return False
            key = begun.org_id, begun.job_id
            self._last_org = begun.org_id
            self._mine[key] = time.monotonic()
            try:
                self._do(begun, stop)
            finally:
                del self._mine[key]
            return True

    def _begin(self, job: service.Job) -> service.Job | None:
        with self._db.transaction() as connection:
            return service.change(
                connection,
                job,
                state="running",
                attempts=job.attempts + 1,
                started_at=clock.now_ms(),
                step=None,
            )

    def _do(self, job: service.Job, stop: threading.Event) -> None:
        try:
            self._handlers[job.kind](Work(self._db, job, stop))
        except service.JobLost:
            log.info("job %s was cancelled", job.job_id)
        except service.Stopping:
            # The attempt did not fail: it continues in another process, or at the next start.
            if not self._put_back(job, attempts=job.attempts - 1, due_at=clock.now_ms()):
                self._end(job, "cancelled", None)
        except StationmasterError as fault:
            self._fail(job, fault.detail, is_final=isinstance(fault, _FINAL))
        except Exception:  # One job never ends the worker.
            log.exception("job %s (%s) failed", job.job_id, job.kind)
            self._fail(job, _UNEXPECTED, is_final=False)
        else:
            self._end(job, "succeeded", None)

    def _fail(self, job: service.Job, error: str, *, is_final: bool) -> None:
        error = " ".join(error.split())
        if is_final or job.attempts >= ATTEMPTS_MAX:
            self._end(job, "failed", error)
            return
        due_at = clock.now_ms() + RETRY_S[job.attempts - 1] * 1000
        if not self._put_back(job, due_at=due_at, error=error):
            self._end(job, "failed", error)

    def _put_back(self, job: service.Job, **values: object) -> bool:
        """Let a job wait again. Where another one of its kind waits, that one is enough."""
        with self._db.transaction() as connection:
            is_back = service.put_back(connection, job, **values)
        if is_back:
            self._ended(job.kind, "queued")
        return is_back

    def _end(self, job: service.Job, state: service.State, error: str | None) -> None:
        with self._db.transaction() as connection:
            ended = service.change(
                connection, job, state=state, finished_at=clock.now_ms(), step=None, error=error
            )
            if ended is None:
                return
            service.delete_old(connection, ended, KEPT)
        self._ended(job.kind, state)
        if state == "failed":
            self._gave_up(ended)
