"""Alerts, the destinations that they are sent to, and every delivery."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from stationmaster.access.model import NAME_LENGTH_MAX
from stationmaster.alerts import destinations, model, queue, reading, store
from stationmaster.alerts.destinations import DESTINATIONS_MAX, RECIPIENTS_MAX, DestinationForm
from stationmaster.alerts.texts import AlertText
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router

routes = router("/api/platform/v1/alerts", "Alerts")

_TIME = Field(ge=0, le=2**53 - 1)
Cursor = Annotated[str | None, Query(pattern=wire.ID, description="The page is older.")]
Since = Annotated[int | None, Query(ge=0, le=2**53 - 1, description="Unix milliseconds.")]


class AlertPerson(wire.Answer):
    """`email` is null for a person who is not a member."""

    id: str
    email: str | None


class AlertRecord(wire.Answer):
    """An alert, raised once for its cause and period. Times are Unix milliseconds.

    `person` is the person concerned: null if there is none, or if the organization does not
    show people by name and the caller is another person. `until` is when its cause ends by
    itself, `resolvedAt` when it was resolved. `details` depend on the kind.
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
    """`url` of every format but mail, which has `recipients`: addresses, and `owners`,
    `managers` or `person` (the person concerned). Without `kinds`, all."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX), wire.NAMED]
    format: model.Format
    url: Annotated[str | None, Field(max_length=2_000)] = None
    recipients: Annotated[
        tuple[Annotated[str, Field(max_length=254)], ...], Field(max_length=RECIPIENTS_MAX)
    ] = ()
    kinds: Annotated[tuple[model.Kind, ...], Field(max_length=len(model.KINDS))] = ()


class DestinationChange(wire.Question):
    """Members that are left out or null stay unchanged. Enabling one resets its failures."""

    name: Annotated[str | None, Field(min_length=1, max_length=NAME_LENGTH_MAX), wire.NAMED] = None
    kinds: Annotated[list[model.Kind] | None, Field(max_length=len(model.KINDS))] = None
    enabled: bool | None = None


class DestinationRecord(wire.Answer, record=model.Destination):
    """Times are Unix milliseconds. `address` is shown in part, null for mail.

    `reason` is why it is disabled: by a person, gone (410) or failing (for three days). Until
    `previousUntil` messages are signed with the secret before the last rotation, too.
    """


class DestinationWithSecret(wire.Answer):
    """`secret` signs messages of a webhook and is shown once; null for other formats."""

    destination: DestinationRecord
    secret: str | None


class Destinations(wire.Answer):
    """Oldest first; at most 50."""

    destinations: Annotated[list[DestinationRecord], Field(max_length=DESTINATIONS_MAX)]


class DeliveryRecord(wire.Answer, record=model.Delivery):
    """One message to one destination; `deliveryId` is its `webhook-id`. Times are in Unix
    milliseconds.

    `attempts` counts since it was created or replayed; a waiting one is tried next at `dueAt`.
    `audience` is `person` for a message only to the person concerned.
    """


class AttemptRecord(wire.Answer, record=model.Attempt):
    """`endedAt` is null while it runs, and permanently if its process died. `error` is the
    beginning of the answer to a failed attempt, or the reason for no answer."""


class DeliveryWithAttempts(wire.Answer):
    """Attempts oldest first."""

    delivery: DeliveryRecord
    attempts: list[AttemptRecord]


class DeliveryPage(wire.Answer):
    """Newest first."""

    deliveries: list[DeliveryRecord]
    pagination: wire.Pagination


class ReplaySince(wire.Question):
    """All deliveries that were created at `since` (Unix milliseconds) or later and do not wait;
    with `state`, only failed or delivered ones."""

    since: Annotated[int, _TIME, wire.WHOLE]
    state: model.DeliveryState | None = None


class Replayed(wire.Answer):
    """The number of deliveries that are sent again; at most 1,000 at a time, oldest first."""

    count: int


@routes.get("")
@blocking.reads
def list_alerts(
    caller: callers.Reader,
    db: Db,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Cursor = None,
    kind: model.Kind | None = None,
    open: Annotated[bool | None, Query(description="Not resolved, or resolved.")] = None,
    since: Since = None,
) -> AlertPage:
    """List alerts, newest first. Owners and managers see all, others those about themselves."""
    listed = reading.page(
        db, caller, limit=limit + 1, before=cursor, kind=kind, is_open=open, since=since
    )
    return wire.page(AlertPage, listed, limit, lambda shown: shown.alert.alert_id, _alert)


@routes.get("/destinations")
@blocking.reads
def list_alert_destinations(caller: callers.Manager, db: Db) -> Destinations:
    """List destinations, oldest first."""
    listed = destinations.list_all(db, caller.org_id)
    return Destinations.of(destinations=listed)


@routes.post("/destinations", status_code=201, responses=problems(409))
def add_alert_destination(
    caller: callers.Manager, services: Opened, new: NewDestination
) -> DestinationWithSecret:
    """Add a destination. Its address is checked, and must be public unless the operator permits
    the host; the secret of a webhook is shown once.
    """
    form = DestinationForm(new.name, new.format, new.url, new.recipients, new.kinds)
    made, secret = destinations.add(services.db, services.settings, services.vault, caller, form)
    return DestinationWithSecret.of(
        destination=made, secret=None if secret is None else secret.reveal()
    )


@routes.get("/destinations/{destination_id}")
@blocking.reads
def get_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, db: Db
) -> DestinationRecord:
    """Get a destination."""
    return DestinationRecord.of(destinations.get(db, caller.org_id, destination_id))


@routes.patch("/destinations/{destination_id}", responses=problems(409))
def change_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, db: Db, body: DestinationChange
) -> DestinationRecord:
    """Rename a destination, choose its kinds, disable or enable it.

    Waiting deliveries to a disabled destination fail, and can be replayed.
    """
    return DestinationRecord.of(
        destinations.change(
            db,
            caller,
            destination_id,
            name=body.name,
            kinds=body.kinds,
            is_enabled=body.enabled,
        )
    )


@routes.delete("/destinations/{destination_id}", status_code=204)
def remove_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, db: Db
) -> None:
    """Remove a destination with its deliveries."""
    destinations.remove(db, caller, destination_id)


@routes.post("/destinations/{destination_id}/rotate", responses=problems(409))
def rotate_alert_secret(
    destination_id: wire.Identifier, caller: callers.Manager, services: Opened
) -> DestinationWithSecret:
    """Replace the secret of a webhook; the new one is shown once. For a day messages are signed
    with both."""
    changed, secret = destinations.rotate(services.db, services.vault, caller, destination_id)
    return DestinationWithSecret.of(destination=changed, secret=secret.reveal())


@routes.post("/destinations/{destination_id}/test", status_code=202, responses=problems(409))
def test_alert_destination(
    destination_id: wire.Identifier, caller: callers.Manager, db: Db
) -> DeliveryRecord:
    """Send a test to a destination within seconds; `GET …/deliveries/{delivery_id}` reports it."""
    made = destinations.test(db, caller, destination_id)
    return DeliveryRecord.of(made)


@routes.post("/destinations/{destination_id}/replay", responses=problems(409))
def replay_alerts_since(
    destination_id: wire.Identifier, caller: callers.Manager, db: Db, body: ReplaySince
) -> Replayed:
    """Send all messages since a time again, under the same ids."""
    states: tuple[model.DeliveryState, ...]
    states = ("failed", "delivered") if body.state is None else (body.state,)
    count = queue.replay_since(db, caller, destination_id, body.since, states)
    return Replayed(count=count)


@routes.get("/deliveries")
@blocking.reads
def list_alert_deliveries(
    caller: callers.Manager,
    db: Db,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Cursor = None,
    destination: Annotated[str | None, Query(pattern=wire.ID)] = None,
    alert: Annotated[str | None, Query(pattern=wire.ID)] = None,
    state: model.DeliveryState | None = None,
) -> DeliveryPage:
    """List deliveries, newest first, filtered by destination, alert and state."""
    listed = store.deliveries_page(
        db,
        caller.org_id,
        limit=limit + 1,
        before=cursor,
        destination_id=destination,
        alert_id=alert,
        state=state,
    )
    return wire.page(DeliveryPage, listed, limit, lambda delivery: delivery.delivery_id)


@routes.get("/deliveries/{delivery_id}")
@blocking.reads
def get_alert_delivery(
    delivery_id: wire.Identifier, caller: callers.Manager, db: Db
) -> DeliveryWithAttempts:
    """One delivery with every attempt."""
    delivery, attempts = store.delivery_with_attempts(db, caller.org_id, delivery_id)
    return DeliveryWithAttempts.of(delivery=delivery, attempts=attempts)


@routes.post("/deliveries/{delivery_id}/replay", status_code=202, responses=problems(409))
def replay_alert_delivery(
    delivery_id: wire.Identifier, caller: callers.Manager, db: Db
) -> DeliveryRecord:
    """Send a delivery again, under the same id."""
    made = queue.replay(db, caller, delivery_id)
    return DeliveryRecord.of(made)


def _alert(shown: AlertText) -> AlertRecord:
    person = shown.person
    return AlertRecord.of(
        shown.alert,
        title=shown.title,
        text=shown.body,
        person=None if person is None else AlertPerson(id=person.user_id, email=person.email),
        details=shown.alert.data,
        path=shown.path,
    )
