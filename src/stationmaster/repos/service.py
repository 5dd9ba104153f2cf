"""What is done to an organization's repositories: register, open, fetch, read, remove.

Each change is one transaction with its record in the audit log. All raise NotFound for what is not
in the organization, be it in another one or nowhere.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from sqlalchemy import Connection

from stationmaster import clock
from stationmaster.access import audit, operator, store as access
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound, StationmasterError
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import addresses, mirrors, network, store
from stationmaster.repos.model import Credential, FetchFailed, Head, Repository, provider_of
from stationmaster.repos.reading import Source
from stationmaster.settings import Settings

LOOKS_AT_ONCE = 4
"""Servers that are asked at a time."""

log = logging.getLogger("stationmaster.repos")

REPOSITORIES_MAX = 5_000
"""Of one organization: each takes disk, and time of every scan."""
LOOK_S = 20.0
"""How long a server may take to report its HEAD."""
_POLL_S = 0.1
Announce = Callable[[Connection, OrgId, RepoId], None]
"""Called when something about a repository is new, in the transaction that notes it."""


def register(
    db: Database, vault: Vault, caller: Caller, url: str, credential: Credential | None = None
) -> tuple[Repository, bool]:
    """The repository at an address, and whether it is new. Its server is not contacted yet.

    A credential that is given replaces the one of a known repository. Raises BadRequest for what
    is no address, Conflict (`too_many_repositories`).
    """
    org = caller.org_id
    address = addresses.normalise(url)
    repo = addresses.id_of(org, address)
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        is_new = store.repository(connection, org, repo) is None
        if is_new:
            if store.count(connection, org) >= REPOSITORIES_MAX:
                raise Conflict(
                    f"An organization has at most {REPOSITORIES_MAX} repositories.",
                    code="too_many_repositories",
                )
            _insert(connection, caller, address, repo)
        if credential is not None:
            _set_credential(connection, vault, caller, repo, credential)
        return _existing(connection, org, repo), is_new


def get(db: Database, org: OrgId, repo: RepoId) -> Repository:
    """A registered repository. Raises NotFound where there is none, or it was removed."""
    with db.reading() as connection:
        return _existing(connection, org, repo)


def find(db: Database, org: OrgId, url: str) -> list[Repository]:
    """The repository at an address, in any spelling, or none. Raises BadRequest for no address."""
    with db.reading() as connection:
        repository = store.repository(connection, org, addresses.id_of(org, url))
    return [] if repository is None else [repository]


def list_page(
    db: Database, org: OrgId, *, limit: int = REPOSITORIES_MAX, after: str = ""
) -> list[Repository]:
    """At most `limit` repositories by address, those after an address; all by default."""
    return store.page(db, org, limit=limit, after=after)


def set_credential(
    db: Database, vault: Vault, caller: Caller, repo: RepoId, credential: Credential
) -> Repository:
    """Keep what opens a repository, in place of what did."""
    with db.transaction() as connection:
        access.lock_organization(connection, caller.org_id)
        _existing(connection, caller.org_id, repo)
        _set_credential(connection, vault, caller, repo, credential)
        return _existing(connection, caller.org_id, repo)


def credential(db: Database, vault: Vault, org: OrgId, repo: RepoId) -> Credential | None:
    """What opens a repository, to be used and never shown."""
    with db.reading() as connection:
        return _credential(connection, vault, org, repo)


def remove_credential(db: Database, caller: Caller, repo: RepoId) -> None:
    """Delete what opens a repository; harmless when there is nothing."""
    with db.transaction() as connection:
        _existing(connection, caller.org_id, repo)
        if store.delete_credential(connection, caller.org_id, repo):
            audit.note(connection, caller, "repository_credential_removed", "repository", repo)


def remove(db: Database, settings: Settings, caller: Caller, repo: RepoId) -> None:
    """Remove a repository, its credential and everything that was fetched of it.

    Raises Unavailable (`repository_busy`) while it is being fetched: it is unregistered then, and
    removing it again, or the end of that fetch, deletes what is on disk.
    """
    org = caller.org_id
    with db.transaction() as connection:
        if not store.is_leaving(connection, org, repo):
            _existing(connection, org, repo)
            store.set_removed(connection, org, repo, clock.now_ms())
            store.delete_credential(connection, org, repo)
            audit.note(connection, caller, "repository_removed", "repository", repo)
    _delete(db, settings, org, repo)


def look(
    db: Database,
    settings: Settings,
    vault: Vault,
    org: OrgId,
    repo: RepoId,
    *,
    moved: Announce,
) -> None:
    """Ask a repository's server for its HEAD, in one request, and announce one that is not known.

    Nothing is fetched. Raises FetchFailed, which the repository then shows as its `fetch_error`.
    """
    with db.reading() as connection:
        repository = _existing(connection, org, repo)
        credential = _credential(connection, vault, org, repo)
    auth = None if credential is None else credential.header(provider_of(repository.url))
    with _noting(db, org, repo):
        _, head = network.reach(settings, repository.url, auth, time.monotonic() + LOOK_S)
    with db.transaction() as connection:
        store.set_looked(connection, org, repo, None, clock.now_ms())
        if head.commit != repository.head_commit:
            moved(connection, org, repo)


def refresh(
    db: Database,
    settings: Settings,
    vault: Vault,
    org: OrgId,
    repo: RepoId,
    *,
    moved: Announce = lambda *_: None,
) -> Repository:
    """Fetch the repository's default branch now, at most for `repos_fetch_seconds`; `moved` is
    called with a new commit in the transaction that notes it. One request where nothing is new.

    Raises FetchFailed, which the repository then shows as its `fetch_error`, and Unavailable
    (`repository_busy`) while another process fetches it or too many others.
    """
    with _fetching(db, org, repo):
        with db.reading() as connection:
            repository = _existing(connection, org, repo)
            credential = _credential(connection, vault, org, repo)
        with _noting(db, org, repo):
            head = mirrors.refresh(settings, org, repo, repository.url, credential)
        with db.transaction() as connection:
            store.set_fetched(connection, org, repo, head, clock.now_ms())
            now_known = store.repository(connection, org, repo)
            if now_known is not None and head.commit != repository.head_commit:
                moved(connection, org, repo)
    if now_known is None:
        _delete(db, settings, org, repo)
        raise _unknown()
    return now_known


@contextmanager
def _noting(db: Database, org: OrgId, repo: RepoId) -> Iterator[None]:
    """Note why an attempt at a repository's server failed, if it does."""
    try:
        yield
    except FetchFailed as fault:
        with db.transaction() as connection:
            store.set_looked(connection, org, repo, fault.reason, clock.now_ms())
        raise


