"""The local data folder as a destination: the same checks as over HTTP, without HTTP."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import cast

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.agents.interface import Intake
from stationmaster.cli import folder
from stationmaster.client import machine
from stationmaster.client.server import EVENTS_PATH
from stationmaster.errors import OperatorError
from stationmaster.events.model import Event
from stationmaster.ingest import delivery
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.rows import Delivery
from stationmaster.settings import Settings

_WAITING_MAX = 64


class LocalSink:
    """Commits to the inbox of a data folder in the name of the organization's owner.

    Nothing else needs to run; a server or worker on the same folder picks it up.
    """

    def __init__(self, settings: Settings, org: str | None) -> None:
        with folder.tenant(settings, org) as (db, org_id):
            self._caller = operator.owner(db, org_id)
        self._machine = machine.of(settings.client_dir)
        self._person_attributes = settings.person_attribute_names
        self._body_max = settings.request_body_max
        self._inbox = Inbox.open(settings)
        self._waiting: deque[Future[None]] = deque()

    def deliver(self, product: str, intake: Intake) -> None:
        """Durable when it returns."""
        drops = {(product, "transcript", reason): n for reason, n in intake.drops.items()}
        self._append(self._prepared(intake.events, drops)).result()

    def post_events(self, lines: bytes) -> None:
        """Durable when it returns. Raises OperatorError for events that cannot be."""
        self.post(EVENTS_PATH, lines, "application/x-ndjson")
        self._waiting.pop().result()

    def post(self, path: str, body: bytes, content_type: str) -> None:
        """One request body, as the server would take it; durable once `close` has returned.

        Raises BadRequest and its kind for a body that does not decode.
        """
        from stationmaster.ingest import events, otlp, signals

        signal = path.rpartition("/")[2]
        if signal == "events":
            submitted = events.decode(content_type, None, body, body_max=self._body_max)
            if submitted.errors:
                first = submitted.errors[0]
                raise OperatorError(f"event {first.index}: {first.error}", code="bad_event")
            prepared = self._prepared(submitted.events, submitted.drops)
        else:
            now = clock.now_ms()
            decoded = otlp.decode(
                cast(signals.Signal, signal),
                content_type,
                None,
                body,
                received_ms=now,
                body_max=self._body_max,
                person_attributes=self._person_attributes,
            )
            prepared = self._prepared(decoded.events, decoded.drops)
        self._waiting.append(self._append(prepared))
        if len(self._waiting) > _WAITING_MAX:
            self._waiting.popleft().result()

    def close(self) -> None:
        """Wait for everything that was posted, then release the folder."""
        try:
            while self._waiting:
                self._waiting.popleft().result()
        finally:
            self._inbox.close()

    def _prepared(self, accepted: list[Event], drops: dict[tuple[str, str, str], int]) -> Delivery:
        return delivery.prepare(
            self._caller, accepted, drops, received_ms=clock.now_ms(), machine=self._machine
        )

    def _append(self, prepared: Delivery) -> Future[None]:
        return self._inbox.append(prepared)
