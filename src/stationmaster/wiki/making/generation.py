"""Generating the wiki of a registered repository: a durable job, on demand and when heads move."""

from __future__ import annotations

import time

from stationmaster.access.vault import Vault
from stationmaster.children import limits
from stationmaster.children.calling import call
from stationmaster.db.engine import Database
from stationmaster.ids import RepoId
from stationmaster.jobs.runner import Work
from stationmaster.repos import mirrors, service as repos
from stationmaster.settings import Settings
from stationmaster.wiki.making import runs
from stationmaster.wiki.making.memo import Kept
from stationmaster.wiki.prose import session
from stationmaster.wiki.transfer import preparing

_PROGRESS_S = 1.0
"""Seconds between two notes of progress, each of which is a write to the database."""


class Generator:
    """Does the jobs of one process. `moved` is called with commits that it fetched."""

    job = runs.JOB

    def __init__(
        self, db: Database, settings: Settings, vault: Vault, moved: repos.Announce
    ) -> None:
        self._moved = moved
        self._db = db
        self._settings = settings
        self._vault = vault

    def __call__(self, work: Work) -> None:
        """Write the wiki of a repository's newest commit.

        Raises what fetching and reading raise.
        """
        # A fifth of what a server loads, and most processes of one never make a wiki.
        from stationmaster.wiki import drafting
        from stationmaster.wiki.making import generated
        from stationmaster.wiki.prose import writing

        org, repo = work.org, RepoId(work.job.subject)
        work.step("fetching")
        fresh = repos.refresh(self._db, self._settings, self._vault, org, repo, moved=self._moved)
        run = runs.begun(self._db, work.job, fresh)
        source = repos.source(self._settings, org, fresh)
        kept = mirrors.remembered(self._settings, org, repo)
        report = _Progress(work)
        drafted = call(
            limits.of(self._settings),
            drafting.draft,
            source,
            fresh.url,
            str(kept / "facts.sqlite3"),
            session.has_model(self._settings),
            report=report,
            look=work.look,
        )
        # What a model wrote is stored apart from the facts, which only the child reads.
        with Kept(kept / "wiki.sqlite3") as memory:
            wiki = writing.explain(drafted.wiki, self._settings, memory, report).wiki
        prepared = drafted.prepared
        if wiki is not drafted.wiki:
            work.step("checking")
            upload, stats = generated.upload(wiki), dict(wiki.stats)
            prepared = call(
                limits.of(self._settings), preparing.prepared, upload, source, stats, look=work.look
            )
        work.step("storing")
        runs.complete(self._db, work.job, run, prepared)


class _Progress:
    """Notes what is done, not more often than the notes are read."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._step = ""
        self._next = 0.0

    def __call__(self, step: str, done: int, of: int) -> None:
        now = time.monotonic()
        if step == self._step and now < self._next:
            return
        self._step, self._next = step, now + _PROGRESS_S
        self._work.step(step if of <= 1 else f"{step} {done} of {of}")
