"""`/settings/alerts`: where alerts are sent, the newest ones, and what became of deliveries."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from fastapi import Form
from pydantic import BaseModel
from starlette.responses import Response

from stationmaster.access.model import Secret
from stationmaster.alerts import destinations, model, queue, reading, store
from stationmaster.alerts.destinations import DestinationForm
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.web.frame.pages import ManagerVisit, Visit, listing, router, see_other

PATH = "/settings/alerts"
_API = "/api/platform/v1/alerts"
LISTED = 20
_PLACES = (
    "0.name: Name, 0.format: Format, 0.address|0.recipients: Where, 1: Kinds, 0.state: State, "
    "0.reason: Reason, 0.failing_since: Failing since (UTC)"
)
_ALERTS = (
    "title: Alert, alert.kind: Kind, body: Text, alert.raised_at: Raised (UTC), "
    "alert.resolved_at: Resolved (UTC)"
)
_SENT = "0.created_at: Created (UTC), 1: Destination, 0.state: State, 0.attempts: Attempts"

routes = router()


class DestinationFields(BaseModel):
    """A new destination as it was typed."""

    name: str
    format: str
    where: str
    kinds: list[str] = []


@routes.get(PATH)
def show_alerts(visit: ManagerVisit) -> Response:
    return _alerts(visit)


@routes.post(PATH)
def add_destination(visit: ManagerVisit, form: Annotated[DestinationFields, Form()]) -> Response:
    try:
        if form.format not in model.FORMATS:
            raise BadRequest("Choose one of the formats.", code="invalid_format")
        is_mail = form.format == "mail"
        destination = DestinationForm(
            form.name,
            form.format,
            None if is_mail else form.where,
            form.where.replace(",", " ").split() if is_mail else (),
            cast(list[model.Kind], form.kinds),
        )
        _, secret = destinations.add(
            visit.db, visit.settings, visit.services.vault, visit.caller, destination
        )
    except StationmasterError as fault:
        return _alerts(visit, fault=fault, form=form)
    return see_other(PATH) if secret is None else _alerts(visit, secret=(form.name, secret))


@routes.post(PATH + "/{destination_id}/{action}")
def change_destination(
    visit: ManagerVisit,
    destination_id: str,
    action: Literal["test", "enable", "disable", "rotate", "remove"],
) -> Response:
    """Test a destination, enable or disable it, give it another secret, or remove it."""
    try:
        if action == "rotate":
            changed, secret = destinations.rotate(
                visit.db, visit.services.vault, visit.caller, destination_id
            )
            return _alerts(visit, secret=(changed.name, secret))
        if action == "test":
            destinations.test(visit.db, visit.caller, destination_id)
        elif action == "remove":
            destinations.remove(visit.db, visit.caller, destination_id)
        else:
            destinations.change(
                visit.db, visit.caller, destination_id, is_enabled=action == "enable"
            )
    except BadRequest as fault:
        return _alerts(visit, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{destination_id}/remove")
def ask_to_remove(visit: ManagerVisit, destination_id: str) -> Response:
    destination = destinations.get(visit.db, visit.org, destination_id)
    return visit.confirm("destination", destination.name, PATH)


@routes.get(PATH + "/deliveries/{delivery_id}")
def show_delivery(visit: ManagerVisit, delivery_id: str) -> Response:
    delivery, attempts = store.delivery_with_attempts(visit.db, visit.org, delivery_id)
    columns = "started_at: Began (UTC), ended_at: Ended (UTC), status: Status, error: Error"
    call = visit.call(f"{_API}/deliveries/{delivery_id}")
    return visit.lists(
        "alert_delivery.html",
        f"{PATH}/deliveries/{delivery_id}",
        [listing("attempts", "Attempts", columns, attempts, call)],
        delivery=delivery,
        attempts=attempts,
        destination=destinations.get(visit.db, visit.org, delivery.destination_id),
    )


@routes.post(PATH + "/deliveries/{delivery_id}/replay")
def replay_delivery(visit: ManagerVisit, delivery_id: str) -> Response:
    queue.replay(visit.db, visit.caller, delivery_id)
    return see_other(f"{PATH}/deliveries/{delivery_id}")


def _alerts(
    visit: Visit,
    *,
    fault: StationmasterError | None = None,
    secret: tuple[str, Secret] | None = None,
    form: DestinationFields | None = None,
) -> Response:
    places = destinations.list_all(visit.db, visit.org)
    names = {place.destination_id: place.name for place in places}
    alerts = reading.page(visit.db, visit.caller, limit=LISTED)
    deliveries = store.deliveries_page(visit.db, visit.org, limit=LISTED)
    kinds_of = [(place, ", ".join(place.kinds) or "all") for place in places]
    sent = [(delivery, names[delivery.destination_id]) for delivery in deliveries]
    newest = [("limit", str(LISTED))]
    return visit.lists(
        "alerts.html",
        PATH,
        [
            listing(
                "destinations",
                "Destinations",
                _PLACES,
                kinds_of,
                visit.call(f"{_API}/destinations"),
            ),
            listing("alerts", "Newest alerts", _ALERTS, alerts, visit.call(_API, newest)),
            listing(
                "deliveries",
                "Newest deliveries",
                _SENT,
                sent,
                visit.call(f"{_API}/deliveries", newest),
            ),
        ],
        error=fault,
        made=None if secret is None else secret[0],
        secret=None if secret is None else secret[1].reveal(),
        destinations=places,
        names=names,
        reasons=model.REASONS,
        all_kinds=model.CHOSEN_KINDS,
        alerts=alerts,
        deliveries=deliveries,
        form=form or DestinationFields(name="", format="webhook", where=""),
    )
