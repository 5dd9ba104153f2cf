"""What the schema records of itself: its revision, and who may use it."""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, PrimaryKeyConstraint, String, Table

from stationmaster.db.columns import texts
from stationmaster.db.tables.base import table

# The revision, under the name that Alembic gave it, and apart from the tables that are copied.
alembic_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

# One row, of id 1. `oldest` is the oldest revision whose software may use this schema, `refusal`
# a sentence with the reason why it may not be used: a copy into it has not finished, or it has
# moved elsewhere.
schema_use = table(
    "schema_use",
    Column("id", Integer, primary_key=True, autoincrement=False),
    *texts("oldest"),
    *texts("refusal", nullable=True),
)
