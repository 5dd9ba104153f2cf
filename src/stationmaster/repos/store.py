"""Every query of the registry. The caller's transaction makes several of them one."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update

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


def insert_repository(connection: Connection, org: OrgId, new: Repository) -> None:
    connection.execute(
        insert(repositories).values(
            org_id=org,
            repo_id=new.repo_id,
            url=new.url,
            provider=new.provider,
            created_at=new.created_at,
            created_by=new.created_by,
        )
    )


def repository(connection: Connection, org: OrgId, repo: RepoId) -> Repository | None:
    row = connection.execute(
        select(*_REPOSITORY).where(
            repositories.c.org_id == org,
            repositories.c.repo_id == repo,
            repositories.c.removed_at.is_(None),
        )
    ).first()
    return None if row is None else Repository(*row)


def page(connection: Connection, org: OrgId, *, limit: int, after: str) -> list[Repository]:
    """At most `limit`, by address, those after an address."""
    wanted = (
        select(*_REPOSITORY)
        .where(
            repositories.c.org_id == org,
            repositories.c.url > after,
            repositories.c.removed_at.is_(None),
        )
        .order_by(repositories.c.url)
        .limit(limit)
    )
    return [Repository(*row) for row in connection.execute(wanted)]


def count(connection: Connection, org: OrgId) -> int:
    """How many there are, those that are being removed included."""
    counted = select(func.count()).select_from(repositories).where(repositories.c.org_id == org)
    return connection.execute(counted).scalar_one()


def is_leaving(connection: Connection, org: OrgId, repo: RepoId) -> bool:
    """Was it removed, with its copy perhaps still on disk?"""
    leaving = select(repositories.c.repo_id).where(
        repositories.c.org_id == org,
        repositories.c.repo_id == repo,
        repositories.c.removed_at.is_not(None),
    )
    return connection.execute(leaving).first() is not None


def set_removed(connection: Connection, org: OrgId, repo: RepoId, now: int) -> None:
    connection.execute(
        update(repositories)
        .where(repositories.c.org_id == org, repositories.c.repo_id == repo)
        .values(removed_at=now)
    )


def delete_removed(connection: Connection, org: OrgId, repo: RepoId) -> None:
    """Forget a repository, unless somebody has registered it again."""
    connection.execute(
        delete(repositories).where(
            repositories.c.org_id == org,
            repositories.c.repo_id == repo,
            repositories.c.removed_at.is_not(None),
        )
    )


def set_fetched(connection: Connection, org: OrgId, repo: RepoId, head: Head, now: int) -> None:
    connection.execute(
        update(repositories)
        .where(repositories.c.org_id == org, repositories.c.repo_id == repo)
        .values(
            default_branch=head.branch, head_commit=head.commit, fetched_at=now, fetch_error=None
        )
    )


def set_fetch_error(connection: Connection, org: OrgId, repo: RepoId, why: FetchError) -> None:
    connection.execute(
        update(repositories)
        .where(repositories.c.org_id == org, repositories.c.repo_id == repo)
        .values(fetch_error=why)
    )


def credential(
    connection: Connection, org: OrgId, repo: RepoId
) -> tuple[CredentialKind, str | None, bytes] | None:
    """Kind, user name and the sealed secret."""
    row = connection.execute(
        select(
            repository_credentials.c.kind,
            repository_credentials.c.username,
            repository_credentials.c.sealed,
        ).where(repository_credentials.c.org_id == org, repository_credentials.c.repo_id == repo)
    ).first()
    return None if row is None else (row[0], row[1], row[2])


def replace_credential(
    connection: Connection,
    org: OrgId,
    repo: RepoId,
    kind: CredentialKind,
    username: str | None,
    sealed: bytes,
) -> None:
    delete_credential(connection, org, repo)
    connection.execute(
        insert(repository_credentials).values(
            org_id=org, repo_id=repo, kind=kind, username=username, sealed=sealed
        )
    )


def delete_credential(connection: Connection, org: OrgId, repo: RepoId) -> bool:
    """Was there one?"""
    gone = connection.execute(
        delete(repository_credentials).where(
            repository_credentials.c.org_id == org, repository_credentials.c.repo_id == repo
        )
    )
    return gone.rowcount > 0
