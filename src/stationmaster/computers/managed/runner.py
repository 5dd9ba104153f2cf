"""The job that brings a managed computer to what is wanted of it: it compares and acts, so any
process may go on where another one was killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.vault import Vault
from stationmaster.computers import presence
from stationmaster.computers.managed import model, store, templates
from stationmaster.computers.managed.providers.base import Doing, Machine, ProviderError
from stationmaster.computers.managed.steps import Job, StepContext
from stationmaster.computers.model import JOB, Computer, SetupStep, Status, StepStatus
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Work
from stationmaster.settings import Settings

END_S = 300.0
"""How long ending a machine, or stopping one, may take in one attempt of the job."""
AGAIN_S = (1.0, 5.0)
"""Before the second and the third try of a step."""
_LOOK_S = 1.0
_ERROR_MAX = 500


class _Ended(Exception):
    """The computer was removed, or is not in the state that is worked on."""


class Converger:
    """The handler of the job `computer`; its subject is a computer's id."""

    def __init__(
        self, db: Database, settings: Settings, vault: Vault, offered: templates.Templates
    ) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault
        self._offered = offered

    def __call__(self, work: Work) -> None:
        managed = store.one(self._db, work.org, work.job.subject)
        if managed is None:
            return
        try:
            computer = store.not_removed(self._db, work.org, managed.computer_id)
            if computer is None:
                self._end(managed, work)
            elif computer.status == "provisioning":
                self._set_up(computer, managed, work)
            elif computer.status == "active":
                self._keep(computer, managed, work)
            elif managed.failed_at is not None and managed.reference is not None:
                self._release(managed, work)
        except _Ended:
            # What was changed meanwhile has asked for this job again.
            return

    def _end(self, managed: model.Managed, work: Work) -> None:
        """The computer is no more: neither is its machine, nor what was kept of it."""
        self._destroy(managed, work)
        store.delete_all(self._db, managed)

    def _release(self, managed: model.Managed, work: Work) -> None:
        """Give back what a computer in error has had for long enough."""
        if clock.now_ms() - (managed.failed_at or 0) < model.ERROR_KEPT_S * 1000:
            return
        self._destroy(managed, work)
        with self._db.transaction() as connection:
            store.change(connection, managed, reference=None)

    def _destroy(self, managed: model.Managed, work: Work) -> None:
        work.step("ending the machine")
        template = self._offered.get(managed.template)
        if template is None:
            raise Unavailable(
                f"The template {managed.template} no longer exists; its machine "
                f"{managed.reference or managed.computer_id} cannot be ended.",
                code="no_template",
            )
        machine = Machine(managed.computer_id, managed.reference, managed.account)
        provider = templates.provider_of(template)
        provider.destroy(machine, Doing(time.monotonic() + END_S, work.look))

    def _set_up(self, computer: Computer, managed: model.Managed, work: Work) -> None:
        """Do every step that is not done, in order."""
        job = self._job(computer, managed, work, "provisioning")
        if job is None:
            self._fail(managed, "step", "provisioning", "template_missing")
            return
        if not self._do_steps(job, computer, work, until_at=managed.deadline_at):
            is_late = clock.now_ms() >= managed.deadline_at
            self._fail(managed, "deadline" if is_late else "step", "provisioning", "step_failed")
            return
        with self._db.transaction() as connection:
            store.set_status(connection, managed, "provisioning", "active", "set_up", None)
            store.change(connection, managed, last_active_at=clock.now_ms())

    def _keep(self, computer: Computer, managed: model.Managed, work: Work) -> None:
        """Stop, start, wake a computer that was set up, and do the steps that were asked again."""
        job = self._job(computer, managed, work, "active")
        if job is None:
            return  # It runs as it is; nothing can be done to it without its template.
        provider, doing = job.provider, job.doing(END_S)
        try:
            state = provider.state(job.machine, doing)
            if state == "absent":
                self._fail(managed, "gone", "active", "machine_gone")
                return
            if managed.power != "running" and state != "stopped":
                work.step("stopping")
                job.stop_services(doing)
                if provider.can_stop:
                    provider.stop(job.machine, doing)
                state = provider.state(job.machine, doing)
            if managed.power == "asleep":
                return
            if state != "running":
                work.step("starting")
                provider.start(job.machine, doing)
                job.await_running(doing)
        except ProviderError as fault:
            raise Unavailable(fault.detail, code=fault.code) from fault
        shown = presence.of(self._db, managed.org_id, managed.computer_id)
        is_there = state == "running" and shown is not None and shown.state == "online"
        if managed.power == "restarting" or not is_there:
            computer = self._pending(computer, model.SERVICES.id)
        with self._db.transaction() as connection:
            store.change(connection, managed, power="running")
        until_at = clock.now_ms() + model.DEADLINE_S * 1000
        if not self._do_steps(job, computer, work, until_at=until_at):
            self._fail(managed, "step", "active", "step_failed")

    def _pending(self, computer: Computer, step_id: str) -> Computer:
        steps = tuple(
            SetupStep(provisioning_step.id, provisioning_step.name, "pending")
            if provisioning_step.id == step_id
            else provisioning_step
            for provisioning_step in computer.provisioning_steps
        )
        return msgspec.structs.replace(computer, provisioning_steps=steps)

    def _do_steps(self, job: Job, computer: Computer, work: Work, *, until_at: int) -> bool:
        """Whether all that a computer needs is done afterwards."""
        for step in computer.provisioning_steps:
            kind = model.KINDS.get(step.id)
            if kind is None or step.status in ("completed", "skipped"):
                continue
            if step.status == "failed" and not kind.is_needed:
                continue
            work.step(kind.name)
            if not self._do_step(job, kind, work, until_at) and kind.is_needed:
                return False
        return True

    def _do_step(self, job: Job, kind: model.Kind, work: Work, until_at: int) -> bool:
        log = job.log(kind.id)
        began, error = clock.now_ms(), ""
        session = work.job.job_id if kind is model.DEPENDENCIES else None
        self._note(job, kind, "in_progress", began, session=session)
        for number in range(kind.tries):
            left_s = (until_at - clock.now_ms()) / 1000
            if number:
                _wait(min(AGAIN_S[number - 1], max(left_s, 0)), job.doing(END_S, log).look)
                log.add_line(f"try {number + 1} of {kind.tries}")
            before = error
            try:
                if left_s <= 0:
                    raise ProviderError("There was not enough time to set the computer up.")
                job.do(kind, log, min(kind.seconds, left_s))
            except StationmasterError as fault:
                error = log.masked(" ".join(fault.detail.split()))[:_ERROR_MAX]
                log.add_line(error)
                if error == before:
                    break  # Bad input, not bad luck.
                continue
            finally:
                log.store(now=True)
            self._note(job, kind, "completed", began, clock.now_ms(), session=session)
            self._count_again(work)
            return True
        log.store(now=True)
        self._note(job, kind, "failed", began, clock.now_ms(), error, session)
        return False

    def _count_again(self, work: Work) -> None:
        """Leave the rest to a new job where processes have died, so that those of one step do not
        use up the attempts of the next. Raises _Ended then.
        """
        if work.job.attempts > 1:
            jobs.ask(self._db, work.org, JOB, work.job.subject, by=None)
            raise _Ended

    def _note(
        self,
        job: Job,
        kind: model.Kind,
        status: StepStatus,
        began: int,
        ended: int | None = None,
        error: str | None = None,
        session: str | None = None,
    ) -> None:
        """Store the state of a step. Raises _Ended for a computer that was removed meanwhile."""
        managed = job.managed
        computer = store.not_removed(self._db, managed.org_id, managed.computer_id)
        if computer is None:
            raise _Ended
        new = SetupStep(kind.id, kind.name, status, error, began, ended, session)
        steps = tuple(new if s.id == kind.id else s for s in computer.provisioning_steps)
        with self._db.transaction() as connection:
            if not store.set_steps(connection, managed.org_id, managed.computer_id, steps):
                raise _Ended

    def _job(
        self, computer: Computer, managed: model.Managed, work: Work, status: Status
    ) -> Job | None:
        """None where the operator offers the template no more."""
        template = self._offered.get(managed.template)
        if template is None:
            return None
        place = StepContext(self._db, self._settings, self._vault, templates.provider_of(template))
        return Job(place, computer, managed, self._looking(managed, work, status))

    def _looking(self, managed: model.Managed, work: Work, status: Status) -> Callable[[], None]:
        """Raises Stopping and Lost as `Work.look` does, and _Ended once the computer is not in
        this state any more.
        """
        look_at = 0.0

        def look() -> None:
            nonlocal look_at
            work.look()
            if time.monotonic() < look_at:
                return
            look_at = time.monotonic() + _LOOK_S
            now = store.not_removed(self._db, managed.org_id, managed.computer_id)
            if now is None or now.status != status:
                raise _Ended

        return look

    def _fail(
        self, managed: model.Managed, failure: model.Failure, before: Status, cause: str
    ) -> None:
        fail(self._db, managed, failure, before, cause)


def fail(
    db: Database, managed: model.Managed, failure: model.Failure, before: Status, cause: str
) -> None:
    """Put a computer into error."""
    with db.transaction() as connection:
        if not store.set_status(connection, managed, before, "error", cause, None):
            return
        store.change(connection, managed, failure=failure, failed_at=clock.now_ms())
        org, computer = managed.org_id, managed.computer_id
        audit.note(connection, org, "computer_failed", "computer", computer, failure=failure)


def _wait(seconds: float, look: Callable[[], None]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        look()
        time.sleep(min(0.2, seconds))
