"""Findings of CI workflows from scan to scan, filled from the stored scans.

Revision ID: 0029
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NEEDED = ("state", "severity", "workflow_path", "provider", "finding")


def upgrade() -> None:
    """Create the table of CI findings and fill it from the stored scans."""
    table = op.create_table(
        "ci_findings",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "repo_id")),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in _NEEDED),
        sa.Column("first_seen_at", _BIG, nullable=False),
        sa.Column("commit_hash", sa.Text(), nullable=True),
        *(sa.Column(name, _BIG, nullable=True) for name in ("fixed_at", "dismissed_at")),
        *(sa.Column(n, sa.Text(), nullable=True) for n in ("dismissed_by", "reason", "comment")),
        sa.PrimaryKeyConstraint("org_id", "repo_id", "fingerprint"),
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
