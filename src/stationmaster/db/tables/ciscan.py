"""The newest scan of each repository, its findings over time, and changes of workflow files that
were asked for.
"""

from __future__ import annotations

from sqlalchemy import Index

from stationmaster.db.columns import keys, numbers, texts
from stationmaster.db.tables.base import table

# `checked_at` is the last look, `status` and `error` its outcome; the others are of the last scan
# that succeeded. `workflows` is JSON: all that was found.
ci_scans = table(
    "ci_scans",
    *keys("org_id", "repo_id"),
    *numbers("checked_at"),
    *texts("status"),
    *texts("error", nullable=True),
    *numbers("revision", nullable=True),
    *texts("commit_hash", nullable=True),
    *numbers("scanned_at", nullable=True),
    *texts("workflows", nullable=True),
    sqlite_with_rowid=False,
)

# Changes of workflow files that were asked for, one row per branch: the same change again is the
# same row.
ci_edits = table(
    "ci_edits",
    *keys("org_id", "repo_id", "branch"),
    *texts("action", "repo_full_name", "file_path"),
    *texts("pr_url", nullable=True),
    *texts("status"),
    *texts("error", nullable=True),
    *numbers("created_at", "updated_at"),
    sqlite_with_rowid=False,
)

# Findings from scan to scan, one row per fingerprint. `state` is open, suppressed (by a comment),
# dismissed or fixed; `finding` is JSON as the newest scan that had it reported it, `commit_hash`
# the commit of that scan where the finding is fixed. A dismissal stays when the finding is fixed,
# and holds again when it recurs.
ci_findings = table(
    "ci_findings",
    *keys("org_id", "repo_id", "fingerprint"),
    *texts("state", "severity", "workflow_path", "provider", "finding"),
    *numbers("first_seen_at"),
    *texts("commit_hash", nullable=True),
    *numbers("fixed_at", "dismissed_at", nullable=True),
    *texts("dismissed_by", "reason", "comment", nullable=True),
    Index("ci_findings_by_state", "org_id", "state", "severity", "repo_id"),
    sqlite_with_rowid=False,
)
