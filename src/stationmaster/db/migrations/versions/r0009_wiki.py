"""Wiki runs, their pages, and the search over them."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0009"
down_revision = "0008"

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
        *keys("org_id", "run_id"),
        *texts("repository_id"),
        *numbers("created_at"),
        *texts("created_by", "privacy_level"),
        *numbers("page_count"),
        *texts("repo_url"),
        *texts("commit_hash", "branch", nullable=True),
        sa.Column("has_local_changes", sa.Boolean(), nullable=True),
        sa.Column("has_non_remote_commits", sa.Boolean(), nullable=True),
        *texts("model_id", "reasoning_effort", "agent_version", "source_session_id", nullable=True),
        *blobs("page_tree"),
    )
    op.create_index("wiki_runs_by_repository", "wiki_runs", ["org_id", "repository_id", "run_id"])


def _create_files() -> None:
    op.create_table(
        "wiki_pages",
        *keys("org_id", "run_id", "page_id"),
        *texts("path", "title"),
        *numbers("position"),
        sa.Column("is_index", sa.Boolean(), nullable=False),
        *blobs("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("wiki_pages_by_body", "wiki_pages", ["org_id", "digest"])
    op.create_table(
        "wiki_assets",
        *keys("org_id", "run_id", "path"),
        *texts("media_type"),
        *blobs("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("wiki_assets_by_body", "wiki_assets", ["org_id", "digest"])
    op.create_table(
        "wiki_bodies",
        *texts("org_id"),
        *blobs("digest", "content"),
        sa.PrimaryKeyConstraint("org_id", "digest"),
    )
