"""Readiness reports, under the two published paths."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/organization", "Readiness")
