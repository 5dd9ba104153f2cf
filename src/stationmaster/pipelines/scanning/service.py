"""The scan of an organization: what is stored, brought up to date first where it is old.

A repository is checked again when the last check is older than CACHE_TTL_MS, or on request. A
call waits for that so long and no longer; what it does not wait for is there at the next.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import msgspec

from stationmaster import clock, errors, ids
from stationmaster.access.vault import Vault
from stationmaster.children import calling, limits, turns
from stationmaster.db.engine import Database
from stationmaster.jobs.service import JobLost, Stopping
from stationmaster.pipelines.scanning import model, scan, store
from stationmaster.repos import service as repos
from stationmaster.repos.model import FetchError, FetchFailed, Repository
from stationmaster.settings import Settings

log = logging.getLogger("stationmaster.pipelines.scanning")
CACHE_TTL_MS = 30 * 60 * 1000
THREADS = 8
LOOKS_AT_ONCE = 2
"""Of one request: half of what may be fetched at the same time, so slow servers leave room to
others."""
SCANS_AT_ONCE, SCANS_PER_ORGANIZATION = 2, 1
"""Child processes at a time: one organization's repositories never keep all others waiting."""
Look = Callable[[], None]
_UNEXPECTED = "An internal error occurred; the server's log has the details."
_STATUS: dict[FetchError, model.ScanStatus] = {
    "forbidden": "forbidden",
    "too_large": "skipped",
    "empty": "skipped",
}
"""Of repositories that cannot be fetched; any other reason makes them unreachable."""


