"""Alerts, where they are sent, every attempt to send one, and mail that waits to be sent."""

from __future__ import annotations

from sqlalchemy import Index

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# `digest` is of the key that an alert is raised under, once. Where `person_id` is not null, the
# texts have a placeholder in the place of that person. `until` is when its cause ends by itself.
alerts = table(
    "alerts",
    *keys("org_id", "alert_id"),
    *texts("kind", "digest", "title", "body", "data"),
    *texts("person_id", nullable=True),
    *numbers("raised_at"),
    *numbers("until", "resolved_at", nullable=True),
    Index("alerts_by_key", "org_id", "kind", "digest", unique=True),
    sqlite_with_rowid=False,
)

# `kinds` are words with spaces between them, none for all; `recipients` of mail are on lines.
# The address and the secrets are sealed; `shown_address` is what may be shown of the address.
# `failing_since` is the first failure after the last success; nothing is sent before
# `paused_until`.
alert_destinations = table(
    "alert_destinations",
    *keys("org_id", "destination_id"),
    *texts("name", "format", "kinds", "recipients"),
    *texts("shown_address", nullable=True),
    *blobs("sealed_address", "sealed_secret", "sealed_previous", nullable=True),
    *numbers("previous_until", nullable=True),
    *texts("state"),
    *texts("reason", nullable=True),
    *numbers("failing_since", "paused_until", nullable=True),
    *numbers("created_at"),
    *texts("created_by"),
)

# One message to one destination. A waiting one that is being sent has its `due_at` moved to when
# another process may try, should this one die. `attempts` counts since it was created or replayed.
alert_deliveries = table(
    "alert_deliveries",
    *keys("org_id", "delivery_id"),
    *texts("alert_id", "destination_id", "event", "audience", "state"),
    *numbers("attempts", "due_at", "created_at"),
    *numbers("finished_at", nullable=True),
    Index("alert_deliveries_by_state", "state", "due_at"),
    Index("alert_deliveries_by_alert", "org_id", "alert_id"),
    Index("alert_deliveries_by_destination", "org_id", "destination_id", "delivery_id"),
    sqlite_with_rowid=False,
)

# `ended_at` is null while it lasts, and permanently where the process died. `status` is HTTP's.
alert_attempts = table(
    "alert_attempts",
    *keys("org_id", "delivery_id", "attempt_id"),
    *numbers("started_at"),
    *numbers("ended_at", "status", nullable=True),
    *texts("error", nullable=True),
    sqlite_with_rowid=False,
)

# Recipients and text are sealed: a message may hold a one-time link.
outgoing_mail = table(
    "outgoing_mail",
    *keys("org_id", "mail_id"),
    *blobs("sealed"),
    *numbers("created_at", "expires_at"),
)
