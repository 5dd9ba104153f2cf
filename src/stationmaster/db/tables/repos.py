"""The registry of repositories, and what opens them."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# `looked_at` is when its server was last asked for its HEAD, with any outcome.
# `removed_at` is set while the copy on disk is being deleted; then the row is deleted, too.
repositories = table(
    "repositories",
    *keys("org_id", "repo_id"),
    *texts("url", "provider"),
    *texts("default_branch", "head_commit", nullable=True),
    *numbers("fetched_at", nullable=True),
    *texts("fetch_error", nullable=True),
    *numbers("created_at"),
    *texts("created_by"),
    *numbers("removed_at", "looked_at", nullable=True),
    UniqueConstraint("org_id", "url"),
)

repository_credentials = table(
    "repository_credentials",
    *keys("org_id", "repo_id"),
    *texts("kind"),
    *texts("username", nullable=True),
    *blobs("sealed"),
)
