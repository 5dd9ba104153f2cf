"""Every query of readiness reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, insert, select

from stationmaster.db.engine import Database
from stationmaster.db.tables.readiness import latest_readiness_reports, readiness_reports
from stationmaster.ids import OrgId, RepoId
from stationmaster.readiness.model import Latest, Scores


class Position(NamedTuple):
    """The position of a report among all; the newest is the greatest."""

    created_at: int
    report_id: str


class StoredReport(NamedTuple):
    """A stored report: its repository, the BLAKE2b digest of what was uploaded, and its JSON."""

    repo_id: RepoId
    digest: bytes
    body: bytes


def insert_report(connection: Connection, org: OrgId, row: dict[str, Any]) -> None:
    """A new report, which becomes its repository's newest."""
    connection.execute(insert(readiness_reports).values(org_id=org, **row))
    _find_latest(connection, org, row["repo_id"])


def delete_report(connection: Connection, org: OrgId, report_id: str, repo: RepoId) -> None:
    """Delete a report; the newest one that is left becomes the repository's latest."""
    connection.execute(
        delete(readiness_reports).where(
            readiness_reports.c.org_id == org, readiness_reports.c.report_id == report_id
        )
    )
    _find_latest(connection, org, repo)


def _find_latest(connection: Connection, org: OrgId, repo: RepoId) -> None:
    newest = connection.execute(
        select(readiness_reports.c.report_id)
        .where(readiness_reports.c.org_id == org, readiness_reports.c.repo_id == repo)
        .order_by(readiness_reports.c.created_at.desc(), readiness_reports.c.report_id.desc())
        .limit(1)
    ).scalar()
    connection.execute(
        delete(latest_readiness_reports).where(
            latest_readiness_reports.c.org_id == org, latest_readiness_reports.c.repo_id == repo
        )
    )
    if newest is not None:
        connection.execute(
            insert(latest_readiness_reports).values(org_id=org, repo_id=repo, report_id=newest)
        )


def report(connection: Connection, org: OrgId, report_id: str) -> StoredReport | None:
    """A report by its id, in a transaction; None where there is none."""
    row = connection.execute(
        select(
            readiness_reports.c.repo_id, readiness_reports.c.digest, readiness_reports.c.body
        ).where(readiness_reports.c.org_id == org, readiness_reports.c.report_id == report_id)
    ).first()
    return None if row is None else StoredReport(row.repo_id, bytes(row.digest), bytes(row.body))


def body(db: Database, org: OrgId, report_id: str) -> bytes | None:
    """`report`, of which nothing but the answer is wanted, outside a transaction."""
    sql = "SELECT body FROM readiness_reports WHERE org_id = ? AND report_id = ?"
    return next((bytes(row[0]) for row in db.rows(sql, org, report_id)), None)


def position(db: Database, org: OrgId, report_id: str) -> Position | None:
    """The position of a report in order of time; None where there is no such report."""
    sql = "SELECT created_at, report_id FROM readiness_reports WHERE org_id = ? AND report_id = ?"
    return next((Position(*row) for row in db.rows(sql, org, report_id)), None)


def scores(db: Database, org: OrgId, report_id: str) -> Scores | None:
    """The scores of a report by criterion; None where there is no such report."""
    sql = "SELECT scores FROM readiness_reports WHERE org_id = ? AND report_id = ?"
    return next((_scores(stored) for (stored,) in db.rows(sql, org, report_id)), None)


def scores_at(db: Database, org: OrgId, repo: RepoId, moment: int) -> Scores | None:
    """The scores of the newest report on a repository at a time, else of the first one since; None
    where it has less than two reports."""
    sql = (
        "SELECT scores FROM readiness_reports WHERE org_id = ? AND repo_id = ? AND created_at {} ? "
        "ORDER BY created_at {}, report_id {} LIMIT {}"
    )
    for row in db.rows(sql.format("<=", "DESC", "DESC", 1), org, repo, moment):
        return _scores(row[0])
    later = db.rows(sql.format(">", "ASC", "ASC", 2), org, repo, moment)
    return _scores(later[0][0]) if len(later) > 1 else None


def all_scores(
    db: Database, org: OrgId, repo: RepoId, since: int, count: int
) -> list[tuple[int, Scores]]:
    """When the newest reports on a repository were made, and their scores, oldest first: at most
    `count` of those after a time."""
    sql = (
        "SELECT created_at, scores FROM readiness_reports "
        "WHERE org_id = ? AND repo_id = ? AND created_at > ? "
        "ORDER BY created_at DESC, report_id DESC LIMIT ?"
    )
    return [(at, _scores(stored)) for at, stored in db.rows(sql, org, repo, since, count)][::-1]


def bodies(
    db: Database, org: OrgId, repo: RepoId | None, after: Position | None, count: int
) -> list[bytes]:
    """The first reports, newest first: of one repository or all, those older than a position."""
    sql = "SELECT body FROM readiness_reports WHERE org_id = ?"
    parameters: list[object] = [org]
    if repo is not None:
        sql += " AND repo_id = ?"
        parameters.append(repo)
    if after is not None:
        sql += " AND (created_at, report_id) < (?, ?)"
        parameters += after
    sql += " ORDER BY created_at DESC, report_id DESC LIMIT ?"
    return [bytes(body) for (body,) in db.rows(sql, *parameters, count)]


def before(db: Database, org: OrgId, repo: RepoId, report_id: str) -> str | None:
    """The last report on a repository before another."""
    sql = (
        "SELECT b.report_id FROM readiness_reports a JOIN readiness_reports b "
        "ON b.org_id = a.org_id AND b.repo_id = a.repo_id "
        "AND (b.created_at, b.report_id) < (a.created_at, a.report_id) "
        "WHERE a.org_id = ? AND a.repo_id = ? AND a.report_id = ? "
        "ORDER BY b.created_at DESC, b.report_id DESC LIMIT 1"
    )
    return next((str(earlier) for (earlier,) in db.rows(sql, org, repo, report_id)), None)


_NEWEST = """
SELECT l.repo_id, r.repo_url, r.report_id, r.created_at, r.scores
FROM latest_readiness_reports l
JOIN readiness_reports r ON r.org_id = l.org_id AND r.report_id = l.report_id
WHERE l.org_id = ?
"""
_LATEST = f"{_NEWEST} AND l.repo_id > ? ORDER BY l.repo_id LIMIT ?"
_LATEST_OF = f"{_NEWEST} AND l.repo_id = ?"


def latest(db: Database, org: OrgId, after: str, count: int) -> list[Latest]:
    """The newest report of each repository, by the repository's id."""
    return [_latest(row) for row in db.rows(_LATEST, org, after, count)]


def latest_of(db: Database, org: OrgId, repo: RepoId) -> Latest | None:
    """The newest report of one repository."""
    return next(map(_latest, db.rows(_LATEST_OF, org, repo)), None)


def _latest(row: Sequence[Any]) -> Latest:
    repo_id, repo_url, report_id, created_at, stored = row
    return Latest(repo_id, repo_url, report_id, created_at, _scores(stored))


def all_latest_scores(db: Database, org: OrgId) -> list[Scores]:
    """The scores of every repository's newest report, in no order."""
    sql = (
        "SELECT r.scores FROM latest_readiness_reports l JOIN readiness_reports r "
        "ON r.org_id = l.org_id AND r.report_id = l.report_id WHERE l.org_id = ?"
    )
    return [_scores(stored) for (stored,) in db.rows(sql, org)]


def _scores(stored: bytes) -> Scores:
    return msgspec.json.decode(bytes(stored), type=Scores)
