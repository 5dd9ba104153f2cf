"""What each kind of durable job does, and which follow from a new commit.

The one place that knows both jobs and features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Handler, Work, Worker
from stationmaster.people import erasure
from stationmaster.readiness import evaluation
from stationmaster.repos import service as repos
from stationmaster.wiki.making import runs

if TYPE_CHECKING:
    from stationmaster.api.services import Services

FETCH: jobs.Kind = "fetch"
CI_SCAN: jobs.Kind = "ci-scan"


class Wants:
    """Which jobs follow from what is new about a repository, in the transaction that notes it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def moved(self, connection: Connection, org: OrgId, repo: RepoId) -> None:
        """A server's HEAD is not what was fetched."""
        self._ask(connection, org, FETCH, repo)

    def fetched(self, connection: Connection, org: OrgId, repo: RepoId) -> None:
        """A new commit is here, to be read by all who read repositories."""
        self._ask(connection, org, evaluation.JOB, repo)
        self.evaluating(connection, org, repo)

    def evaluating(self, connection: Connection, org: OrgId, repo: RepoId) -> None:
        """A new commit was fetched by who evaluates it: what is left to do."""
        self._ask(connection, org, CI_SCAN, repo)
        runs.follow(self._db, connection, org, repo)

    def generating(self, connection: Connection, org: OrgId, repo: RepoId) -> None:
        """A new commit was fetched by who writes its wiki: what is left to do."""
        self._ask(connection, org, CI_SCAN, repo)
        self._ask(connection, org, evaluation.JOB, repo)

    def _ask(self, connection: Connection, org: OrgId, kind: jobs.Kind, repo: RepoId) -> None:
        jobs.ask_within(self._db, connection, org, kind, repo, by=None)


def handlers(services: Services) -> Mapping[jobs.Kind, Handler]:
    """By kind; the subject of a job is a registered repository, or as described at its kind."""

    def fetch(work: Work) -> None:
        work.step("fetching")
        repos.refresh(
            services.db,
            services.settings,
            services.vault,
            work.org,
            RepoId(work.job.subject),
            moved=services.wants.fetched,
        )

    def ci_scan(work: Work) -> None:
        work.step("scanning")
        services.scanner.rescan(work.org, RepoId(work.job.subject), work.look)

    def erase_person(work: Work) -> None:
        # Loaded when it is needed: the engine takes a while.
        from stationmaster.people import erasing

        stores = erasing.Stores(
            services.db,
            services.inbox.database,
            services.mover,
            services.outbox,
            services.settings,
        )
        erasing.erase(stores, work.org, work.job.subject, work.step)

    workers: list[Worker] = [services.evaluator, services.generator]
    workers += [services.outbox, services.alerts]
    return {
        FETCH: fetch,
        CI_SCAN: ci_scan,
        erasure.JOB: erase_person,
        **{worker.job: worker for worker in workers},
    }
