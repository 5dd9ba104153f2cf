"""Wiki runs: upload, list, read, search, export."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/v0/wiki", "Wiki")
