"""Every query of the scans."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, select

from stationmaster.db.engine import Database
from stationmaster.db.tables.ciscan import ci_scans
from stationmaster.db.upserts import upsert
from stationmaster.ids import OrgId, RepoId
from stationmaster.pipelines.scanning import finding_store
from stationmaster.pipelines.scanning.model import Scanned, ScanStatus
from stationmaster.pipelines.scanning.scan import REVISION

_COLUMNS = "repo_id, checked_at, status, error, revision, commit_hash, scanned_at, workflows"


class LastScan(msgspec.Struct, frozen=True):
    """The last check of a repository, and its last scan that succeeded. Times are UTC ms."""

    repo_id: RepoId
    checked_at: int
    status: ScanStatus
    error: str | None
    revision: int | None
    commit_hash: str | None
    scanned_at: int | None
    workflows: str | None

    def decoded(self) -> Scanned | None:
        """None where there is no scan, or one of an older version with perhaps other members."""
        if self.workflows is None or self.revision != REVISION:
            return None
        return _decoder.decode(self.workflows)


_decoder = msgspec.json.Decoder(Scanned)


def all_of(db: Database, org: OrgId) -> dict[RepoId, LastScan]:
    """Every repository's: one look-up by index."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM ci_scans WHERE org_id = ?", org)
    return {row[0]: LastScan(*row) for row in rows}


def commits(db: Database, org: OrgId) -> dict[RepoId, str]:
    """The commit of each repository's newest scan."""
    sql = "SELECT repo_id, commit_hash FROM ci_scans WHERE org_id = ? AND commit_hash IS NOT NULL"
    return {RepoId(repo): commit for repo, commit in db.rows(sql, org)}


def one(db: Database, org: OrgId, repo: RepoId) -> LastScan | None:
    """What is stored of a repository's newest scan, None without one."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM ci_scans WHERE org_id = ? AND repo_id = ?", org, repo)
    return LastScan(*rows[0]) if rows else None


def put(db: Database, org: OrgId, new: LastScan) -> None:
    """Replace what is stored of a repository, and bring its findings up to date."""
    values = msgspec.structs.asdict(new)
    with db.transaction() as connection:
        if new.workflows is not None:
            before = connection.execute(
                select(ci_scans.c.revision, ci_scans.c.commit_hash).where(
                    ci_scans.c.org_id == org, ci_scans.c.repo_id == new.repo_id
                )
            ).first()
            is_comparable = before is not None and before.revision == new.revision
            finding_store.reconcile(
                connection,
                org,
                new.repo_id,
                new.workflows,
                now=new.checked_at,
                last=before.commit_hash if is_comparable and before is not None else None,
            )
        upsert(connection, ci_scans, [{"org_id": org, **values}])


def delete_all(connection: Connection, org: OrgId, repos: set[RepoId]) -> None:
    """Delete the scans and the findings of some repositories of an organization."""
    connection.execute(
        delete(ci_scans).where(ci_scans.c.org_id == org, ci_scans.c.repo_id.in_(repos))
    )
    finding_store.delete_all(connection, org, repos)
