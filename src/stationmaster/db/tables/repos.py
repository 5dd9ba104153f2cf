"""The registry of repositories, and what opens them."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, Table, Text, UniqueConstraint

from stationmaster.db.tables.base import Big, metadata

# `looked_at` is when its server was last asked for its HEAD, whatever that came to.
# `removed_at` stands while the copy on disk is being deleted; then the row goes, too.
repositories = Table(
    "repositories",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("default_branch", Text),
    Column("head_commit", Text),
    Column("fetched_at", Big),
    Column("fetch_error", Text),
    Column("created_at", Big, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("removed_at", Big),
    Column("looked_at", Big),
    UniqueConstraint("org_id", "url"),
)

repository_credentials = Table(
    "repository_credentials",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("repo_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("username", Text),
    Column("sealed", LargeBinary, nullable=False),
)
