"""The providers of models that the gateway passes calls on to."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `sealed` is the provider's key; `failover` the names of providers to try instead, with commas.
gateway_providers = Table(
    "gateway_providers",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("is_private", Boolean, nullable=False),
    Column("failover", Text, nullable=False),
    Column("created_at", Big, nullable=False),
)
