"""Alerts, the destinations that they are sent to, and every delivery."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.requests import Request

from stationmaster.access.names import NAME_LENGTH_MAX
from stationmaster.alerts import destinations, model, queue, reading, store
from stationmaster.alerts.destinations import DESTINATIONS_MAX, RECIPIENTS_MAX, Wanted
from stationmaster.alerts.texts import Shown
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/alerts", "Alerts")

_TIME = Field(ge=0, le=2**53 - 1)
Cursor = Annotated[str | None, Query(pattern=wire.ID, description="The page is older.")]
Since = Annotated[int | None, Query(ge=0, le=2**53 - 1, description="Unix milliseconds.")]


class AlertPerson(wire.Answer):
    """`email` is null for a person who is not a member."""

    id: str
    email: str | None


class AlertRecord(wire.Answer):
    """What was raised, once for what it is about and its period. Times are Unix milliseconds.

    `person` is whom it is about: null where it is about nobody, or the organization does not show
    people by name and the caller is another one. `until` is when its cause ends by itself,
    `resolvedAt` when it was found to be gone. `details` depend on the kind.
    """

    alert_id: str
    kind: model.Kind
    title: str
    text: str
    person: AlertPerson | None
    details: dict[str, Any]
    raised_at: int
    until: int | None
    resolved_at: int | None
    path: str


class AlertPage(wire.Answer):
    """Newest first."""

    alerts: list[AlertRecord]
    pagination: wire.Pagination


class NewDestination(wire.Question):
    """`url` of every format but mail, which has `recipients`: addresses, and `owners`, `managers`
    or `person`, whom an alert is about. No `kinds` are all.
    """

    name: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX), wire.NAMED]
    format: model.Format
    url: Annotated[str | None, Field(max_length=2_000)] = None
    recipients: Annotated[
        tuple[Annotated[str, Field(max_length=254)], ...], Field(max_length=RECIPIENTS_MAX)
    ] = ()
    kinds: Annotated[tuple[model.Kind, ...], Field(max_length=len(model.KINDS))] = ()


class DestinationChange(wire.Question):
    """What is left out, or null, stays. Enabling one forgets its failures."""

    name: Annotated[str | None, Field(min_length=1, max_length=NAME_LENGTH_MAX), wire.NAMED] = None
    kinds: Annotated[list[model.Kind] | None, Field(max_length=len(model.KINDS))] = None
    enabled: bool | None = None


class DestinationRecord(wire.Answer):
    """Times are Unix milliseconds. `address` is what may be shown of it, null for mail.

    `reason` says why it is disabled: by a person, gone (410) or failing (for three days). Until
    `previousUntil` messages are signed with the secret before the last rotation, too.
    """

    destination_id: str
    name: str
    format: model.Format
    kinds: list[model.Kind]
    recipients: list[str]
    address: str | None
    state: model.DestinationState
    reason: str | None
    failing_since: int | None
    paused_until: int | None
    previous_until: int | None
    created_at: int
    created_by: str


class DestinationWithSecret(wire.Answer):
    """`secret` signs messages of a webhook and is shown this once; null for other formats."""

    destination: DestinationRecord
    secret: str | None


class Destinations(wire.Answer):
    """Oldest first; at most 50."""

    destinations: Annotated[list[DestinationRecord], Field(max_length=DESTINATIONS_MAX)]


class DeliveryRecord(wire.Answer):
    """One message to one destination; `deliveryId` is its `webhook-id`. Times are in Unix
    milliseconds.

    `attempts` counts since it was created or replayed; a waiting one is tried next at `dueAt`.
    `audience` is `person` for a message to the person that the alert is about alone.
    """

    delivery_id: str
    alert_id: str
    destination_id: str
    event: model.Event
    audience: model.Audience
    state: model.DeliveryState
    attempts: int
    due_at: int
    created_at: int
    finished_at: int | None


class AttemptRecord(wire.Answer):
    """`endedAt` is null while it lasts, and for good where its process died. `error` is the
    beginning of the answer to a failed one, or why there was none."""

    started_at: int
    ended_at: int | None
    status: int | None
    error: str | None


class DeliveryWithAttempts(wire.Answer):
    """Attempts oldest first."""

    delivery: DeliveryRecord
    attempts: list[AttemptRecord]


class DeliveryPage(wire.Answer):
    """Newest first."""

    deliveries: list[DeliveryRecord]
    pagination: wire.Pagination


class ReplaySince(wire.Question):
    """Everything that was created at `since` (Unix milliseconds) or later and does not wait; only
    what failed, or was delivered, with `state`."""

    since: Annotated[int, _TIME, wire.WHOLE]
    state: model.DeliveryState | None = None


class Replayed(wire.Answer):
    """How many are sent again; at most 1,000 at a time, oldest first."""

    count: int


@routes.get("")
async def list_alerts(
    caller: callers.Reader,
    request: Request,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Cursor = None,
    kind: model.Kind | None = None,
    open: Annotated[bool | None, Query(description="Not resolved, or resolved.")] = None,
    since: Since = None,
) -> AlertPage:
    """List alerts, newest first. Owners and managers see all, everybody else those about them."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: reading.page(
            db, caller, limit=limit + 1, before=cursor, kind=kind, is_open=open, since=since
        ),
    )
    shown, pagination = wire.paged(found, limit, lambda each: each.alert.alert_id)
    return AlertPage(alerts=[_alert(each) for each in shown], pagination=pagination)


@routes.get("/destinations")
async def list_alert_destinations(caller: callers.Manager, request: Request) -> Destinations:
    """List destinations, oldest first."""
    db = services_of(request).db
    found = await blocking.read(db, destinations.list_all, db, caller.org_id)
    return Destinations(destinations=[_destination(each) for each in found])


