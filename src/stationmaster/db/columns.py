"""The columns that `tables` declares: what stored tables have, so they must stay the same."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, Text

Big = BigInteger().with_variant(Integer, "sqlite")
"""A 64-bit integer."""


def keys(*names: str) -> list[Column[str]]:
    """Texts of the primary key."""
    return [Column(name, Text, primary_key=True) for name in names]


def texts(*names: str, nullable: bool = False) -> list[Column[str]]:
    """Texts."""
    return [Column(name, Text, nullable=nullable) for name in names]


def numbers(*names: str, nullable: bool = False) -> list[Column[int]]:
    """64-bit integers: counts, and times in UTC milliseconds."""
    return [Column(name, Big, nullable=nullable) for name in names]


def blobs(*names: str, nullable: bool = False) -> list[Column[bytes]]:
    """Bytes."""
    return [Column(name, LargeBinary, nullable=nullable) for name in names]
