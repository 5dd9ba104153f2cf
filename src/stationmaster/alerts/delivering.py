"""Sending what waits: attempts, retries, pauses, and the end of destinations that do not answer."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection

from stationmaster import clock, days
from stationmaster.access import privacy, service, store as access
from stationmaster.access.vault import Vault
from stationmaster.alerts import destinations, formats, queue, raising, sending, store
from stationmaster.alerts.mail import smtp
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.alerts.model import REASONS, Destination, Format
from stationmaster.alerts.reading import addresses_of, person_of
from stationmaster.alerts.texts import shown
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

THREADS = 4
"""Messages that one process sends at a time; one organization's are at most one fewer."""
LOOK_S = 2.0
"""Between two looks for work of a thread that has none."""
WAITS_S = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""After each failed attempt but the last: the schedule of Standard Webhooks."""
JITTER = 0.1
"""The part of a wait that is added at most."""
BUSY_S, BUSY_MAX_S = 60.0, 1_800.0
"""How long a destination that has too much to do is left alone, where it does not state it."""
FAILING_MS = 3 * days.MS_PER_DAY
"""A destination that has failed for so long when a delivery is given up is disabled."""
_NOTICE_MS = 7 * days.MS_PER_DAY
_MAIL_S = 20.0

log = logging.getLogger(__name__)


class _Attempt(NamedTuple):
    """All that an attempt needs, as of its beginning."""

    message: formats.FormattedAlert
    destination: Destination
    keys: destinations.Keys
    recipients: list[str]


class Deliverer:
    """Sends the deliveries of all organizations. Safe to run in THREADS threads.

    `ended` is called with format and outcome of every attempt: `delivered`, `retry` or `failed`.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        vault: Vault,
        ended: Callable[[Format, str], None] = lambda *_: None,
    ) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault
        self._ended = ended
        self._lock = threading.Lock()
        self._busy: set[tuple[OrgId, str]] = set()

    def run(self, stop: threading.Event) -> None:
        """Send what is due until `stop` is set."""
        outages.keep_doing(stop, self.deliver_next, log, "sending alerts", LOOK_S)

    def deliver_next(self) -> bool:
        """Make one attempt at a delivery that is due; False where there is none."""
        for org, destination_id in queue.due(self._db):
            with self._alone(org, destination_id) as is_mine:
                if is_mine and (taken := queue.take(self._db, org, destination_id)) is not None:
                    self._attempt(taken)
                    return True
        return False

    @contextmanager
    def _alone(self, org: OrgId, destination_id: str) -> Iterator[bool]:
        """Of this process's threads one sends to a destination, and one is left to other
        organizations: a slow receiver keeps only its own alerts waiting.
        """
        key = org, destination_id
        with self._lock:
            of_org = Counter(org_id for org_id, _ in self._busy)[org]
            is_mine = key not in self._busy and of_org < THREADS - 1
            if is_mine:
                self._busy.add(key)
        try:
            yield is_mine
        finally:
            if is_mine:
                with self._lock:
                    self._busy.discard(key)

    def _attempt(self, taken: queue.Taken) -> None:
        format: Format = "webhook"
        try:
            attempt = self._attempt_at(taken)
            if attempt is None:
                outcome = sending.AttemptOutcome(None, "The alert was deleted.", is_final=True)
            else:
                format = attempt.destination.format
                outcome = self._send(taken, attempt)
        except StationmasterError as fault:
            outcome = sending.AttemptOutcome(None, fault.detail)
        except Exception:  # The job edge: one message never ends the thread.
            log.exception("delivery %s failed", taken.delivery.delivery_id)
            outcome = sending.AttemptOutcome(
                None, "An internal error occurred; the server's log has the details."
            )
        with self._db.transaction() as connection:
            ended = self._note(connection, taken, outcome)
        self._ended(format, ended)

    def _attempt_at(self, taken: queue.Taken) -> _Attempt | None:
        """None where the alert was deleted meanwhile, with the person that it is about."""
        org, delivery = taken.org, taken.delivery
        name = service.organization_name(self._db, org)
        with self._db.reading() as connection:
            alert = store.alert(connection, org, delivery.alert_id)
            if alert is None:
                return None
            destination = destinations.existing(connection, org, delivery.destination_id)
            is_named = delivery.audience == "person" or privacy.within(connection, org).is_named
            person = person_of(connection, org, alert) if is_named else None
            return _Attempt(
                formats.FormattedAlert(
                    shown(alert, person), delivery.event, org, name, self._settings.app_address
                ),
                destination,
                destinations.opened(connection, self._vault, org, destination),
                addresses_of(connection, org, destination, alert, delivery.audience),
            )

    def _send(self, taken: queue.Taken, attempt: _Attempt) -> sending.AttemptOutcome:
        if attempt.destination.format == "mail":
            return self._mail(taken, attempt)
        body = formats.body(attempt.destination.format, attempt.message)
        fields = {}
        if attempt.destination.format == "webhook":
            fields = sending.headers(
                taken.delivery.delivery_id, clock.now_ms() // 1000, body, attempt.keys.secrets
            )
        return sending.post(self._settings, attempt.keys.address, body, fields)

    def _mail(self, taken: queue.Taken, attempt: _Attempt) -> sending.AttemptOutcome:
        if not attempt.recipients:
            return sending.AttemptOutcome(
                None, "None of the recipients has an address.", is_final=True
            )
        subject, text = formats.mail(attempt.message)
        message = smtp.MailMessage(tuple(attempt.recipients), subject, text)
        try:
            smtp.send(self._settings, message, taken.delivery.delivery_id, total_s=_MAIL_S)
        except BadRequest as fault:
            return sending.AttemptOutcome(None, fault.detail, is_final=True)
        return sending.AttemptOutcome(None, None)

    def _note(
        self, connection: Connection, taken: queue.Taken, outcome: sending.AttemptOutcome
    ) -> str:
        """Store what became of an attempt, and what follows; how it ended."""
        org, now = taken.org, clock.now_ms()
        queue.note_attempt(connection, taken, outcome)
        destination = store.destination(connection, org, taken.delivery.destination_id)
        if destination is None:
            return "failed"
        own = destination.destination_id
        if outcome.is_taken:
            queue.finish(connection, taken, "delivered")
            if destination.failing_since is not None:
                store.set_destination(connection, org, own, failing_since=None)
            return "delivered"
        failing_since = min(destination.failing_since or now, now)
        store.set_destination(connection, org, own, failing_since=failing_since)
        if outcome.is_gone:
            self._disable(connection, org, destination, "gone")
            return "failed"
        if outcome.is_final or taken.delivery.attempts > len(WAITS_S):
            queue.finish(connection, taken, "failed")
            if now - failing_since >= FAILING_MS:
                self._disable(connection, org, destination, "failing")
            return "failed"
        wait_s = WAITS_S[taken.delivery.attempts - 1]
        jittered_s = wait_s * (1 + JITTER * secrets.randbelow(1_000) / 1_000)
        queue.wait_until(
            connection, taken, now + round(max(jittered_s, outcome.wait_s or 0) * 1000)
        )
        if outcome.is_busy:
            pause_s = outcome.wait_s or min(max(wait_s, BUSY_S), BUSY_MAX_S)
            queue.postpone(connection, org, own, now + round(pause_s * 1000))
        return "retry"

    def _disable(
        self, connection: Connection, org: OrgId, destination: Destination, reason: str
    ) -> None:
        """Disable a destination, and report it by the other ones and by mail to the owners."""
        if not destination.is_enabled:
            return
        own = destination.destination_id
        destinations.give_up(connection, org, own, reason)
        title = f"Alerts are not sent to {destination.name} any more"
        text = (
            f"The destination {destination.name} is disabled: {REASONS[reason]}. Deliveries that "
            "waited have failed. Correct the address or the receiver, enable the destination and "
            "replay the deliveries."
        )
        raising.raise_alert(
            connection,
            org,
            "destination.disabled",
            f"{own} {clock.now_ms()}",
            title,
            text,
            {"destinationId": own, "reason": reason},
        )
        outbox = Outbox(self._db, self._settings, self._vault)
        owners = access.addresses_of_roles(connection, org, ["owner"])
        if outbox.is_on and owners:
            mail = smtp.MailMessage(
                tuple(owners), title, f"{text}\n\n{self._settings.app_address}/settings/alerts\n"
            )
            outbox.put_within(
                connection, org, mail, expires_at=clock.now_ms() + _NOTICE_MS, by=None
            )
