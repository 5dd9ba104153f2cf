"""The tables of the room `readiness`."""

from __future__ import annotations
