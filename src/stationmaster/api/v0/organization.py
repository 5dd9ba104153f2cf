"""Credit limits of an organization and its people."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/v0/organization", "Organization")
