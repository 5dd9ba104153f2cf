"""Alerts to the operator by mail: work that was given up, and damaged parts of the lake.

What happens within ALERT_DELAY_S of an alert's cause is in the same mail, so a fault that repeats
sends few. An alert names kinds and identifiers, never content.
"""

from __future__ import annotations

from stationmaster.access import service
from stationmaster.alerts.mail import outbox, smtp
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Work
from stationmaster.lake import entries
from stationmaster.settings import Settings

JOB: jobs.Kind = "alert"
ALERT_DELAY_S = 60
LINES_MAX = 50
_LAKE = "lake"
_GIVEN_UP = "given-up"
_BEFORE_MS = 10_000
"""How long before its alert is asked for a job may have ended."""


class Alerts:
    """One per process; safe to share between threads."""

    job = JOB

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._recipients = settings.alert_addresses if smtp.is_on(settings) else ()

    def given_up(self, job: jobs.Job) -> None:
        """A durable job has failed permanently. Mail that fails is not reported by mail."""
        if job.kind not in (JOB, outbox.JOB):
            self._ask(OrgId(job.org_id), _GIVEN_UP)

    def damaged(self, org: OrgId) -> None:
        """Parts of an organization's events are missing or changed."""
        self._ask(org, _LAKE)

    def __call__(self, work: Work) -> None:
        """Send the alert of a job, unless its cause has ended. Raises as `smtp.send`."""
        lines = self._lines(work)
        if not lines or not self._recipients:
            return
        work.step("sending")
        name = service.organization_name(self._db, work.org)
        shown = [f"- {line}" for line in lines[:LINES_MAX]]
        if len(lines) > LINES_MAX:
            shown.append(f"- and {len(lines) - LINES_MAX} more")
        what, advice = _WORDS[work.job.subject]
        text = f"{what} Organization: {name} ({work.org}).\n\n" + "\n".join(shown)
        message = smtp.MailMessage(self._recipients, f"{name}: {what}", f"{text}\n\n{advice}\n")
        smtp.send(self._settings, message, work.job.job_id)

    def _ask(self, org: OrgId, subject: str) -> None:
        if self._recipients:
            jobs.ask(self._db, org, JOB, subject, by=None, delay_s=ALERT_DELAY_S)

    def _lines(self, work: Work) -> list[str]:
        if work.job.subject == _LAKE:
            faults = entries.faults(self._db, work.org)
            return [f"{day}: {part} is {fault}" for day, part, fault in faults]
        since = work.job.requested_at - _BEFORE_MS
        return [
            f"{job.kind} of {job.subject}: {job.error or 'unknown reason'}"
            for job in jobs.failing(self._db, work.org, since)
            if job.kind not in (JOB, outbox.JOB)
        ]


_WORDS = {
    _GIVEN_UP: (
        "Background jobs have failed and are not tried again.",
        "`stationmaster jobs list --state failed` lists them; request the work again once the "
        "cause is fixed.",
    ),
    _LAKE: (
        "Stored events are missing or damaged.",
        "`stationmaster doctor` shows what to do; a backup may have the files.",
    ),
}
