"""The tables of the room `computers`."""

from __future__ import annotations
