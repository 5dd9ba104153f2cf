"""Texts as cells of a spreadsheet."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def inert(text: str) -> str:
    """A text that no spreadsheet runs as a formula."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
