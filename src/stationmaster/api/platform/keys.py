"""API keys: make, list, revoke."""

from __future__ import annotations

from stationmaster.api.routing import router

routes = router("/api/platform/v1/keys", "Keys")
