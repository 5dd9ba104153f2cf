"""What is done to an organization's destinations. Each change is one transaction with its record in
the audit log; a secret is returned when it is made, and never again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, insert, update

from stationmaster import clock, days, ids
from stationmaster.access import audit, store as access
from stationmaster.access.model import Caller, Secret, email_of, name_of
from stationmaster.access.vault import Vault
from stationmaster.alerts import addresses, model, raising, store
from stationmaster.alerts.mail import smtp
from stationmaster.alerts.sending import new_secret
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import alert_deliveries, alert_destinations
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.settings import Settings

DESTINATIONS_MAX = 50
RECIPIENTS_MAX = 20
ROTATION_MS = days.MS_PER_DAY
"""How long messages are signed with the secret before, too."""

TARGET = "alert_destination"
"""What the audit log calls one."""
_ADDRESS, _SECRET = "address", "secret"


class DestinationForm(NamedTuple):
    """A destination as it is asked for: `address` for all formats but mail, which has `recipients`.
    No `kinds` are all."""

    name: str
    format: model.Format
    address: str | None = None
    recipients: Sequence[str] = ()
    kinds: Sequence[model.Kind] = ()


class Keys(NamedTuple):
    """What a message to a destination needs, opened; `secrets` are those it is signed with."""

    address: str
    secrets: list[Secret]


def add(
    db: Database, settings: Settings, vault: Vault, caller: Caller, form: DestinationForm
) -> tuple[model.Destination, Secret | None]:
    """A new destination, and the secret of a webhook, which is shown once.

    Raises BadRequest, Conflict (`too_many_destinations`, `destination_exists`).
    """
    org, destination_id = caller.org_id, ids.new_sortable("dest")
    name = name_of(form.name)
    address, recipients = _where(settings, form)
    secret = new_secret() if form.format == "webhook" else None
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        present = store.destinations(connection, org)
        if len(present) >= DESTINATIONS_MAX:
            raise Conflict(
                f"An organization has at most {DESTINATIONS_MAX} destinations.",
                code="too_many_destinations",
            )
        _check_name(present, name)
        connection.execute(
            insert(alert_destinations).values(
                org_id=org,
                destination_id=destination_id,
                name=name,
                format=form.format,
                kinds=_kinds(form.kinds),
                recipients="\n".join(recipients),
                shown_address=None if address is None else addresses.shown(form.format, address),
                sealed_address=_sealed(vault, org, destination_id, _ADDRESS, address),
                sealed_secret=_sealed(
                    vault, org, destination_id, _SECRET, None if secret is None else secret.reveal()
                ),
                state="enabled",
                created_at=clock.now_ms(),
                created_by=caller.principal_id,
            )
        )
        audit.note(
            connection,
            caller,
            "alert_destination_added",
            TARGET,
            destination_id,
            format=form.format,
        )
        return existing(connection, org, destination_id), secret


def list_all(db: Database, org: ids.OrgId) -> list[model.Destination]:
    """Oldest first."""
    with db.reading() as connection:
        return store.destinations(connection, org)


def get(db: Database, org: ids.OrgId, destination_id: str) -> model.Destination:
    """Raises NotFound."""
    with db.reading() as connection:
        return existing(connection, org, destination_id)


def change(
    db: Database,
    caller: Caller,
    destination_id: str,
    *,
    name: str | None = None,
    kinds: Sequence[model.Kind] | None = None,
    is_enabled: bool | None = None,
) -> model.Destination:
    """Rename a destination, choose its kinds, disable or enable it; what is None stays.

    Disabling gives up what waits for it. Raises NotFound, BadRequest, Conflict.
    """
    org = caller.org_id
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        before = existing(connection, org, destination_id)
        if name is not None and name_of(name) != before.name:
            _check_name(store.destinations(connection, org), name_of(name))
            store.set_destination(connection, org, destination_id, name=name_of(name))
        if kinds is not None:
            store.set_destination(connection, org, destination_id, kinds=_kinds(kinds))
        if is_enabled is not None and is_enabled != before.is_enabled:
            if is_enabled:
                _enable(connection, org, destination_id)
            else:
                disable(connection, org, destination_id, "person")
        after = existing(connection, org, destination_id)
        if after != before:
            payload = {"state": after.state, "kinds": list(after.kinds)}
            audit.note(
                connection, caller, "alert_destination_changed", TARGET, destination_id, **payload
            )
        return after


def remove(db: Database, caller: Caller, destination_id: str) -> None:
    """Delete a destination with its deliveries. Raises NotFound."""
    with db.transaction() as connection:
        before = existing(connection, caller.org_id, destination_id)
        store.delete_destination(connection, caller.org_id, destination_id)
        audit.note(
            connection,
            caller,
            "alert_destination_removed",
            TARGET,
            destination_id,
            format=before.format,
        )


def rotate(
    db: Database, vault: Vault, caller: Caller, destination_id: str
) -> tuple[model.Destination, Secret]:
    """A new secret for a webhook, shown once; for a day the one before signs, too.

    Raises NotFound, Conflict (`no_secret`) for other formats.
    """
    org, secret = caller.org_id, new_secret()
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        if existing(connection, org, destination_id).format != "webhook":
            raise Conflict("Only webhooks are signed with a secret.", code="no_secret")
        _, current, _ = store.sealed(connection, org, destination_id)
        store.set_destination(
            connection,
            org,
            destination_id,
            sealed_secret=_sealed(vault, org, destination_id, _SECRET, secret.reveal()),
            sealed_previous=current,
            previous_until=clock.now_ms() + ROTATION_MS,
        )
        audit.note(connection, caller, "alert_secret_rotated", TARGET, destination_id)
        return existing(connection, org, destination_id), secret


def test(db: Database, caller: Caller, destination_id: str) -> model.Delivery:
    """Have a test alert sent to one destination. Raises NotFound, Conflict (`disabled`)."""
    org = caller.org_id
    with db.transaction() as connection:
        destination = existing(connection, org, destination_id)
        check_enabled(destination)
        alert_id = raising.store_alert(
            connection,
            org,
            "test",
            ids.new("test"),
            f"Test of the destination {destination.name}",
            "Alerts of Stationmaster arrive here.",
            {},
            person=caller.principal_id,
        )
        audience: model.Audience = "person" if destination.recipients == ("person",) else "all"
        made = raising.add_delivery(
            connection, org, str(alert_id), destination_id, "raised", audience
        )
        return store.existing_delivery(connection, org, made)


def opened(
    connection: Connection, vault: Vault, org: ids.OrgId, destination: model.Destination
) -> Keys:
    """What a message to a destination needs. Raises OperatorError where it does not open."""
    address, secret, previous = store.sealed(connection, org, destination.destination_id)
    is_previous = (destination.previous_until or 0) > clock.now_ms()
    used = [secret, previous if is_previous else None]
    own = destination.destination_id
    return Keys(
        "" if address is None else vault.unseal(address, _purpose(org, own, _ADDRESS)).reveal(),
        [
            vault.unseal(sealed, _purpose(org, own, _SECRET))
            for sealed in used
            if sealed is not None
        ],
    )


def give_up(connection: Connection, org: ids.OrgId, destination_id: str, reason: str) -> None:
    """`disable` by the software itself, with its record."""
    disable(connection, org, destination_id, reason)
    audit.note(connection, org, "alert_destination_disabled", TARGET, destination_id, reason=reason)


def disable(connection: Connection, org: ids.OrgId, destination_id: str, reason: str) -> None:
    """Send nothing more to a destination; `reason` is a word of REASONS. What waits has failed."""
    store.set_destination(connection, org, destination_id, state="disabled", reason=reason)
    connection.execute(
        update(alert_deliveries)
        .filter_by(org_id=org, destination_id=destination_id, state="waiting")
        .values(state="failed", finished_at=clock.now_ms())
    )


def check_enabled(destination: model.Destination) -> None:
    """Raises Conflict (`disabled`)."""
    if not destination.is_enabled:
        raise Conflict("The destination is disabled; enable it first.", code="disabled")


def _enable(connection: Connection, org: ids.OrgId, destination_id: str) -> None:
    store.set_destination(
        connection,
        org,
        destination_id,
        state="enabled",
        reason=None,
        failing_since=None,
        paused_until=None,
    )


def _where(settings: Settings, form: DestinationForm) -> tuple[str | None, list[str]]:
    """The checked address, or the recipients of mail. Raises BadRequest."""
    if form.format != "mail":
        if form.address is None or form.recipients:
            raise BadRequest(
                f"A destination of the format {form.format} has an address and no recipients.",
                code="invalid_destination",
            )
        return addresses.checked(settings, form.format, form.address), []
    if form.address is not None or not 0 < len(form.recipients) <= RECIPIENTS_MAX:
        raise BadRequest(
            f"Mail has 1 to {RECIPIENTS_MAX} recipients and no address.", code="invalid_destination"
        )
    if not smtp.is_on(settings):
        raise BadRequest(
            "This installation sends no mail: the operator sets STATIONMASTER_SMTP_HOST.",
            code="mail_off",
        )
    named = [
        recipient if recipient in model.RECIPIENT_WORDS else email_of(recipient)
        for recipient in form.recipients
    ]
    return None, list(dict.fromkeys(named))


def _kinds(kinds: Sequence[model.Kind]) -> str:
    if unknown := set(kinds) - set(model.CHOSEN_KINDS):
        raise BadRequest(
            f"{sorted(unknown)[0]} is not a kind of alert: {', '.join(model.CHOSEN_KINDS)}.",
            code="invalid_kind",
        )
    return " ".join(sorted(set(kinds)))


def _check_name(present: Sequence[model.Destination], name: str) -> None:
    if any(destination.name == name for destination in present):
        raise Conflict("There is already a destination with this name.", code="destination_exists")


def existing(connection: Connection, org: ids.OrgId, destination_id: str) -> model.Destination:
    """Raises NotFound."""
    row = store.destination(connection, org, destination_id)
    if row is None:
        raise NotFound("There is no such destination.")
    return row


def _sealed(
    vault: Vault, org: ids.OrgId, destination_id: str, what: str, text: str | None
) -> bytes | None:
    return None if text is None else vault.seal(Secret(text), _purpose(org, destination_id, what))


def _purpose(org: ids.OrgId, destination_id: str, what: str) -> str:
    return f"{what} of alerts {org} {destination_id}"
