"""Signing in, tokens and their refresh."""

from __future__ import annotations

from stationmaster.api.routing import open_router

routes = open_router("/api/platform/v1/auth", "Signing in")
