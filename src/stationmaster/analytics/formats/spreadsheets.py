"""Texts as cells of a spreadsheet."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def inert(text: str) -> str:
    """A text that no spreadsheet runs as a formula."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def csv_cell(value: object) -> object:
    """A value as a cell of CSV: texts inert, booleans in the words of JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return inert(value) if isinstance(value, str) else value
