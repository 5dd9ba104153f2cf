"""`/settings/organization/retention`: what a number of days would erase, and setting it."""

from __future__ import annotations

from starlette.responses import Response

from stationmaster.access import retention
from stationmaster.aggregate.retention import oldest_kept
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.lake import horizon
from stationmaster.web.frame.pages import OwnerVisit, router, see_other
from stationmaster.web.settings.organization import PATH as ORGANIZATION, show_with

PATH = ORGANIZATION + "/retention"
_BACK = f"{ORGANIZATION}#retention"

routes = router()


@routes.get(PATH)
def ask_to_change(visit: OwnerVisit, days: str = "") -> Response:
    try:
        kept_days = retention.check(visit.settings, _number(days)).effective_days
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    more = "Nothing more is erased by age."
    if kept_days is not None:
        through = oldest_kept(kept_days)
        old = horizon.to_erase(visit.db, visit.org, through)
        stored = f", those of {len(old)} stored days from {old[0]} on" if old else ""
        more = (
            f"Within about ten minutes, events of days before {through} begin to be erased "
            f"permanently{stored}; every day, one more day follows. Figures of erased days stay in "
            "reports. Their sessions lose the timeline, and the days are not counted again for "
            "data that comes late, new prices, or merged and erased people."
        )
    kept = "all" if kept_days is None else f"{kept_days}"
    more += " Events that are already erased cannot be restored."
    return visit.confirm("retention", kept, _BACK, more)


@routes.post(PATH)
def change(visit: OwnerVisit, days: str = "") -> Response:
    try:
        retention.put(visit.db, visit.settings, visit.org, _number(days), by=visit.caller)
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    return see_other(_BACK)


def _number(text: str) -> int | None:
    """A number of days; None for an empty field."""
    if not (text := text.strip()):
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRequest("Retention is a whole number of days.", code="invalid_retention")
    return int(text)
