"""Readiness reports, and which one is each repository's newest."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `body` is the report's finished JSON; `scores` what levels need of it; `digest` what makes it
# recognised when it is sent again. Bodies come last, so that the rest is read without them.
readiness_reports = Table(
    "readiness_reports",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("report_id", Text, primary_key=True),
    Column("repo_id", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("repo_url", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("scores", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("readiness_reports_by_time", "org_id", "created_at", "report_id"),
    Index("readiness_reports_by_repository", "org_id", "repo_id", "created_at", "report_id"),
)

latest_readiness_reports = Table(
    "latest_readiness_reports",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("report_id", Text, nullable=False),
    sqlite_with_rowid=False,
)
