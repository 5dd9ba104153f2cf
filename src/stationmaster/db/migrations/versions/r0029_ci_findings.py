"""Findings of CI workflows from scan to scan, filled from the stored scans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0029"
down_revision = "0028"
_NEEDED = ("state", "severity", "workflow_path", "provider", "finding")


def upgrade() -> None:
    """Create the table of CI findings and fill it from the stored scans."""
    table = op.create_table(
        "ci_findings",
        *keys("org_id", "repo_id", "fingerprint"),
        *texts(*_NEEDED),
        *numbers("first_seen_at"),
        *texts("commit_hash", nullable=True),
        *numbers("fixed_at", "dismissed_at", nullable=True),
        *texts("dismissed_by", "reason", "comment", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ci_findings_by_state", "ci_findings", ["org_id", "state", "severity", "repo_id"]
    )
    connection = op.get_bind()
    scans = sa.text(
        "SELECT org_id, repo_id FROM ci_scans WHERE workflows IS NOT NULL ORDER BY org_id, repo_id"
    )
    scan = sa.text(
        "SELECT scanned_at, workflows FROM ci_scans WHERE org_id = :org AND repo_id = :repo"
    )
    for org, repo in connection.execute(scans).all():
        at, workflows = connection.execute(scan, {"org": org, "repo": repo}).one()
        place = {"org_id": org, "repo_id": repo, "first_seen_at": at or 0}
        rows = {
            finding["fingerprint"]: place | finding for finding in _findings(json.loads(workflows))
        }
        if rows:
            connection.execute(table.insert(), list(rows.values()))


def _findings(scanned: dict[str, Any]) -> Iterator[dict[str, str]]:
    for flow in (*scanned.get("workflows", ()), *scanned.get("actions", ())):
        for finding in flow.get("findings", ()):
            yield {
                "fingerprint": finding["fingerprint"],
                "state": "suppressed" if finding.get("suppressed") else "open",
                "severity": finding["severity"],
                "workflow_path": flow["filePath"],
                "provider": flow["provider"],
                "finding": json.dumps(finding),
            }
