"""Who and what sends telemetry, and what its sources report of the same sessions."""

from __future__ import annotations

from stationmaster.db.columns import keys, numbers, texts
from stationmaster.db.tables.base import table

# One row for each agent of a person on a machine, by the way in which its data arrives. Times
# are those of its events (ms); `version_at` is when its newest version was first seen, and
# `unknown` counts records of an unknown name since then, `unknown_before` those of the version
# before (null: none is known).
senders = table(
    "senders",
    *keys("org_id", "user_id", "machine", "product", "source"),
    *numbers("first_at", "last_at", "events", "refused"),
    *texts("version"),
    *numbers("version_at", "unknown"),
    *numbers("unknown_before", nullable=True),
    *texts("email", nullable=True),
    sqlite_with_rowid=False,
)

# What a day's events lack, as they arrived; `calls` are the tool calls among them.
day_quality = table(
    "day_quality",
    *keys("org_id", "day", "product"),
    *numbers("events", "without_session", "without_repository", "without_client", "calls"),
    *numbers("without_autonomy", "clock_skew"),
    sqlite_with_rowid=False,
)

# What a source reported of a day's sessions that another source reported, too, with what was
# counted. `difference` adds up the sessions' differences, `flagged` those that the source itself
# announces. `worst` is a JSON list of [session id, reported, counted].
source_comparisons = table(
    "source_comparisons",
    *keys("org_id", "day", "product", "source", "figure"),
    *numbers("sessions", "differing", "told", "counted", "difference", "flagged"),
    *texts("worst"),
    sqlite_with_rowid=False,
)
