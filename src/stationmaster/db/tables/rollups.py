"""The finished day documents and what trailing windows are made of."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index

from stationmaster.db.columns import Big, blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# One finished JSON document per organization, report and day. `body` is one object for a plain
# report, comma-joined objects (or nothing) for a grouped one. Bodies are last, so that what
# precedes them is read without reading them.
report_documents = table(
    "report_documents",
    *keys("org_id", "report", "day"),
    *numbers("revision"),
    *blobs("digest", "body"),
    Index("report_documents_by_day", "org_id", "day", "revision"),
)

user_documents = table(
    "user_documents",
    *keys("org_id", "user_id", "day"),
    *blobs("digest", "body"),
    sqlite_with_rowid=False,
)

# The counts of a day by user, agent, repository and team, as `aggregate.slices` packs them.
# `landed` is what its events were counted at: another number than the day's `rolled` means that a
# version which knew no slices has counted it since.
day_slices = table(
    "day_slices",
    *keys("org_id", "day"),
    *numbers("landed"),
    *blobs("body"),
)

# The finer counts of a day, as `aggregate.facts` packs them. They belong to the slices that were
# counted at the same number of `landed`. `form` is that of the program that made them: another one
# than its own makes the background count the day again.
day_facts = table(
    "day_facts",
    *keys("org_id", "day"),
    *numbers("landed", "form"),
    *blobs("body"),
)

# The running day as it was last counted because of a request, as `aggregate.slices` packs it.
day_so_far = table(
    "day_so_far",
    *keys("org_id"),
    *texts("day"),
    *numbers("landed", "counted_at"),
    *blobs("body"),
)

# Who was active when, and for how many credits: the source of trailing windows and of what is used
# of a limit, and the order of /users pages.
active_users = table(
    "active_users",
    *keys("org_id", "day", "user_id"),
    Column("is_counted", Boolean, nullable=False),
    Column("billable_tokens", Big, nullable=False, server_default="0"),
    # Of this user on this day: the agents, joined with commas, and the team.
    *texts("products", "team", nullable=True),
    # With the credits, so that what one user used of a period is read here alone.
    Index("active_users_by_user", "org_id", "user_id", "day", "billable_tokens"),
    sqlite_with_rowid=False,
)

# On which days a session was active, so that it counts as started on the first of them only.
session_days = table(
    "session_days",
    *keys("org_id", "session_id", "day"),
    Index("session_days_by_day", "org_id", "day"),
    sqlite_with_rowid=False,
)

# What a rollup leaves out because it cannot count it. `item` is the 32 hex digits of an event's id
# or the name of a whole part, `reason` a word for what went wrong; never its content.
quarantine = table(
    "quarantine",
    *keys("org_id", "day", "item"),
    *texts("reason"),
    *numbers("set_aside_at"),
    sqlite_with_rowid=False,
)
