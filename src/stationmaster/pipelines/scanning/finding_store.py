"""Every query of findings: each is one row from the scan that first reported it on.

Who dismisses one or opens it again, when and why, is stored and audited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update

from stationmaster import clock, errors
from stationmaster.access import audit, store
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.db.tables.ciscan import ci_findings
from stationmaster.ids import OrgId, RepoId
from stationmaster.pipelines.model import Finding, Severity
from stationmaster.repos import service as repos

State = Literal["open", "suppressed", "dismissed", "fixed"]
"""`suppressed`: a comment in the file accepts it; `dismissed`: a person does; `fixed`: a newer
commit does not have it."""
Reason = Literal["false_positive", "accepted_risk", "mitigated_elsewhere"]
"""Why a person dismisses a finding."""
FIXED_KEPT_MAX = 500
"""The newest fixed findings of one repository that are kept, apart from those that were
dismissed."""
_COLUMNS = (
    "repo_id, state, workflow_path, provider, finding, first_seen_at, commit_hash, "
    "fixed_at, dismissed_at, dismissed_by, reason, comment"
)
COMMENT_MAX = 500
"""Characters."""


class Dismissal(msgspec.Struct, frozen=True):
    """Who dismissed a finding when (UTC milliseconds), and why. `by` is a user or a service
    account."""

    at: int
    by: str
    reason: Reason
    comment: str | None


class Row(msgspec.Struct, frozen=True):
    """A finding as it was last reported. Times are UTC milliseconds; `commit` is the last commit
    with the finding, None while the newest scan has it."""

    repo_id: RepoId
    state: State
    workflow_path: str
    provider: str
    finding: Finding
    first_seen_at: int
    commit: str | None
    fixed_at: int | None
    dismissal: Dismissal | None


class _Workflow(msgspec.Struct, rename="camel"):
    """What is read of a stored workflow: the rest is skipped unread."""

    file_path: str
    provider: str
    findings: list[Finding] = []


class _Scanned(msgspec.Struct):
    workflows: list[_Workflow]
    actions: list[_Workflow]


_scan = msgspec.json.Decoder(_Scanned)
_finding = msgspec.json.Decoder(Finding)


def counts(db: Database, org: OrgId) -> dict[RepoId, Counter[Severity]]:
    """How many open findings of each severity the repositories have; from an index alone."""
    rows = db.rows(
        "SELECT repo_id, severity, COUNT(*) FROM ci_findings"
        " WHERE org_id = ? AND state = 'open' GROUP BY severity, repo_id",
        org,
    )
    by_repo: dict[RepoId, Counter[Severity]] = {}
    for repo, severity, count in rows:
        by_repo.setdefault(RepoId(repo), Counter())[severity] = count
    return by_repo


def counts_of(db: Database, org: OrgId, repo: RepoId) -> Counter[State]:
    """How many findings of each state a repository has."""
    sql = "SELECT state, COUNT(*) FROM ci_findings WHERE org_id = ? AND repo_id = ? GROUP BY state"
    return Counter(dict(db.rows(sql, org, repo)))


def rows(
    db: Database,
    org: OrgId,
    states: tuple[State, ...],
    *,
    severity: Severity | None = None,
    repo: RepoId | None = None,
) -> list[Row]:
    """The findings in some states, of one severity and one repository where given."""
    marks = ", ".join("?" * len(states))
    sql = f"SELECT {_COLUMNS} FROM ci_findings WHERE org_id = ? AND state IN ({marks})"
    arguments: list[object] = [org, *states]
    for column, value in (("severity", severity), ("repo_id", repo)):
        if value is not None:
            sql += f" AND {column} = ?"
            arguments.append(value)
    return [_row(row) for row in db.rows(sql, *arguments)]


def one(connection: Connection, org: OrgId, repo: RepoId, fingerprint: str) -> Row | None:
    """The finding of a fingerprint in a repository, None without one."""
    wanted = select(*(ci_findings.c[name] for name in _COLUMNS.split(", ")))
    row = connection.execute(
        wanted.where(ci_findings.c.org_id == org, _at(org, repo, fingerprint))
    ).first()
    return None if row is None else _row(row)


def set_dismissal(
    connection: Connection, org: OrgId, row: Row, dismissal: Dismissal | None
) -> None:
    """Dismiss a finding that the newest scan has, or open it again."""
    columns = ("dismissed_at", "dismissed_by", "reason", "comment")
    values: tuple[object, ...] = (None,) * len(columns)
    state = state_of(row.finding)
    if dismissal is not None:
        values, state = msgspec.structs.astuple(dismissal), "dismissed"
    at = (ci_findings.c.org_id == org, _at(org, row.repo_id, row.finding.fingerprint))
    new = dict(zip(columns, values, strict=True)) | {"state": state}
    connection.execute(update(ci_findings).where(*at).values(**new))


def reconcile(
    connection: Connection, org: OrgId, repo: RepoId, workflows: str, *, now: int, last: str | None
) -> None:
    """Bring a repository's rows up to a scan's JSON. What the scan no longer has was last in the
    commit `last` and is fixed. Without one the rules may have changed instead, so such rows are
    deleted, those that a person dismissed excepted."""
    present = dict(_present(workflows))
    stored = connection.execute(
        select(ci_findings).where(ci_findings.c.org_id == org, ci_findings.c.repo_id == repo)
    ).mappings()
    for row in stored.all():
        mark = row["fingerprint"]
        at = (ci_findings.c.org_id == org, _at(org, repo, mark))
        reported = present.pop(mark, None)
        if reported is None and row["fixed_at"] is not None:
            continue
        if reported is None and last is None and row["dismissed_at"] is None:
            connection.execute(delete(ci_findings).where(*at))
            continue
        values: dict[str, Any] = {"state": "fixed", "fixed_at": now, "commit_hash": last}
        if reported is not None:
            values = {**reported, "fixed_at": None, "commit_hash": None}
            if row["dismissed_at"] is not None:
                values["state"] = "dismissed"
        if any(row[name] != value for name, value in values.items()):
            connection.execute(update(ci_findings).where(*at).values(**values))
    place = {"org_id": org, "repo_id": repo, "first_seen_at": now}
    if present:
        new = [place | {"fingerprint": mark, **values} for mark, values in present.items()]
        connection.execute(insert(ci_findings), new)
    _delete_oldest_fixed(connection, org, repo)


def delete_all(connection: Connection, org: OrgId, repos: set[RepoId]) -> None:
    """Delete all findings of some repositories of an organization."""
    connection.execute(
        delete(ci_findings).where(ci_findings.c.org_id == org, ci_findings.c.repo_id.in_(repos))
    )


def _present(workflows: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The columns of each finding of a scan, by fingerprint."""
    scanned = _scan.decode(workflows)
    for flow in (*scanned.workflows, *scanned.actions):
        for finding in flow.findings:
            columns = {
                "state": state_of(finding),
                "severity": finding.severity,
                "workflow_path": flow.file_path,
                "provider": flow.provider,
                "finding": msgspec.json.encode(finding).decode(),
            }
            yield finding.fingerprint, columns


