"""`/settings/organization/retention`: what a number of days would erase, and setting it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import retention
from stationmaster.access.authenticate import require
from stationmaster.aggregate.retention import oldest_kept
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.lake import horizon
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.settings.organization import PATH as ORGANIZATION
from stationmaster.web.settings.organization import show_with

PATH = ORGANIZATION + "/retention"
_BACK = f"{ORGANIZATION}#retention"

routes = router()


@routes.get(PATH)
def ask_to_change(request: Request, caller: SignedIn, days: str = "") -> Response:
    require(caller, "owner")
    services = services_of(request)
    try:
        kept_days = retention.check(services.settings, _number(days)).effective_days
    except StationmasterError as fault:
        return show_with(request, caller, fault=fault)
    if kept_days is None:
        question, consequence = "Keep raw events of all days?", "Nothing more is erased by age."
    else:
        through = oldest_kept(kept_days)
        old = horizon.to_erase(services.db, caller.org_id, through)
        question = f"Keep raw events of {kept_days} days?"
        consequence = (
            f"Within about ten minutes, events of days before {through} begin to be erased for "
            f"good{f', those of {len(old)} stored days from {old[0]} on' if old else ''}; every "
            "day, one more day follows. Figures of erased days stay in reports. Their sessions "
            "lose the timeline, and the days are not counted again for data that comes late, new "
            "prices, or merged and erased people."
        )
    return page(
        "confirm.html",
        caller,
        request,
        question=question,
        consequence=f"{consequence} What is erased already does not come back.",
        verb="Change retention",
        back=_BACK,
    )


@routes.post(PATH)
def change(request: Request, caller: SignedIn, days: str = "") -> Response:
    require(caller, "owner")
    services = services_of(request)
    try:
        retention.put(services.db, services.settings, caller.org_id, _number(days), by=caller)
    except StationmasterError as fault:
        return show_with(request, caller, fault=fault)
    return see_other(_BACK)


def _number(text: str) -> int | None:
    """A number of days; None for an empty field."""
    if not (text := text.strip()):
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRequest("Retention is a whole number of days.", code="invalid_retention")
    return int(text)
