"""The tables of the room `limits`."""

from __future__ import annotations
