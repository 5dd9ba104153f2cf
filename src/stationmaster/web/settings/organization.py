"""`/settings/organization`: what the organization decides, and what the operator has set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import privacy, retention, service, time_zone
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, PrivacyMode
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.pricing import service as pricing
from stationmaster.web.figures.blocks import Table
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/settings/organization"
MODES: dict[PrivacyMode, str] = {
    "named": "By name",
    "pseudonymous": "Under other names",
    "team-only": "In teams only",
    "off": "Not at all",
}

routes = router()


@routes.get(PATH)
def show_organization(request: Request, caller: SignedIn) -> Response:
    return show_with(request, caller)


@routes.post(PATH + "/time-zone")
def set_time_zone(
    request: Request, caller: SignedIn, name: Annotated[str, Form(alias="time_zone")]
) -> Response:
    require(caller, "owner")
    try:
        time_zone.put(services_of(request).db, caller.org_id, name.strip(), by=caller)
    except StationmasterError as fault:
        return show_with(request, caller, fault=fault)
    return see_other(PATH)


@routes.post(PATH + "/privacy")
def set_privacy(
    request: Request,
    caller: SignedIn,
    mode: Annotated[str, Form()],
    minimum: Annotated[str, Form()],
) -> Response:
    require(caller, "owner")
    try:
        wanted = next((known for known in MODES if known == mode), None)
        if wanted is None:
            raise BadRequest("Choose one of the offered ways.", code="invalid_mode")
        fewest = _minimum(minimum)
        privacy.put(services_of(request).db, caller.org_id, wanted, fewest, by=caller)
    except StationmasterError as fault:
        return show_with(request, caller, fault=fault)
    return see_other(PATH)


def _minimum(text: str) -> int:
    least, most = privacy.MINIMUM_MIN, privacy.MINIMUM_MAX
    if not text.isascii() or not text.isdecimal() or not least <= int(text[:9]) <= most:
        raise BadRequest(
            f"The smallest group is a whole number from {least} to {most}.", code="invalid_minimum"
        )
    return int(text)


def show_with(
    request: Request, caller: Caller, *, fault: StationmasterError | None = None
) -> Response:
    """The page, with what is wrong with a form that was sent."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    db, settings = services.db, services.settings
    lists = pricing.ages(db, settings, caller.org_id)
    return list_page(
        "organization.html",
        caller,
        request,
        PATH,
        [_price_lists(request, lists)],
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        name=service.organization_name(db, caller.org_id),
        time_zone=time_zone.of(db, caller.org_id),
        policy=privacy.of(db, caller.org_id),
        minimum_range=(privacy.MINIMUM_MIN, privacy.MINIMUM_MAX),
        modes=list(MODES.items()),
        may_change=caller.role == "owner",
        lists=lists,
        today=clock.today(),
        settings=settings,
        retention=retention.of(db, settings, caller.org_id),
        days_range=(retention.DAYS_MIN, settings.raw_events_days or retention.DAYS_MAX),
    )


def _price_lists(request: Request, lists: Sequence[pricing.ListAge]) -> Table:
    heads = ("List", "As of", "Imported (UTC)", "Models", "State")
    rows = [
        (
            *(each.origin, f"{each.as_of}", moment(each.imported_at), each.models),
            "old" if each.is_old else "fresh",
        )
        for each in lists
    ]
    return listing("prices", "Price lists", heads, rows, call_of(request, "/api/platform/v1/rates"))
