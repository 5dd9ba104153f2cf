"""The tables of the room `wiki`. The index of its search is in the migration alone: each database
has a kind of its own.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `run_id` sorts by time, so the newest runs of a repository are the last ones of its index.
wiki_runs = Table(
    "wiki_runs",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    Column("repository_id", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("privacy_level", Text, nullable=False),
    Column("page_count", Big, nullable=False),
    Column("repo_url", Text, nullable=False),
    Column("commit_hash", Text),
    Column("branch", Text),
    Column("has_local_changes", Boolean),
    Column("has_non_remote_commits", Boolean),
    Column("model_id", Text),
    Column("reasoning_effort", Text),
    Column("agent_version", Text),
    Column("source_session_id", Text),
    # A run with a job is generated; it has no pages before it is completed.
    Column("job_id", Text),
    Column("completed_at", Big),
    Column("details", LargeBinary),
    # Last, so that who reads the others does not read it.
    Column("page_tree", LargeBinary, nullable=False),
    Index("wiki_runs_by_repository", "org_id", "repository_id", "run_id"),
)

wiki_pages = Table(
    "wiki_pages",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    Column("page_id", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("position", Big, nullable=False),
    Column("is_index", Boolean, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Index("wiki_pages_by_body", "org_id", "digest"),
    sqlite_with_rowid=False,
)

wiki_assets = Table(
    "wiki_assets",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("media_type", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Index("wiki_assets_by_body", "org_id", "digest"),
    sqlite_with_rowid=False,
)

# What pages and images consist of, once per organization: runs that share a page share its body.
wiki_bodies = Table(
    "wiki_bodies",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
