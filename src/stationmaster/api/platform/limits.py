"""Caps beside what is used of them."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/platform/v1/limits", "Limits")
