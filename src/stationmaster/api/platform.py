"""`/api/platform/v1`: our own operations beside the specification."""

from __future__ import annotations

import msgspec

from stationmaster.access.authenticate import require
from stationmaster.api import callers
from stationmaster.api.answers import Answer, json_answer
from stationmaster.api.edge import Route
from stationmaster.api.openapi import BEARER, RATE_LIMIT, problems, ref, response
from stationmaster.api.requests import Request

PREFIX = "/api/platform/v1/"


async def me(request: Request) -> Answer:
    """Who the caller is: a way to try a key."""
    services = request.services
    caller = await callers.caller(request)
    require(caller)
    headers = services.other_limit.take(caller.key_id, caller.org_id)
    services.last_use.note(caller)
    return json_answer(msgspec.to_builtins(caller), headers=headers)