class Scanner:
    """One per process: its threads check repositories, each by one thread at a time.

    `moved` is called with new commits that it fetches, `looked` with the status of each check.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        vault: Vault,
        moved: repos.Announce = lambda *_: None,
        looked: Callable[[model.ScanStatus], None] = lambda _: None,
    ) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="ci-scan")
        self._guard = threading.Lock()
        self._moved = moved
        self._looked = looked
        self._turns = turns.Turns(SCANS_AT_ONCE, SCANS_PER_ORGANIZATION)
        self._closing = threading.Event()
        self._looks: dict[tuple[ids.OrgId, ids.RepoId], Future[None]] = {}

    def close(self) -> None:
        """End scans immediately, and fetches when they end: at most after `repos_fetch_seconds`."""
        self._closing.set()
        self._pool.shutdown(cancel_futures=True)

    def _open(self) -> None:
        if self._closing.is_set():
            raise errors.Unavailable("The server is stopping.", code="stopping")

    @property
    def running(self) -> int:
        """How many looks wait or are being taken."""
        with self._guard:
            return sum(not look.done() for look in self._looks.values())

    def fresh(self, org: ids.OrgId, url: str | None = None) -> model.Scan | None:
        """What `scan` would report, if it needs to check nothing: a short read."""
        repositories = self._repositories(org, url)
        stored = store.all_of(self._db, org)
        if any(_is_due(repository, stored.get(repository.repo_id)) for repository in repositories):
            return None
        return _together(repositories, stored, truncated=False)

    def scan(self, org: ids.OrgId, url: str | None = None, *, force: bool = False) -> model.Scan:
        """The workflows of all of an organization's repositories, or of the one at an address.

        `force` checks every one again. One that fails reports that, and keeps its earlier result.
        """
        began = clock.now_ms()
        repositories = self._repositories(org, url)
        stored = store.all_of(self._db, org)
        due = [
            repository
            for repository in repositories
            if force or _is_due(repository, stored.get(repository.repo_id))
        ]
        if not due:
            return _together(repositories, stored, truncated=False)
        if url is None:
            self._drop_removed(
                org, stored.keys() - {repository.repo_id for repository in repositories}
            )
        due.sort(key=lambda repository: _checked_at(stored.get(repository.repo_id)))
        self._look_at(org, due, force)
        repositories = self._repositories(org, url)
        stored = store.all_of(self._db, org)
        wanted = {repository.repo_id for repository in repositories} & {
            repository.repo_id for repository in due
        }
        awaited = any(_checked_at(stored.get(repo)) < began for repo in wanted)
        return _together(repositories, stored, truncated=awaited)

    def _repositories(self, org: ids.OrgId, url: str | None) -> list[Repository]:
        return repos.list_page(self._db, org) if url is None else repos.find(self._db, org, url)

    def _drop_removed(self, org: ids.OrgId, removed: set[ids.RepoId]) -> None:
        if removed:
            with self._db.transaction() as connection:
                store.delete_all(connection, org, removed)

    def _look_at(self, org: ids.OrgId, due: Sequence[Repository], force: bool) -> None:
        """Check repositories for as long as a call may take."""
        until = time.monotonic() + self._settings.ci_scan_seconds
        looks: set[Future[None]] = set()
        for repository in due:
            if len(looks) >= LOOKS_AT_ONCE:
                looks = wait(looks, until - time.monotonic(), FIRST_COMPLETED).not_done
            if time.monotonic() >= until:
                break
            looks.add(self._look_once(org, repository, force))
        for look in wait(looks, max(0, until - time.monotonic())).not_done:
            look.cancel()  # One that has begun continues, and its outcome is stored.

    def _look_once(self, org: ids.OrgId, repository: Repository, force: bool) -> Future[None]:
        """A check of a repository; the one that has not ended, if there is one."""
        key = (org, repository.repo_id)
        with self._guard:
            look = self._looks.get(key)
            if look is None or look.done():
                look = self._pool.submit(self._look, org, repository, force)
                self._looks[key] = look
        return look

    def _look(self, org: ids.OrgId, repository: Repository, force: bool) -> None:
        stored = store.one(self._db, org, repository.repo_id)
        # Alone among all machines: of two checks at the same time the older could be stored last.
        with self._db.alone(f"look at {org} {repository.repo_id}"):
            before = store.one(self._db, org, repository.repo_id)
            is_same = _checked_at(before) == _checked_at(stored)
            if is_same and (force or _is_due(repository, before)):
                self._look_alone(org, repository, force, before, self._open)

    def rescan(self, org: ids.OrgId, repo: ids.RepoId, look: Look) -> None:
        """Scan the newest commit that was fetched. Raises why that failed.

        `look` is called several times a second meanwhile; what it raises ends the scan.
        """
        with self._db.alone(f"look at {org} {repo}"):
            repository = repos.get(self._db, org, repo)
            before = store.one(self._db, org, repo)
            fault = self._look_alone(org, repository, force=False, before=before, look=look)
        if fault is not None:
            raise fault

    def _look_alone(
        self,
        org: ids.OrgId,
        repository: Repository,
        force: bool,
        before: store.LastScan | None,
        look: Look,
    ) -> Exception | None:
        """Look, and store what was found, or the fault, which is the answer."""
        failure: Exception | None = None
        try:
            is_here = repos.is_at_hand(self._settings, org, repository)
            if force or not is_here or _is_old(repository.looked_at or 0):
                repository = repos.refresh(
                    self._db,
                    self._settings,
                    self._vault,
                    org,
                    repository.repo_id,
                    moved=self._moved,
                )
            outcome = self._scanned(org, repository, before, look)
        except (JobLost, Stopping):
            raise
        except (errors.NotFound, errors.Unavailable) as fault:
            return fault  # Removed, or another process fetches it: the next check will show which.
        except FetchFailed as fault:
            failure = fault
            status = _STATUS.get(fault.reason, "unreachable")
            outcome = _failed(repository.repo_id, before, status, fault.detail)
        except errors.StationmasterError as fault:
            failure = fault
            outcome = _failed(repository.repo_id, before, "skipped", fault.detail)
        except Exception as fault:  # One repository never fails the scan of the others.
            failure = fault
            log.exception("scanning %s failed", repository.repo_id)
            outcome = _failed(repository.repo_id, before, "skipped", _UNEXPECTED)
        store.put(self._db, org, outcome)
        self._looked(outcome.status)
        return failure

    def _scanned(
        self, org: ids.OrgId, repository: Repository, before: store.LastScan | None, look: Look
    ) -> store.LastScan:
        now = clock.now_ms()
        if before is not None and _is_of(before, repository.head_commit):
            return msgspec.structs.replace(
                before, checked_at=now, scanned_at=now, status="scanned", error=None
            )
        earlier = None if before is None else before.decoded()
        authors = [
            (workflow.file_path, workflow.file_sha, workflow.authored_by)
            for workflow in ([] if earlier is None else earlier.workflows)
            if workflow.authored_by is not None
        ]
        source = repos.source(self._settings, org, repository)
        with self._turns.of(org, look=look):
            commit, scanned = calling.call(
                limits.of(self._settings),
                scan.of_source,
                source,
                model.origin(repository.url, source.oid),
                authors,
                look=look,
            )
        return store.LastScan(
            repo_id=repository.repo_id,
            checked_at=now,
            status="scanned",
            error=None,
            revision=scan.REVISION,
            commit_hash=commit,
            scanned_at=now,
            workflows=msgspec.json.encode(scanned).decode(),
        )


def _is_old(at: int) -> bool:
    return clock.now_ms() - at >= CACHE_TTL_MS


def _is_due(repository: Repository, stored: store.LastScan | None) -> bool:
    """Is there no scan of the newest commit, or no recent check of the server?"""
    if stored is None or _is_old(_seen_at(repository, stored)):
        return True
    if stored.status == "scanned":
        return not _is_of(stored, repository.head_commit)
    # What failed is worth another attempt once the server has answered again.
    is_back = repository.fetch_error is None
    return is_back and (repository.looked_at or 0) > stored.checked_at


def _seen_at(repository: Repository, stored: store.LastScan) -> int:
    """When the server was last contacted, by a scan or by the check for new commits."""
    return max(stored.checked_at, repository.looked_at or 0)


def _checked_at(stored: store.LastScan | None) -> int:
    return 0 if stored is None else stored.checked_at


def _is_of(stored: store.LastScan, commit: str | None) -> bool:
    return stored.commit_hash == commit and stored.revision == scan.REVISION


def _failed(
    repo: ids.RepoId, before: store.LastScan | None, status: model.ScanStatus, why: str
) -> store.LastScan:
    """The earlier result of a repository stays, with the reason why there is no newer one."""
    kept = before or store.LastScan(repo, 0, status, None, None, None, None, None)
    return msgspec.structs.replace(kept, checked_at=clock.now_ms(), status=status, error=why)


def _together(
    repositories: Sequence[Repository],
    stored: Mapping[ids.RepoId, store.LastScan],
    *,
    truncated: bool,
) -> model.Scan:
    looks = [(repository, stored.get(repository.repo_id)) for repository in repositories]
    scans = [None if look is None else look.decoded() for _, look in looks]
    return model.Scan(
        workflows=[flow for scanned in scans if scanned is not None for flow in scanned.workflows],
        repositories=[
            _repository_scan(repository, look, scanned)
            for (repository, look), scanned in zip(looks, scans, strict=True)
        ],
        scanned_at=min(
            (_seen_at(repository, look) for repository, look in looks if look is not None),
            default=clock.now_ms(),
        ),
        truncated=truncated,
    )


def _repository_scan(
    repository: Repository, look: store.LastScan | None, scanned: model.Scanned | None
) -> model.RepositoryScan:
    status, error = ("skipped", None) if look is None else (look.status, look.error)
    why = repository.fetch_error
    if why is not None and (repository.looked_at or 0) > (0 if look is None else look.checked_at):
        status, error = _STATUS.get(why, "unreachable"), FetchFailed(why).detail
    return model.RepositoryScan(
        repo_url=repository.url,
        provider=repository.provider,
        default_branch=repository.default_branch,
        status=status,
        commit_hash=None if look is None else look.commit_hash,
        scanned_at=None if look is None else look.scanned_at,
        error=error,
        summary=None if scanned is None else scanned.summary,
        actions=[] if scanned is None else scanned.actions,
    )