def state_of(finding: Finding) -> State:
    """The state of a finding that the newest scan has and that is not dismissed."""
    return "open" if finding.suppressed is None else "suppressed"


def _delete_oldest_fixed(connection: Connection, org: OrgId, repo: RepoId) -> None:
    columns = ci_findings.c
    of_repo = (columns.org_id == org, columns.repo_id == repo, columns.state == "fixed")
    oldest = (
        select(columns.fingerprint)
        .where(*of_repo, columns.dismissed_at.is_(None))
        .order_by(columns.fixed_at.desc(), columns.fingerprint)
        .offset(FIXED_KEPT_MAX)
    )
    marks = connection.execute(oldest).scalars().all()
    if marks:
        connection.execute(delete(ci_findings).where(*of_repo, columns.fingerprint.in_(marks)))


def _at(org: OrgId, repo: RepoId, fingerprint: str) -> ColumnElement[bool]:
    columns = ci_findings.c
    of_repo = and_(columns.org_id == org, columns.repo_id == repo)
    return and_(of_repo, columns.fingerprint == fingerprint)


def _row(columns: Sequence[Any]) -> Row:
    repo, state, path, provider, finding, first_seen_at, commit, fixed_at, *dismissed = columns
    dismissal = None if None in dismissed[:3] else Dismissal(*dismissed)
    decoded = _finding.decode(finding)
    return Row(repo, state, path, provider, decoded, first_seen_at, commit, fixed_at, dismissal)


def dismiss(
    db: Database,
    caller: Caller,
    repo: RepoId,
    fingerprint: str,
    reason: Reason,
    comment: str | None,
) -> None:
    """Accept a finding; a later dismissal replaces the earlier one.

    Raises NotFound, and Conflict (`finding_fixed`) for what the newest scan does not have.
    """
    repos.get(db, caller.org_id, repo)
    dismissal = Dismissal(clock.now_ms(), caller.principal_id, reason, comment or None)
    with db.transaction() as connection:
        store.lock_organization(connection, caller.org_id)
        row = _dismissable(connection, caller.org_id, repo, fingerprint)
        set_dismissal(connection, caller.org_id, row, dismissal)
        _record(connection, caller, "ci_finding_dismissed", row, reason=reason)


def reopen(db: Database, caller: Caller, repo: RepoId, fingerprint: str) -> None:
    """Take a dismissal back; nothing happens where there is none. Raises as `dismiss` does."""
    repos.get(db, caller.org_id, repo)
    with db.transaction() as connection:
        store.lock_organization(connection, caller.org_id)
        row = _dismissable(connection, caller.org_id, repo, fingerprint)
        if row.dismissal is not None:
            set_dismissal(connection, caller.org_id, row, None)
            _record(connection, caller, "ci_finding_reopened", row)


def _dismissable(connection: Connection, org: OrgId, repo: RepoId, fingerprint: str) -> Row:
    row = one(connection, org, repo, fingerprint)
    if row is None:
        raise errors.NotFound("There is no such finding.")
    if row.state == "fixed":
        raise errors.Conflict(
            "The newest scan does not have this finding any more.", code="finding_fixed"
        )
    return row


def _record(connection: Connection, caller: Caller, event: str, row: Row, **more: str) -> None:
    about = {"repo_id": row.repo_id, "rule": row.finding.rule, **more}
    audit.note(connection, caller, event, "ci_finding", row.finding.fingerprint, **about)
