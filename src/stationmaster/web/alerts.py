"""`/settings/alerts`: where alerts are sent, the newest ones, and what became of deliveries."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, Secret
from stationmaster.alerts import destinations, queue, reading, store
from stationmaster.alerts.destinations import Wanted
from stationmaster.alerts.model import CHOSEN_KINDS, FORMATS, REASONS, Format, Kind
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.web import menu
from stationmaster.web.pages import page, router, see_other
from stationmaster.web.requests import SignedIn, services_of

PATH = "/settings/alerts"
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
    return page(
        "alert_delivery.html",
        caller,
        request,
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
    return page(
        "alerts.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        made=None if secret is None else secret[0],
        secret=None if secret is None else secret[1].reveal(),
        destinations=places,
        names={each.destination_id: each.name for each in places},
        reasons=REASONS,
        formats=list(_FORMATS.items()),
        format_names=_FORMATS,
        all_kinds=CHOSEN_KINDS,
        kind_names=KIND_NAMES,
        alerts=reading.page(db, caller, limit=LISTED),
        deliveries=store.deliveries_page(
            db, org, limit=LISTED, before=None, destination_id=None, alert_id=None, state=None
        ),
        name=name,
        format=format,
        where=where,
        kinds=kinds or [],
    )
