"""What raises alerts in the background: failed jobs, critical CI findings, silent senders, spikes
of spending. It reads stored rows alone, in one process at a time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from statistics import median

from stationmaster import clock, days
from stationmaster.access import operator, privacy
from stationmaster.alerts import causes
from stationmaster.alerts.mail import outbox
from stationmaster.alerts.raising import PERSON
from stationmaster.analytics.coverage import report as coverage
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.jobs import service as jobs
from stationmaster.pipelines.scanning import finding_store as findings
from stationmaster.repos import service as repos

ROUND_S = 30.0
"""Pause between two checks of jobs and findings."""
SLOW_S = 600.0
"""Pause between two checks of what changes once a day."""
FAILED_DAYS = 7
SPIKE_FACTOR = 3
"""Times the usual day, from which on a day is a spike."""
SPIKE_MIN = 1_000_000
"""Credits more than the usual day, below which no day is one: 2.50 USD."""
USUAL_DAYS, USUAL_DAYS_MIN = 28, 5
"""Closed days before, and how many of them must have had any use, for a usual day to be known."""
_RULES_MAX = 3
_OWN_JOBS = frozenset({"alert", outbox.JOB})
_CREDITS = """
SELECT day, user_id, billable_tokens FROM active_users WHERE org_id = ? AND day BETWEEN ? AND ?
"""

_log = logging.getLogger(__name__)


def run(db: Database, stop: threading.Event) -> None:
    """Look for causes every ROUND_S until `stop` is set, in one process at a time; log faults."""
    slow_at = time.monotonic()
    while not stop.wait(ROUND_S):
        is_slow = time.monotonic() >= slow_at
        try:
            with db.alone("causes of alerts", wait=False) as is_mine:
                if is_mine:
                    look(db, stop, is_slow=is_slow)
            if is_slow:
                slow_at = time.monotonic() + SLOW_S
        except Exception as fault:  # The job edge: an outage must not end the looks.
            outages.log_failure(_log, "looking for causes of alerts", fault)


def look(db: Database, stop: threading.Event, *, is_slow: bool) -> None:
    """Raise and resolve the alerts of every organization; with `is_slow` those of days, too."""
    for tenant in operator.tenants(db):
        if stop.is_set():
            return
        failed_jobs(db, tenant.org_id)
        critical_findings(db, tenant.org_id)
        if is_slow:
            silent_senders(db, tenant.org_id)
            spikes(db, tenant.org_id)
            causes.resolve_ended(db, tenant.org_id)
            causes.delete_old(db, tenant.org_id)


def failed_jobs(db: Database, org: OrgId) -> None:
    """One alert a day for each work whose newest job failed; resolved when a later one succeeds."""
    since = clock.now_ms() - FAILED_DAYS * days.MS_PER_DAY
    failures, lasting = {}, []
    for job in jobs.failing(db, org, since):
        if job.kind in _OWN_JOBS or job.finished_at is None:
            continue
        failed_on = datetime.fromtimestamp(job.finished_at / 1000, UTC).date()
        work = f"{job.kind} {job.subject}"
        lasting += [f"{work} {failed_on - timedelta(days=n)}" for n in range(1, FAILED_DAYS + 1)]
        failures[f"{work} {failed_on}"] = causes.Cause(
            f"The background job {job.kind} failed",
            f"It failed after {job.attempts} attempts and will not be retried: "
            f"{job.error or 'unknown reason'}",
            {"jobId": job.job_id, "jobKind": job.kind},
        )
    causes.reconcile(
        db, org, "job.failed", failures, lasting=lasting, together="{count} background jobs failed"
    )


def critical_findings(db: Database, org: OrgId) -> None:
    """One alert for the critical findings that a scan of a repository was the first to have;
    resolved when none of them is open any more."""
    by_repository = defaultdict(list)
    if any(counts["critical"] for counts in findings.counts(db, org).values()):
        for row in findings.rows(db, org, ("open",), severity="critical"):
            by_repository[row.repo_id, row.first_seen_at].append(row.finding)
    names = (
        {repository.repo_id: repository.url for repository in repos.list_page(db, org)}
        if by_repository
        else {}
    )
    alerts = {}
    for (repo, at), open_findings in by_repository.items():
        name = names.get(repo, repo).rpartition("://")[2]
        rules = sorted({open_finding.rule for open_finding in open_findings})
        count = len(open_findings)
        listed = ", ".join(rules[:_RULES_MAX]) + (", …" if len(rules) > _RULES_MAX else "")
        alerts[f"{repo} {at}"] = causes.Cause(
            f"{count} critical CI finding{'' if count == 1 else 's'} in {name}",
            f"Found by the scan of {datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}: {listed}.",
            {"repositoryId": repo, "findings": count, "rules": rules[:20]},
        )
    together = "Critical CI findings in {count} scans of repositories"
    causes.reconcile(db, org, "ci.critical", alerts, together=together)


def silent_senders(db: Database, org: OrgId) -> None:
    """One alert for each silence of a member or a service account; resolved when data arrive."""
    silences = {}
    for person in coverage.everyone(db, org):
        if person.state != "stopped" or person.kind == "observed" or person.last_seen is None:
            continue
        last = datetime.fromtimestamp(person.last_seen / 1000, UTC).date()
        is_person = person.kind == "member"
        silences[f"{person.id} {last}"] = causes.Cause(
            f"{PERSON if is_person else person.name} stopped sending data",
            f"The last data are of {last}. Check the agents with `stationmaster doctor` on the "
            "machine, and whether their key is still valid.",
            {"lastDay": last.isoformat()} | ({} if is_person else {"serviceAccountId": person.id}),
            person=person.id if is_person else None,
        )
    together = "{count} senders stopped sending data"
    causes.reconcile(db, org, "sender.silent", silences, together=together)


def spikes(db: Database, org: OrgId) -> None:
    """One alert for a closed day on which the organization, or a person, used far more than usual;
    it ends by itself a day later."""
    yesterday = clock.today() - timedelta(days=1)
    first = yesterday - timedelta(days=USUAL_DAYS)
    used: dict[str, dict[str, int]] = defaultdict(dict)
    total: dict[str, int] = defaultdict(int)
    for day, user, credits in db.rows(_CREDITS, org, first.isoformat(), yesterday.isoformat()):
        used[user][day] = credits
        total[day] += credits
    until = days.start_ms(yesterday + timedelta(days=2))
    spikes_by_key, day = {}, yesterday.isoformat()
    usual = spike(total, day)
    if usual is not None:
        spikes_by_key[f"{org} {day}"] = causes.Cause(
            f"The organization used {total[day] / usual:.1f} times its usual credits",
            f"{total[day]:,} Standard Credits on {day}; a usual day has {usual:,}.",
            {"day": day, "credits": total[day], "usual": usual},
            until=until,
        )
    if not privacy.of(db, org).is_grouped:
        for user, by_day in used.items():
            usual = spike(by_day, day)
            if usual is not None:
                spikes_by_key[f"{user} {day}"] = causes.Cause(
                    f"{PERSON} used {by_day[day] / usual:.1f} times the usual credits",
                    f"{by_day[day]:,} Standard Credits on {day}; a usual day has {usual:,}.",
                    {"day": day, "credits": by_day[day], "usual": usual},
                    person=user,
                    until=until,
                )
    together = "{count} spikes of spending on one day"
    causes.reconcile(db, org, "spend.spike", spikes_by_key, together=together)


def spike(by_day: Mapping[str, int], day: str) -> int | None:
    """The credits of a usual day where a day is far above it; None where it is not, or too few days
    are known."""
    before = [credits for other, credits in by_day.items() if other < day and credits]
    if day not in by_day or len(before) < USUAL_DAYS_MIN:
        return None
    usual = round(median(before))
    is_spike = by_day[day] >= SPIKE_FACTOR * usual and by_day[day] - usual >= SPIKE_MIN
    return usual if is_spike else None
