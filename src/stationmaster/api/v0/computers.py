"""Computers: register, find, change, remove."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/v0/computers", "Computers")
