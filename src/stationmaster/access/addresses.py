"""Where people's browsers find the application, for links, cookies and redirects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stationmaster.settings import Settings

PUBLIC = "stationmaster.public_address"
"""Where a request's scope keeps the address to which it was sent, as a trusted proxy reports."""


def public_address(scope: Mapping[str, Any], settings: Settings) -> str:
    """The application's base address without a slash at the end: the one that is set, else the one
    that a trusted proxy reports, else the one that this server listens on.
    """
    if settings.app_url is None and (public := scope.get(PUBLIC)) is not None:
        return str(public)
    return settings.app_address
