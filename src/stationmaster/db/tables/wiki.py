"""The tables of the room `wiki`."""

from __future__ import annotations
