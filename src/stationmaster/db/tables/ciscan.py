"""The tables of the room `ciscan`."""

from __future__ import annotations
