"""Levels and percentages of readiness reports."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/platform/v1/readiness", "Readiness")
