"""`/settings/organization`: what the organization decides, and what the operator has set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import privacy, retention, service, time_zone
from stationmaster.access.model import PrivacyMode
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.lake.horizon import outdated
from stationmaster.pricing import service as pricing
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import (
    ManagerVisit,
    OwnerVisit,
    Visit,
    listing,
    router,
    see_other,
)

PATH = "/settings/organization"
RETENTION = PATH + "/retention"
_BACK = f"{PATH}#retention"
MODES: dict[PrivacyMode, str] = {
    "named": "By name",
    "pseudonymous": "Under other names",
    "team-only": "In teams only",
    "off": "Not at all",
}

routes = router()


@routes.get(PATH)
def show_organization(visit: ManagerVisit) -> Response:
    return show_with(visit)


@routes.post(PATH + "/time-zone")
def set_time_zone(visit: OwnerVisit, name: Annotated[str, Form(alias="time_zone")]) -> Response:
    try:
        time_zone.put(visit.db, visit.org, name.strip(), by=visit.caller)
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    return see_other(PATH)


@routes.post(PATH + "/privacy")
def set_privacy(
    visit: OwnerVisit, mode: Annotated[str, Form()], minimum: Annotated[str, Form()]
) -> Response:
    try:
        chosen_mode = next((name for name in MODES if name == mode), None)
        if chosen_mode is None:
            raise BadRequest("Choose one of the offered ways.", code="invalid_mode")
        fewest = _minimum(minimum)
        privacy.put(visit.db, visit.org, chosen_mode, fewest, by=visit.caller)
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    return see_other(PATH)


def _minimum(text: str) -> int:
    least, most = privacy.MINIMUM_MIN, privacy.MINIMUM_MAX
    if not text.isascii() or not text.isdecimal() or not least <= int(text[:9]) <= most:
        raise BadRequest(
            f"The smallest group is a whole number from {least} to {most}.", code="invalid_minimum"
        )
    return int(text)


def show_with(visit: Visit, *, fault: StationmasterError | None = None) -> Response:
    """The page, with what is wrong with a form that was sent."""
    db, settings = visit.db, visit.settings
    lists = pricing.ages(db, settings, visit.org)
    return visit.lists(
        "organization.html",
        PATH,
        [_price_lists(visit, lists)],
        error=fault,
        name=service.organization_name(db, visit.org),
        time_zone=time_zone.of(db, visit.org),
        policy=privacy.of(db, visit.org),
        minimum_range=(privacy.MINIMUM_MIN, privacy.MINIMUM_MAX),
        modes=list(MODES.items()),
        may_change=visit.caller.role == "owner",
        lists=lists,
        today=clock.today(),
        settings=settings,
        retention=retention.of(db, settings, visit.org),
        days_range=(retention.DAYS_MIN, settings.raw_events_days or retention.DAYS_MAX),
    )


def _price_lists(visit: Visit, lists: Sequence[pricing.ListAge]) -> Table:
    rows = [(price_list, "old" if price_list.is_old else "fresh") for price_list in lists]
    columns = (
        "0.origin: List, 0.as_of: As of, 0.imported_at: Imported (UTC), 0.models: Models, 1: State"
    )
    return listing("prices", "Price lists", columns, rows, visit.call("/api/platform/v1/rates"))


@routes.get(RETENTION)
def ask_to_change(visit: OwnerVisit, days: str = "") -> Response:
    try:
        kept_days = retention.check(visit.settings, _days_of(days)).effective_days
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    more = "Nothing more is erased by age."
    if kept_days is not None:
        through, old = outdated(visit.db, visit.org, kept_days)
        stored = f", those of {len(old)} stored days from {old[0]} on" if old else ""
        more = (
            f"Within about ten minutes, events of days before {through} begin to be erased "
            f"permanently{stored}; every day, one more day follows. Figures of erased days stay in "
            "reports. Their sessions lose the timeline, and the days are not counted again for "
            "data that arrives late, new prices, or merged and erased people."
        )
    kept = "all" if kept_days is None else f"{kept_days}"
    more += " Events that are already erased cannot be restored."
    return visit.confirm("retention", kept, _BACK, more)


@routes.post(RETENTION)
def set_retention(visit: OwnerVisit, days: str = "") -> Response:
    try:
        retention.put(visit.db, visit.settings, visit.org, _days_of(days), by=visit.caller)
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    return see_other(_BACK)


def _days_of(text: str) -> int | None:
    """A number of days; None for an empty field."""
    if not (text := text.strip()):
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRequest("Retention is a whole number of days.", code="invalid_retention")
    return int(text)
