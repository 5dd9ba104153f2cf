"""Messages that wait to be sent."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# Recipients and text are sealed: a message may hold a one-time link.
outgoing_mail = Table(
    "outgoing_mail",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("mail_id", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
)
