"""The finished day documents and what trailing windows are made of."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# One finished JSON document per organization, report and day. `body` is one object for a plain
# report, comma-joined objects (or nothing) for a grouped one. Bodies come last, so that what
# stands before them is read without reading them.
report_documents = Table(
    "report_documents",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("report", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("revision", Big, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("report_documents_by_day", "org_id", "day", "revision"),
)

user_documents = Table(
    "user_documents",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# The counts of a day by user, agent, repository and team, as `aggregate.slices` packs them.
# `landed` is what its events were counted at: another number than the day's `rolled` means that a
# version which knew no slices has counted it since.
day_slices = Table(
    "day_slices",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("landed", Big, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# The finer counts of a day, as `aggregate.facts` packs them. They belong to the slices that were
# counted at the same number of `landed`. `form` is that of the program that made them: another one
# than its own makes the background count the day again.
day_facts = Table(
    "day_facts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("landed", Big, nullable=False),
    Column("form", Big, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# The running day as it was last counted because somebody asked, as `aggregate.slices` packs it.
day_so_far = Table(
    "day_so_far",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, nullable=False),
    Column("landed", Big, nullable=False),
    Column("counted_at", Big, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# Who was active when, and for how many credits: the source of trailing windows and of what is used
# of a limit, and the order of /users pages.
active_users = Table(
    "active_users",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("is_counted", Boolean, nullable=False),
    Column("billable_tokens", Big, nullable=False, server_default="0"),
    # Of this user on this day: the agents, joined with commas, and the team.
    Column("products", Text),
    Column("team", Text),
    # With the credits, so that what one user used of a period is read here alone.
    Index("active_users_by_user", "org_id", "user_id", "day", "billable_tokens"),
    sqlite_with_rowid=False,
)

# On which days a session was active, so that it counts as started on the first of them only.
session_days = Table(
    "session_days",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Index("session_days_by_day", "org_id", "day"),
    sqlite_with_rowid=False,
)

# What a rollup leaves out because it cannot count it. `item` is the 32 hex digits of an event's id
# or the name of a whole part, `reason` a word for what went wrong; never anything of its content.
quarantine = Table(
    "quarantine",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("set_aside_at", Big, nullable=False),
    sqlite_with_rowid=False,
)
