"""Dismissing findings, and opening them again: who, when and why is stored and audited."""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.audit import Target
from stationmaster.access.model import Caller
from stationmaster.access.store import lock_organization
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from stationmaster.ids import OrgId, RepoId
from stationmaster.pipelines.scanning import finding_store
from stationmaster.pipelines.scanning.finding_store import Dismissal, Reason, Row
from stationmaster.repos import service as repos

COMMENT_MAX = 500
"""Characters."""


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
        lock_organization(connection, caller.org_id)
        row = _present(connection, caller.org_id, repo, fingerprint)
        finding_store.set_dismissal(connection, caller.org_id, row, dismissal)
        _record(connection, caller, "ci_finding_dismissed", row, reason=reason)


def reopen(db: Database, caller: Caller, repo: RepoId, fingerprint: str) -> None:
    """Take a dismissal back; nothing happens where there is none. Raises as `dismiss` does."""
    repos.get(db, caller.org_id, repo)
    with db.transaction() as connection:
        lock_organization(connection, caller.org_id)
        row = _present(connection, caller.org_id, repo, fingerprint)
        if row.dismissal is not None:
            finding_store.set_dismissal(connection, caller.org_id, row, None)
            _record(connection, caller, "ci_finding_reopened", row)


def _present(connection: Connection, org: OrgId, repo: RepoId, fingerprint: str) -> Row:
    row = finding_store.one(connection, org, repo, fingerprint)
    if row is None:
        raise NotFound("There is no such finding.")
    if row.state == "fixed":
        raise Conflict("The newest scan does not have this finding any more.", code="finding_fixed")
    return row


def _record(connection: Connection, caller: Caller, event: str, row: Row, **more: str) -> None:
    audit.record(
        connection,
        caller.org_id,
        event,
        by=caller,
        target=Target("ci_finding", row.finding.fingerprint),
        payload={"repo_id": row.repo_id, "rule": row.finding.rule, **more},
    )
