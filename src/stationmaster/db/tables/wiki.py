"""The tables of the room `wiki`. The index of its search is of another kind in each database."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import once_made, table

# `run_id` sorts by time, so the newest runs of a repository are the last ones of its index.
wiki_runs = table(
    "wiki_runs",
    *keys("org_id", "run_id"),
    *texts("repository_id"),
    *numbers("created_at"),
    *texts("created_by", "privacy_level"),
    *numbers("page_count"),
    *texts("repo_url"),
    *texts("commit_hash", "branch", nullable=True),
    Column("has_local_changes", Boolean),
    Column("has_non_remote_commits", Boolean),
    *texts("model_id", "reasoning_effort", "agent_version", "source_session_id", nullable=True),
    # A run with a job is generated; it has no pages before it is completed.
    *texts("job_id", nullable=True),
    *numbers("completed_at", nullable=True),
    *blobs("details", nullable=True),
    # Last, so that who reads the others does not read it.
    *blobs("page_tree"),
    Index("wiki_runs_by_repository", "org_id", "repository_id", "run_id"),
)

wiki_pages = table(
    "wiki_pages",
    *keys("org_id", "run_id", "page_id"),
    *texts("path", "title"),
    *numbers("position"),
    Column("is_index", Boolean, nullable=False),
    *blobs("digest"),
    Index("wiki_pages_by_body", "org_id", "digest"),
    sqlite_with_rowid=False,
)

wiki_assets = table(
    "wiki_assets",
    *keys("org_id", "run_id", "path"),
    *texts("media_type"),
    *blobs("digest"),
    Index("wiki_assets_by_body", "org_id", "digest"),
    sqlite_with_rowid=False,
)

# What pages and images consist of, once per organization: runs that share a page share its body.
wiki_bodies = table(
    "wiki_bodies",
    *keys("org_id"),
    Column("digest", LargeBinary, primary_key=True),
    *blobs("content"),
)

once_made(
    wiki_pages,
    "sqlite",
    "CREATE VIRTUAL TABLE wiki_search USING fts5("
    "org_id UNINDEXED, run_id UNINDEXED, page_id UNINDEXED, start UNINDEXED, size UNINDEXED, "
    "mark, title, headings, body, tokenize = 'ascii')",
)
once_made(
    wiki_pages,
    "postgresql",
    "CREATE TABLE wiki_search (org_id text NOT NULL, run_id text NOT NULL, page_id text NOT NULL, "
    "start bigint NOT NULL, size bigint NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX wiki_search_by_run ON wiki_search (org_id, run_id)",
    # Without the list of pending entries, which every question would read from end to end.
    "CREATE INDEX wiki_search_by_word ON wiki_search USING gin (words) WITH (fastupdate = off)",
)
