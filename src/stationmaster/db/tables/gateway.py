"""The providers of models that the gateway passes calls on to."""

from __future__ import annotations

from sqlalchemy import Boolean, Column

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# `sealed` is the provider's key; `failover` the names of providers to try instead, with commas.
gateway_providers = table(
    "gateway_providers",
    *keys("org_id", "name"),
    *texts("kind", "url"),
    *blobs("sealed"),
    Column("is_private", Boolean, nullable=False),
    *texts("failover"),
    *numbers("created_at"),
)
