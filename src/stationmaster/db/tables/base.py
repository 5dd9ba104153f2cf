"""What every table module shares: the collection they all belong to, and the 64-bit integer."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()
Big = BigInteger().with_variant(Integer, "sqlite")
