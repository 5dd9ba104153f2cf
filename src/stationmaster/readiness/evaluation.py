"""Evaluating registered repositories: a durable job for each, on demand and when heads move."""

from __future__ import annotations

from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.children import calling, limits
from stationmaster.db.engine import Database
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Work
from stationmaster.readiness import forges, service
from stationmaster.readiness.judging import child
from stationmaster.repos import service as repos
from stationmaster.settings import Settings

JOB = "readiness"
"""The kind of the job; its subject is a repository's id."""


def ask(db: Database, caller: Caller, repo: RepoId) -> jobs.Job:
    """Have a registered repository evaluated at its newest commit. Raises NotFound."""
    repos.get(db, caller.org_id, repo)
    return jobs.ask(db, caller.org_id, JOB, repo, by=caller)


class Evaluator:
    """Does the jobs of one process. `moved` is called with commits that it fetched."""

    job = JOB

    def __init__(
        self, db: Database, settings: Settings, vault: Vault, moved: repos.Announce
    ) -> None:
        self._moved = moved
        self._db = db
        self._settings = settings
        self._vault = vault

    def __call__(self, work: Work) -> None:
        """Evaluate the newest commit of a repository, and store the report where it contains
        anything new. Raises what fetching and reading raise.
        """
        org, repo = work.org, RepoId(work.job.subject)
        work.step("fetching")
        repository = repos.refresh(
            self._db, self._settings, self._vault, org, repo, moved=self._moved
        )
        work.step("asking the hosting service")
        credential = repos.credential(self._db, self._vault, org, repo)
        hosting = forges.ask(self._settings, repository.url, repository.default_branch, credential)
        work.step("judging")
        made = calling.call(
            limits.of(self._settings),
            child.judge,
            repos.source(self._settings, org, repository),
            child.Origin(repository.url, repository.default_branch),
            hosting,
            look=work.look,
        )
        work.step("storing")
        service.keep(self._db, org, made)
