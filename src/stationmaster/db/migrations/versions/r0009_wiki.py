"""Wiki runs, their pages, and the search over them.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE wiki_search USING fts5("
    "org_id UNINDEXED, run_id UNINDEXED, page_id UNINDEXED, start UNINDEXED, size UNINDEXED, "
    "mark, title, headings, body, tokenize = 'ascii')",
)
_POSTGRESQL_SEARCH = (
    "CREATE TABLE wiki_search (org_id text NOT NULL, run_id text NOT NULL, page_id text NOT NULL, "
    "start bigint NOT NULL, size bigint NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX wiki_search_by_run ON wiki_search (org_id, run_id)",
    # Without the list of pending entries, which every question would read from end to end.
    "CREATE INDEX wiki_search_by_word ON wiki_search USING gin (words) WITH (fastupdate = off)",
)


def upgrade() -> None:
    """Create the tables of wiki runs, pages, assets and bodies, and the search over pages."""
    _create_runs()
    _create_files()
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in _SQLITE_SEARCH if is_sqlite else _POSTGRESQL_SEARCH:
        op.execute(statement)


def _create_runs() -> None:
    op.create_table(
        "wiki_runs",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("privacy_level", sa.Text(), nullable=False),
        sa.Column("page_count", _BIG, nullable=False),
        sa.Column("repo_url", sa.Text(), nullable=False),
        sa.Column("commit_hash", sa.Text(), nullable=True),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("has_local_changes", sa.Boolean(), nullable=True),
        sa.Column("has_non_remote_commits", sa.Boolean(), nullable=True),
        sa.Column("model_id", sa.Text(), nullable=True),
        sa.Column("reasoning_effort", sa.Text(), nullable=True),
        sa.Column("agent_version", sa.Text(), nullable=True),
        sa.Column("source_session_id", sa.Text(), nullable=True),
        sa.Column("page_tree", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id"),
    )
    op.create_index("wiki_runs_by_repository", "wiki_runs", ["org_id", "repository_id", "run_id"])


def _create_files() -> None:
    op.create_table(
        "wiki_pages",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("page_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("is_index", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id", "page_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("wiki_pages_by_body", "wiki_pages", ["org_id", "digest"])
    op.create_table(
        "wiki_assets",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id", "path"),
        sqlite_with_rowid=False,
    )
    op.create_index("wiki_assets_by_body", "wiki_assets", ["org_id", "digest"])
    op.create_table(
        "wiki_bodies",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "digest"),
    )
