"""People of an organization: invite, list, change, remove."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/platform/v1/members", "Members")
