"""Caps on Standard Credits: an organization's for everyone, and those of single principals."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from stationmaster.db.tables.base import Big, metadata

global_credit_limits = Table(
    "global_credit_limits",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("credits", Big, nullable=False),
)

# Of members by user id, of service accounts by theirs.
credit_limits = Table(
    "credit_limits",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("principal_id", Text, primary_key=True),
    Column("credits", Big, nullable=False),
    sqlite_with_rowid=False,
)
