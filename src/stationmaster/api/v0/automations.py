"""The CI scan and the repositories it looks at."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/v0/automations/ci", "CI scan")
