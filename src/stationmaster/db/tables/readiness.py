"""Readiness reports, and which one is each repository's newest."""

from __future__ import annotations

from sqlalchemy import Index

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# `body` is the report's finished JSON; `scores` what levels need of it; `digest` what makes it
# recognised when it is sent again. Bodies are last, so that the rest is read without them.
readiness_reports = table(
    "readiness_reports",
    *keys("org_id", "report_id"),
    *texts("repo_id"),
    *numbers("created_at"),
    *texts("repo_url"),
    *blobs("digest", "scores", "body"),
    Index("readiness_reports_by_time", "org_id", "created_at", "report_id"),
    Index("readiness_reports_by_repository", "org_id", "repo_id", "created_at", "report_id"),
)

latest_readiness_reports = table(
    "latest_readiness_reports",
    *keys("org_id", "repo_id"),
    *texts("report_id"),
    sqlite_with_rowid=False,
)
