"""The tables of the room `repos`."""

from __future__ import annotations