@contextmanager
def _fetching(db: Database, org: OrgId, repo: RepoId) -> Iterator[None]:
    """Alone among all machines: of two fetches at the same time the older could be noted last."""
    give_up = time.monotonic() + mirrors.LOCK_WAIT_S
    while True:
        with db.alone(f"fetch {org} {repo}", wait=False) as is_mine:
            if is_mine:
                yield
                return
        if time.monotonic() > give_up:
            raise mirrors.busy()
        time.sleep(_POLL_S)


def is_at_hand(settings: Settings, org: OrgId, repository: Repository) -> bool:
    """Can this machine read the newest commit that was fetched, be it by another machine?"""
    commit = repository.head_commit
    return commit is not None and mirrors.holds(settings, org, repository.repo_id, commit)


def source(settings: Settings, org: OrgId, repository: Repository) -> Source:
    """The newest commit that was fetched. Raises Conflict (`repository_not_fetched`)."""
    if repository.head_commit is None:
        raise mirrors.not_fetched()
    head = Head(repository.head_commit, repository.default_branch)
    return mirrors.source(settings, org, repository.repo_id, head)


def _insert(connection: Connection, caller: Caller, address: str, repo: RepoId) -> None:
    # One that is still being removed makes room first; its copy on disk serves the new one.
    store.delete_removed(connection, caller.org_id, repo)
    new = Repository(
        repo_id=repo,
        url=address,
        provider=provider_of(address),
        default_branch=None,
        head_commit=None,
        fetched_at=None,
        fetch_error=None,
        looked_at=None,
        has_credential=False,
        created_at=clock.now_ms(),
        created_by=caller.principal_id,
    )
    store.insert_repository(connection, caller.org_id, new)
    audit.note(
        connection, caller, "repository_registered", "repository", repo, provider=new.provider
    )


def _set_credential(
    connection: Connection, vault: Vault, caller: Caller, repo: RepoId, credential: Credential
) -> None:
    org = caller.org_id
    sealed = vault.seal(credential.secret, _purpose(org, repo))
    store.replace_credential(connection, org, repo, credential.kind, credential.username, sealed)
    audit.note(
        connection, caller, "repository_credential_set", "repository", repo, kind=credential.kind
    )


def _credential(
    connection: Connection, vault: Vault, org: OrgId, repo: RepoId
) -> Credential | None:
    row = store.credential(connection, org, repo)
    if row is None:
        return None
    kind, username, sealed = row
    return Credential(kind, username, vault.unseal(sealed, _purpose(org, repo)))


def _purpose(org: OrgId, repo: RepoId) -> str:
    return f"repository credential {org} {repo}"


def _delete(db: Database, settings: Settings, org: OrgId, repo: RepoId) -> None:
    mirrors.remove(settings, org, repo)
    with db.transaction() as connection:
        store.delete_removed(connection, org, repo)


def _existing(connection: Connection, org: OrgId, repo: RepoId) -> Repository:
    repository = store.repository(connection, org, repo)
    if repository is None:
        raise _unknown()
    return repository


def _unknown() -> NotFound:
    return NotFound("There is no such repository.")


def look_around(
    db: Database, settings: Settings, vault: Vault, moved: Announce, stop: threading.Event
) -> None:
    """Check each repository whose last check is older than `repos_look_seconds`.

    One process does it at a time; the others return immediately. A server that fails is the
    repository's `fetch_error`, and is asked again after the same time.
    """
    with db.alone("look at heads", wait=False) as is_mine:
        if not is_mine:
            return

        def look_at(place: tuple[OrgId, RepoId]) -> None:
            if stop.is_set():
                return
            try:
                look(db, settings, vault, *place, moved=moved)
            except StationmasterError as fault:
                log.info("looking at %s: %s", place[1], fault.detail)

        with ThreadPoolExecutor(LOOKS_AT_ONCE, thread_name_prefix="look") as pool:
            list(pool.map(look_at, _due_looks(db, settings)))


def _due_looks(db: Database, settings: Settings) -> Iterator[tuple[OrgId, RepoId]]:
    moment = clock.now_ms() - settings.repos_look_seconds * 1000
    for tenant in operator.tenants(db):
        for repo in store.not_seen_since(db, tenant.org_id, moment):
            yield tenant.org_id, repo
