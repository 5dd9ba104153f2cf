"""`/settings/alerts`: where alerts are sent, the newest ones, and what became of deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, cast

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, Secret
from stationmaster.alerts import destinations, queue, reading, store
from stationmaster.alerts.destinations import Wanted
from stationmaster.alerts.model import (
    CHOSEN_KINDS,
    FORMATS,
    REASONS,
    Delivery,
    Destination,
    Format,
    Kind,
)
from stationmaster.alerts.texts import Shown
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.web.figures.blocks import Table
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/settings/alerts"
_API = "/api/platform/v1/alerts"
LISTED = 20

routes = router()

KIND_NAMES: dict[Kind, str] = {
    "limit.threshold": "Share of a budget used",
    "limit.forecast": "Budget expected to be used up",
    "limit.request": "Request for more of a budget",
    "limit.decision": "Decision on a request",
    "sender.silent": "Sender stopped",
    "spend.spike": "Spike of spending",
    "ci.critical": "Critical CI finding",
    "job.failed": "Failed background job",
    "destination.disabled": "Destination disabled",
    "test": "Test",
}
_FORMATS: dict[Format, str] = {
    "webhook": "Webhook, signed",
    "slack": "Slack",
    "teams": "Teams",
    "alertmanager": "Alertmanager",
    "mail": "Mail",
}


@routes.get(PATH)
def show_alerts(request: Request, caller: SignedIn) -> Response:
    return _alerts(request, caller)


@routes.post(PATH)
def add_destination(
    request: Request,
    caller: SignedIn,
    name: Annotated[str, Form()],
    format: Annotated[str, Form()],
    where: Annotated[str, Form()],
    kinds: Annotated[list[str] | None, Form()] = None,
) -> Response:
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    try:
        if format not in FORMATS:
            raise BadRequest("Choose one of the formats.", code="invalid_format")
        is_mail = format == "mail"
        wanted = Wanted(
            name,
            format,
            None if is_mail else where,
            where.replace(",", " ").split() if is_mail else (),
            cast(list[Kind], kinds or []),
        )
        _, secret = destinations.add(services.db, services.settings, services.vault, caller, wanted)
    except StationmasterError as fault:
        return _alerts(
            request, caller, fault=fault, name=name, format=format, where=where, kinds=kinds
        )
    return see_other(PATH) if secret is None else _alerts(request, caller, secret=(name, secret))


@routes.post(PATH + "/{destination_id}/{action}")
def change_destination(
    request: Request,
    caller: SignedIn,
    destination_id: str,
    action: Literal["test", "enable", "disable", "rotate", "remove"],
) -> Response:
    """Test a destination, enable or disable it, give it another secret, or remove it."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    try:
        if action == "rotate":
            changed, secret = destinations.rotate(
                services.db, services.vault, caller, destination_id
            )
            return _alerts(request, caller, secret=(changed.name, secret))
        if action == "test":
            destinations.test(services.db, caller, destination_id)
        elif action == "remove":
            destinations.remove(services.db, caller, destination_id)
        else:
            destinations.change(services.db, caller, destination_id, is_enabled=action == "enable")
    except BadRequest as fault:
        return _alerts(request, caller, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{destination_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, destination_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    found = destinations.get(services_of(request).db, caller.org_id, destination_id)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {found.name}?",
        consequence="Nothing is sent there any more, and its deliveries are deleted.",
        verb="Remove",
        back=PATH,
    )


@routes.get(PATH + "/deliveries/{delivery_id}")
def show_delivery(request: Request, caller: SignedIn, delivery_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    db, org = services_of(request).db, caller.org_id
    delivery, attempts = store.delivery_with_attempts(db, org, delivery_id)
    rows = [
        (
            *(moment(at) for at in (attempt.started_at, attempt.ended_at)),
            attempt.status,
            attempt.error or "",
        )
        for attempt in attempts
    ]
    heads = ("Began (UTC)", "Ended (UTC)", "Status", "Error")
    call = call_of(request, f"{_API}/deliveries/{delivery_id}")
    return list_page(
        "alert_delivery.html",
        caller,
        request,
        f"{PATH}/deliveries/{delivery_id}",
        [listing("attempts", "Attempts", heads, rows, call)],
        delivery=delivery,
        attempts=attempts,
        destination=destinations.get(db, org, delivery.destination_id),
    )


@routes.post(PATH + "/deliveries/{delivery_id}/replay")
def replay_delivery(request: Request, caller: SignedIn, delivery_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    queue.replay(services_of(request).db, caller, delivery_id)
    return see_other(f"{PATH}/deliveries/{delivery_id}")


def _alerts(
    request: Request,
    caller: Caller,
    *,
    fault: StationmasterError | None = None,
    secret: tuple[str, Secret] | None = None,
    name: str = "",
    format: str = "webhook",
    where: str = "",
    kinds: list[str] | None = None,
) -> Response:
    require(caller, *menu.MANAGERS)
    db, org = services_of(request).db, caller.org_id
    places = destinations.list_all(db, org)
    names = {place.destination_id: place.name for place in places}
    alerts = reading.page(db, caller, limit=LISTED)
    deliveries = store.deliveries_page(
        db, org, limit=LISTED, before=None, destination_id=None, alert_id=None, state=None
    )
    return list_page(
        "alerts.html",
        caller,
        request,
        PATH,
        [
            _destinations(request, places),
            _raised(request, alerts),
            _sent(request, deliveries, names),
        ],
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        made=None if secret is None else secret[0],
        secret=None if secret is None else secret[1].reveal(),
        destinations=places,
        names=names,
        reasons=REASONS,
        formats=list(_FORMATS.items()),
        format_names=_FORMATS,
        all_kinds=CHOSEN_KINDS,
        kind_names=KIND_NAMES,
        alerts=alerts,
        deliveries=deliveries,
        name=name,
        format=format,
        where=where,
        kinds=kinds or [],
    )


def _destinations(request: Request, places: Sequence[Destination]) -> Table:
    rows = [
        (
            *(place.name, place.format, place.address or ", ".join(place.recipients)),
            *(", ".join(place.kinds) or "all", place.state, place.reason or ""),
            moment(place.failing_since),
        )
        for place in places
    ]
    heads = ("Name", "Format", "Where", "Kinds", "State", "Reason", "Failing since (UTC)")
    call = call_of(request, f"{_API}/destinations")
    return listing("destinations", "Destinations", heads, rows, call)


def _raised(request: Request, alerts: Sequence[Shown]) -> Table:
    rows = [
        (
            *(alert.title, alert.alert.kind, alert.body, moment(alert.alert.raised_at)),
            moment(alert.alert.resolved_at),
        )
        for alert in alerts
    ]
    heads = ("Alert", "Kind", "Text", "Raised (UTC)", "Resolved (UTC)")
    call = call_of(request, _API, [("limit", str(LISTED))])
    return listing("alerts", "Newest alerts", heads, rows, call)


def _sent(request: Request, deliveries: Sequence[Delivery], names: Mapping[str, str]) -> Table:
    rows = [
        (
            moment(delivery.created_at),
            names[delivery.destination_id],
            delivery.state,
            delivery.attempts,
        )
        for delivery in deliveries
    ]
    heads = ("Created (UTC)", "Destination", "State", "Attempts")
    call = call_of(request, f"{_API}/deliveries", [("limit", str(LISTED))])
    return listing("deliveries", "Newest deliveries", heads, rows, call)
