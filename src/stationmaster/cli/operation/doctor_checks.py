"""What `doctor` looks for. A check is one function in CHECKS: it yields a problem for each thing
that needs a person, with what to do about it, and nothing where all is well.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from stationmaster import clock, days
from stationmaster.cli.operation.installation import check_secret_key
from stationmaster.errors import StationmasterError
from stationmaster.ids import OrgId
from stationmaster.jobs import service
from stationmaster.lake import integrity, storage
from stationmaster.pricing.credits.card import OLD_DAYS
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.db.engine import Database

JOBS_AGE_MAX_MS = 7 * days.MS_PER_DAY
"""How long a failed job is worth a line."""
_JOBS_NAMED = 3
_FREE_SHARE_MIN = 0.05
_FREE_ENOUGH = 10 * 2**30
"""A large disk may be nearly full and yet have room."""


class Problem(NamedTuple):
    """What is wrong, and the command or step that helps: sentences for a person."""

    text: str
    remedy: str


@dataclass(frozen=True)
class Installation:
    """What a check may read. `facts` are those that doctor prints, as `examine` makes them."""

    settings: Settings
    db: Database
    facts: dict[str, Any]

    @property
    def organizations(self) -> list[dict[str, Any]]:
        """The facts of each organization."""
        rows: list[dict[str, Any]] = self.facts["organizations"]
        return rows


Check = Callable[[Installation], Iterator[Problem]]


def problems(installation: Installation) -> list[Problem]:
    """Everything that needs a person, in the order of CHECKS."""
    return [problem for check in CHECKS for problem in _checked(check, installation)]


def _checked(check: Check, installation: Installation) -> list[Problem]:
    """The problems that a check finds; that it could not be made is one."""
    try:
        return list(check(installation))
    except (StationmasterError, OSError) as fault:
        what = check.__name__.replace("_", " ")
        return [
            Problem(f"The check of {what} failed: {fault}", "Remove the cause, then check again.")
        ]


def organizations(installation: Installation) -> Iterator[Problem]:
    """A problem where there is no organization."""
    if not installation.organizations:
        yield Problem("There is no organization yet.", "`stationmaster init` makes one.")


def secret_key(installation: Installation) -> Iterator[Problem]:
    """A problem where stored secrets do not open with the secret key of this machine."""
    try:
        check_secret_key(installation.settings, installation.db)
    except StationmasterError as fault:
        yield Problem(
            fault.detail,
            "Set STATIONMASTER_SECRET_KEY, or put back secret.key of the data folder: "
            "docs/backup.md.",
        )


def inbox(installation: Installation) -> Iterator[Problem]:
    """Problems where the inbox does not answer, has damaged rows or is over its limit of bytes."""
    fault, status = installation.facts.get("inbox_error"), installation.facts["inbox"]
    if fault is not None:
        yield Problem(
            f"The inbox does not answer: {fault}", "Start its database, or check its address."
        )
        return
    if status["corrupt_rows"]:
        rows = status["corrupt_rows"]
        yield Problem(
            f"{rows:,} inbox {'row' if rows == 1 else 'rows'} cannot be decoded and "
            f"{'was' if rows == 1 else 'were'} set aside.",
            "Check the disk; restore the data from a backup with `stationmaster restore` if it "
            "is damaged.",
        )
    if status["bytes"] > installation.settings.inbox_backlog_max:
        yield Problem(
            "The inbox is over its limit, so data is being refused.",
            "Check that a worker runs: `stationmaster worker`.",
        )


def lake(installation: Installation) -> Iterator[Problem]:
    """Does the storage of the parts answer?"""
    if not installation.organizations:
        return
    org = installation.organizations[0]["org_id"]
    try:
        storage.Lake.open(installation.settings).parts(org, clock.today())
    except (OSError, StationmasterError) as fault:
        yield Problem(
            f"The lake does not answer: {fault}",
            "Check STATIONMASTER_LAKE_URL and its credentials: docs/object-storage.md.",
        )


def lake_parts(installation: Installation) -> Iterator[Problem]:
    """Every part file is there, as it was written."""
    lake, adoption = storage.Lake.open(installation.settings), integrity.Adoption()
    while adoption.round(installation.db, lake):
        pass
    damaged: dict[tuple[str, date], list[str]] = {}
    for partition, name, fault in integrity.check_all(installation.db, lake).faults:
        damaged.setdefault(partition, []).append(f"{name} is {fault}")
    names = {org["org_id"]: org["name"] for org in installation.organizations}
    for (org, day), named in damaged.items():
        shown = ", ".join(named[: integrity.NAMED])
        yield Problem(
            f"{names.get(org, org)}, {day}: {len(named):,} part "
            f"{'file is' if len(named) == 1 else 'files are'} damaged ({shown}).",
            "Restore the files from a backup; `stationmaster rollup --without-damaged` counts the "
            "day without them.",
        )


def disk_space(installation: Installation) -> Iterator[Problem]:
    """A problem where the disk of the data folder is nearly full.

    That is with less than 5 % free (10 GiB where 5 % is more) or less than `disk_free_min`.
    """
    settings = installation.settings
    usage = shutil.disk_usage(settings.data_dir)
    least = max(settings.disk_free_min, min(_FREE_ENOUGH, int(_FREE_SHARE_MIN * usage.total)))
    if usage.free < least:
        yield Problem(
            f"The disk of {settings.data_dir} is nearly full: "
            f"{usage.free / 2**30:,.1f} GiB of {usage.total / 2**30:,.1f} GiB are free; below "
            f"{settings.disk_free_min / 2**30:,.2f} GiB no data is accepted.",
            "Free some space, or move the data folder to a larger disk.",
        )


def quarantine(installation: Installation) -> Iterator[Problem]:
    """A problem for each day of an organization with events or parts in quarantine."""
    for org in installation.organizations:
        for item in org["quarantine"]:
            yield Problem(
                f"{org['name']}, {item['day']}: {item['events']:,} events and {item['parts']:,} "
                f"parts are not counted ({item['reason']}).",
                "Restore the file from a backup or upgrade, then "
                "`stationmaster rollup --retry-quarantined`.",
            )


def senders(installation: Installation) -> Iterator[Problem]:
    """Who stopped sending, agents that are missing, and sources that disagree."""
    for org in installation.organizations:
        for text in org["coverage_problems"]:
            problem, _, remedy = text.rpartition(": ")
            yield Problem(f"{org['name']}: {problem}", remedy)


def price_list(installation: Installation) -> Iterator[Problem]:
    """A problem for each organization whose newest price list is more than OLD_DAYS old."""
    for org in installation.organizations:
        newest = max(date.fromisoformat(stored["as_of"]) for stored in org["price_lists"])
        age = (clock.today() - newest).days
        if age > OLD_DAYS:
            yield Problem(
                f"{org['name']}: The newest price list is {age:,} days old ({newest}), so dollars "
                "may be wrong.",
                "Import a current one with `stationmaster rates import FILE`, or upgrade "
                "Stationmaster: docs/costs.md.",
            )


def jobs(installation: Installation) -> Iterator[Problem]:
    """Background jobs whose newest run of the last days failed."""
    since = clock.now_ms() - JOBS_AGE_MAX_MS
    for org in installation.organizations:
        failed = service.failing(installation.db, OrgId(org["org_id"]), since)
        if not failed:
            continue
        named = "; ".join(
            f"{job.kind} of {job.subject}: {job.error or 'no reason stored'}"
            for job in failed[:_JOBS_NAMED]
        )
        more = f"; and {len(failed) - _JOBS_NAMED} more" if len(failed) > _JOBS_NAMED else ""
        yield Problem(
            f"{org['name']}: {len(failed)} background "
            f"{'job' if len(failed) == 1 else 'jobs'} failed ({named}{more}).",
            "`stationmaster jobs list --state failed` lists them; remove the cause, then request "
            "the work again.",
        )


CHECKS: tuple[Check, ...] = (
    organizations,
    secret_key,
    inbox,
    lake,
    lake_parts,
    disk_space,
    quarantine,
    senders,
    price_list,
    jobs,
)
