"""Generated runs: requested, worked on by a durable job, and completed by it in one transaction.

A run that is not completed has the state of its job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from stationmaster.jobs import service as jobs
from stationmaster.repos import store as repositories
from stationmaster.repos.model import Repository
from stationmaster.wiki import service, store, tree
from stationmaster.wiki.model import RUNS_KEPT, SYSTEM, Origin, Run, Status
from stationmaster.wiki.searching import search
from stationmaster.wiki.transfer.preparing import Prepared

JOB = "wiki"
"""The kind of the job; its subject is a repository's id."""
_STATUS: Mapping[jobs.State, Status] = {
    "queued": "pending",
    "running": "running",
    "succeeded": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}


class Standing(NamedTuple):
    """The state of a run. `step` is what is done now, `error` in one line why it failed."""

    status: Status
    step: str | None = None
    error: str | None = None


COMPLETED = Standing("completed")
_GONE = Standing("failed", error="How it ended is not stored.")


def ask(db: Database, org: ids.OrgId, repository: Repository, *, by: Caller) -> Run:
    """Have the wiki of a repository generated; the run that already waits for it, if one does."""
    with db.transaction() as connection:
        return want(db, connection, org, repository, by=by)


def want(
    db: Database,
    connection: Connection,
    org: ids.OrgId,
    repository: Repository,
    *,
    by: Caller | None,
) -> Run:
    """`ask` in a writing transaction of the caller's."""
    repo = repository.repo_id
    job = jobs.ask_within(db, connection, org, JOB, repo, by=by)
    run = store.run_of_job(connection, org, job.job_id)
    return run or _insert(connection, org, repository, job)


def follow(db: Database, connection: Connection, org: ids.OrgId, repo: ids.RepoId) -> None:
    """Start a run for a new commit of a repository whose wiki was generated once."""
    repository = repositories.repository(connection, org, repo)
    if repository is not None and store.is_generated(connection, org, repo):
        want(db, connection, org, repository, by=None)


def begun(db: Database, job: jobs.Job, repository: Repository) -> Run:
    """The run that a job works on; a new one where that was deleted."""
    org = ids.OrgId(job.org_id)
    with db.transaction() as connection:
        run = store.run_of_job(connection, org, job.job_id)
        return run or _insert(connection, org, repository, job)


def complete(db: Database, job: jobs.Job, run: Run, prepared: Prepared) -> None:
    """Store what was generated, all of it or nothing, and let the oldest runs go.

    Raises NotFound where the run is gone.
    """
    org = ids.OrgId(job.org_id)
    checked, rows, details = prepared
    with db.transaction() as connection:
        service.lock(connection, org)
        if store.run(connection, org, run.run_id) is None:
            raise NotFound("The wiki run was deleted.")
        done = msgspec.structs.replace(
            run,
            origin=checked.origin,
            page_count=len(checked.pages),
            completed_at=clock.now_ms(),
        )
        store.complete_run(connection, org, done, tree.grow(checked.pages), details)
        service.put_files(connection, org, done, checked, rows)
        for old in store.surplus(connection, org, run.repository_id, RUNS_KEPT):
            search.index_of(connection).remove(connection, org, old)
            store.delete_run(connection, org, old)


def standings(db: Database, org: ids.OrgId, several: Sequence[Run]) -> dict[str, Standing]:
    """The state of each of the runs, by its id."""
    open_ = [run for run in several if not run.is_completed]
    standing_of = {run.run_id: COMPLETED for run in several if run.is_completed}
    if open_:
        with db.reading() as connection:
            for run in open_:
                standing_of[run.run_id] = _standing(connection, org, run)
    return standing_of


def cancel(db: Database, caller: Caller, run_id: str) -> Run:
    """Call a run off. Raises NotFound, Forbidden, Conflict (`job_ended`) for one that has ended."""
    run, _ = service.get(db, caller, run_id)
    service.check_may_change(caller, run)
    if run.is_completed or run.job_id is None:
        raise Conflict("The run has ended already.", code="job_ended")
    jobs.cancel(db, caller, run.job_id)
    return run


def _standing(connection: Connection, org: ids.OrgId, run: Run) -> Standing:
    job = None if run.job_id is None else jobs.one(connection, org, run.job_id)
    if job is None or job.state == "succeeded":
        return _GONE
    return Standing(_STATUS[job.state], job.step, job.error)


def _insert(connection: Connection, org: ids.OrgId, repository: Repository, job: jobs.Job) -> Run:
    run = Run(
        run_id=ids.new_sortable(service.PREFIX),
        repository_id=repository.repo_id,
        created_at=clock.now_ms(),
        created_by=job.requested_by or SYSTEM,
        privacy_level="organization",
        page_count=0,
        job_id=job.job_id,
        origin=Origin(repo_url=repository.url, branch=repository.default_branch),
    )
    store.insert_run(connection, org, run, [], None)
    return run