@routes.post("/destinations", status_code=201, responses=problems("Problem", 409))
async def add_alert_destination(
    caller: callers.Manager, request: Request, new: NewDestination
) -> DestinationWithSecret:
    """Add a destination. Its address is checked, and must be public unless the operator permits
    the host; the secret of a webhook is shown this once.
    """
    services = services_of(request)
    wanted = Wanted(new.name, new.format, new.url, new.recipients, new.kinds)
    made, secret = await blocking.work(
        destinations.add, services.db, services.settings, services.vault, caller, wanted
    )
    return DestinationWithSecret(
        destination=_destination(made), secret=None if secret is None else secret.reveal()
    )


@routes.get("/destinations/{destination_id}")
async def get_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, request: Request
) -> DestinationRecord:
    """Get a destination."""
    db = services_of(request).db
    return _destination(
        await blocking.read(db, destinations.get, db, caller.org_id, destination_id)
    )


@routes.patch("/destinations/{destination_id}", responses=problems("Problem", 409))
async def change_alert_destination(
    destination_id: wire.Identifier,
    caller: callers.Manager,
    request: Request,
    body: DestinationChange,
) -> DestinationRecord:
    """Rename a destination, choose its kinds, disable or enable it.

    Deliveries that wait for one that is disabled have failed, and can be replayed.
    """
    db = services_of(request).db
    return _destination(
        await blocking.work(
            lambda: destinations.change(
                db,
                caller,
                destination_id,
                name=body.name,
                kinds=body.kinds,
                is_enabled=body.enabled,
            )
        )
    )


@routes.delete("/destinations/{destination_id}", status_code=204)
async def remove_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, request: Request
) -> None:
    """Remove a destination with its deliveries."""
    await blocking.work(destinations.remove, services_of(request).db, caller, destination_id)


@routes.post("/destinations/{destination_id}/rotate", responses=problems("Problem", 409))
async def rotate_alert_secret(
    destination_id: wire.Identifier, caller: callers.Manager, request: Request
) -> DestinationWithSecret:
    """Give a webhook another secret, shown this once. For a day messages are signed with both."""
    services = services_of(request)
    changed, secret = await blocking.work(
        destinations.rotate, services.db, services.vault, caller, destination_id
    )
    return DestinationWithSecret(destination=_destination(changed), secret=secret.reveal())


@routes.post(
    "/destinations/{destination_id}/test", status_code=202, responses=problems("Problem", 409)
)
async def test_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, request: Request
) -> DeliveryRecord:
    """Send a test to a destination within seconds; `GET …/deliveries/{delivery_id}` reports it."""
    made = await blocking.work(destinations.test, services_of(request).db, caller, destination_id)
    return _delivery(made)


@routes.post("/destinations/{destination_id}/replay", responses=problems("Problem", 409))
async def replay_alerts_since(
    destination_id: wire.Identifier, caller: callers.Manager, request: Request, body: ReplaySince
) -> Replayed:
    """Send everything since a time again, under the same ids."""
    db = services_of(request).db
    states: tuple[model.DeliveryState, ...]
    states = ("failed", "delivered") if body.state is None else (body.state,)
    count = await blocking.work(
        lambda: queue.replay_since(db, caller, destination_id, body.since, states)
    )
    return Replayed(count=count)


@routes.get("/deliveries")
async def list_alert_deliveries(
    caller: callers.Manager,
    request: Request,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Cursor = None,
    destination: Annotated[str | None, Query(pattern=wire.ID)] = None,
    alert: Annotated[str | None, Query(pattern=wire.ID)] = None,
    state: model.DeliveryState | None = None,
) -> DeliveryPage:
    """List deliveries, newest first: all, or those to a destination, of an alert, in a state."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: store.deliveries_page(
            db,
            caller.org_id,
            limit=limit + 1,
            before=cursor,
            destination_id=destination,
            alert_id=alert,
            state=state,
        ),
    )
    shown, pagination = wire.paged(found, limit, lambda each: each.delivery_id)
    return DeliveryPage(deliveries=[_delivery(each) for each in shown], pagination=pagination)


@routes.get("/deliveries/{delivery_id}")
async def get_alert_delivery(
    delivery_id: wire.Identifier, caller: callers.Manager, request: Request
) -> DeliveryWithAttempts:
    """One delivery with every attempt."""
    db = services_of(request).db
    delivery, attempts = await blocking.read(
        db, store.delivery_with_attempts, db, caller.org_id, delivery_id
    )
    return DeliveryWithAttempts(
        delivery=_delivery(delivery),
        attempts=[AttemptRecord(**msgspec.structs.asdict(attempt)) for attempt in attempts],
    )


@routes.post(
    "/deliveries/{delivery_id}/replay", status_code=202, responses=problems("Problem", 409)
)
async def replay_alert_delivery(
    delivery_id: wire.Identifier, caller: callers.Manager, request: Request
) -> DeliveryRecord:
    """Send a delivery again, under the same id."""
    made = await blocking.work(queue.replay, services_of(request).db, caller, delivery_id)
    return _delivery(made)


def _alert(shown: Shown) -> AlertRecord:
    alert, person = shown.alert, shown.person
    return AlertRecord(
        alert_id=alert.alert_id,
        kind=alert.kind,
        title=shown.title,
        text=shown.body,
        person=None if person is None else AlertPerson(id=person.user_id, email=person.email),
        details=alert.data,
        raised_at=alert.raised_at,
        until=alert.until,
        resolved_at=alert.resolved_at,
        path=shown.path,
    )


def _destination(each: model.Destination) -> DestinationRecord:
    return DestinationRecord(**msgspec.structs.asdict(each))


def _delivery(each: model.Delivery) -> DeliveryRecord:
    return DeliveryRecord(**msgspec.structs.asdict(each))
