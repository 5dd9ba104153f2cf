"""The protocol's library, which is an extra and takes a second to load."""

from __future__ import annotations

from types import ModuleType

from stationmaster.errors import MissingExtra


def serving() -> ModuleType:
    """The module that serves the tools. Raises MissingExtra where the library is not installed."""
    try:
        from stationmaster.api.mcp import serving
    except ModuleNotFoundError as fault:
        raise MissingExtra("The Model Context Protocol", "mcp", fault.name) from fault
    return serving
