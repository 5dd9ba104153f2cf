"""What the schema records of itself, in addition to Alembic's own table of the revision."""

from __future__ import annotations

from sqlalchemy import Column, Integer

from stationmaster.db.columns import texts
from stationmaster.db.tables.base import table

# One row, of id 1. `oldest` is the oldest revision whose software may use this schema, `refusal`
# a sentence with the reason why it may not be used: a copy into it has not finished, or it has
# moved elsewhere.
schema_use = table(
    "schema_use",
    Column("id", Integer, primary_key=True, autoincrement=False),
    *texts("oldest"),
    *texts("refusal", nullable=True),
)
