"""The newest scan of each repository, its findings over time, and changes of workflow files that
were asked for.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `checked_at` is the last look, `status` and `error` its outcome; the others are of the last scan
# that succeeded. `workflows` is JSON: all that was found.
ci_scans = Table(
    "ci_scans",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("checked_at", Big, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("revision", Big),
    Column("commit_hash", Text),
    Column("scanned_at", Big),
    Column("workflows", Text),
    sqlite_with_rowid=False,
)

# Changes of workflow files that were asked for, one row per branch: the same change again is the
# same row.
ci_edits = Table(
    "ci_edits",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("branch", Text, primary_key=True),
    Column("action", Text, nullable=False),
    Column("repo_full_name", Text, nullable=False),
    Column("file_path", Text, nullable=False),
    Column("pr_url", Text),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    sqlite_with_rowid=False,
)

# Findings from scan to scan, one row per fingerprint. `state` is open, suppressed (by a comment),
# dismissed or fixed; `finding` is JSON as the newest scan that had it reported it, `commit_hash`
# the commit of that scan where the finding is fixed. A dismissal stays when the finding is fixed,
# and holds again when it comes back.
ci_findings = Table(
    "ci_findings",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("fingerprint", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("workflow_path", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("finding", Text, nullable=False),
    Column("first_seen_at", Big, nullable=False),
    Column("commit_hash", Text),
    Column("fixed_at", Big),
    Column("dismissed_at", Big),
    Column("dismissed_by", Text),
    Column("reason", Text),
    Column("comment", Text),
    Index("ci_findings_by_state", "org_id", "state", "severity", "repo_id"),
    sqlite_with_rowid=False,
)
