"""Every query of the registry. The caller's transaction makes several of them one."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update

from stationmaster.db.engine import Database
from stationmaster.db.tables.repos import repositories, repository_credentials
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos.model import CredentialKind, FetchError, Head, Repository

_HAS_CREDENTIAL = (
    select(repository_credentials.c.repo_id)
    .where(
        repository_credentials.c.org_id == repositories.c.org_id,
        repository_credentials.c.repo_id == repositories.c.repo_id,
    )
    .exists()
)
_REPOSITORY = tuple(
    _HAS_CREDENTIAL if name == "has_credential" else repositories.c[name]
    for name in Repository.__struct_fields__
)
_PAGE = """
SELECT r.repo_id, r.url, r.provider, r.default_branch, r.head_commit, r.fetched_at, r.fetch_error,
  r.looked_at,
  EXISTS (
    SELECT 1 FROM repository_credentials c WHERE c.org_id = r.org_id AND c.repo_id = r.repo_id
  ),
  r.created_at, r.created_by
FROM repositories r WHERE r.org_id = ? AND r.removed_at IS NULL AND r.url > ?
ORDER BY r.url LIMIT ?
"""


def insert_repository(connection: Connection, org: OrgId, new: Repository) -> None:
    """Store a repository that was not fetched yet."""
    names = ("repo_id", "url", "provider", "created_at", "created_by")
    values = {name: getattr(new, name) for name in names}
    connection.execute(insert(repositories).values(org_id=org, **values))


def repository(connection: Connection, org: OrgId, repo: RepoId) -> Repository | None:
    """A registered repository; None where there is none, or it was removed."""
    query = select(*_REPOSITORY).filter_by(org_id=org, repo_id=repo, removed_at=None)
    row = connection.execute(query).first()
    return None if row is None else Repository(*row)


def page(db: Database, org: OrgId, *, limit: int, after: str) -> list[Repository]:
    """At most `limit`, by address, those after an address; by the driver alone, for every scan and
    list begins with it.
    """
    rows = db.rows(_PAGE, org, after, limit)
    named = (dict(zip(Repository.__struct_fields__, row, strict=True)) for row in rows)
    return [Repository(**{**row, "has_credential": bool(row["has_credential"])}) for row in named]


def count(connection: Connection, org: OrgId) -> int:
    """How many there are, those that are being removed included."""
    counted = select(func.count()).select_from(repositories).where(repositories.c.org_id == org)
    return connection.execute(counted).scalar_one()


def is_leaving(connection: Connection, org: OrgId, repo: RepoId) -> bool:
    """Was it removed, with its copy perhaps still on disk?"""
    query = select(repositories.c.repo_id)
    query = query.filter_by(org_id=org, repo_id=repo).where(repositories.c.removed_at.is_not(None))
    return connection.execute(query).first() is not None


def set_removed(connection: Connection, org: OrgId, repo: RepoId, now: int) -> None:
    """Mark a repository as removed at `now` (UTC milliseconds)."""
    connection.execute(
        update(repositories).filter_by(org_id=org, repo_id=repo).values(removed_at=now)
    )


def delete_removed(connection: Connection, org: OrgId, repo: RepoId) -> None:
    """Delete a repository, unless it was registered again."""
    gone = delete(repositories).filter_by(org_id=org, repo_id=repo)
    connection.execute(gone.where(repositories.c.removed_at.is_not(None)))


def set_fetched(connection: Connection, org: OrgId, repo: RepoId, head: Head, now: int) -> None:
    """Store what a fetch at `now` (UTC milliseconds) found; an earlier error is cleared."""
    values = {"default_branch": head.branch, "head_commit": head.commit, "fetched_at": now}
    connection.execute(update(repositories).filter_by(org_id=org, repo_id=repo).values(**values))
    set_looked(connection, org, repo, None, now)


def set_looked(
    connection: Connection, org: OrgId, repo: RepoId, why: FetchError | None, now: int
) -> None:
    """Note a check of the server, and why it failed, if it did."""
    values = {"fetch_error": why, "looked_at": now}
    connection.execute(update(repositories).filter_by(org_id=org, repo_id=repo).values(**values))


def not_seen_since(db: Database, org: OrgId, moment: int) -> list[RepoId]:
    """Repositories whose server was not asked after a moment, the longest unasked first."""
    rows = db.rows(
        "SELECT repo_id FROM repositories WHERE org_id = ? AND removed_at IS NULL"
        " AND COALESCE(looked_at, 0) <= ? ORDER BY COALESCE(looked_at, 0), repo_id",
        *(org, moment),
    )
    return [RepoId(repo) for (repo,) in rows]


def credential(
    connection: Connection, org: OrgId, repo: RepoId
) -> tuple[CredentialKind, str | None, bytes] | None:
    """Kind, user name and the sealed secret."""
    columns = (repository_credentials.c[name] for name in ("kind", "username", "sealed"))
    row = connection.execute(select(*columns).filter_by(org_id=org, repo_id=repo)).first()
    return None if row is None else (row[0], row[1], row[2])


def replace_credential(
    connection: Connection,
    org: OrgId,
    repo: RepoId,
    kind: CredentialKind,
    username: str | None,
    sealed: bytes,
) -> None:
    """Store a sealed credential in place of the repository's earlier one."""
    delete_credential(connection, org, repo)
    connection.execute(
        insert(repository_credentials).values(
            org_id=org, repo_id=repo, kind=kind, username=username, sealed=sealed
        )
    )


def delete_credential(connection: Connection, org: OrgId, repo: RepoId) -> bool:
    """Was there one?"""
    done = connection.execute(delete(repository_credentials).filter_by(org_id=org, repo_id=repo))
    return done.rowcount > 0
