"""An organization whose alerts reach receivers on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import Vault
from stationmaster.alerts import destinations, store
from stationmaster.alerts.delivering import Deliverer
from stationmaster.alerts.destinations import DestinationForm
from stationmaster.alerts.model import Attempt, Delivery, Destination, Kind
from stationmaster.alerts.raising import raise_alert
from stationmaster.db.engine import Database
from stationmaster.settings import Settings
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.mail_server import MailServer, running_mail_server
from tests.support.receivers import Receiver, running_receiver
from tests.support.servers import settings_for

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Office:
    """An organization with an owner, and the deliverer of one process. Its clock stands still."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self.db = db
        self.settings = settings
        self.vault = Vault(b"k" * 32)
        self.org = an_organization(db)
        self.owner: Caller = a_caller(
            db, self.org, a_member(db, self.org, "owner@example.com", "owner")
        )
        self.ended: list[tuple[str, str]] = []
        self.deliverer = self.another_deliverer()

    def another_deliverer(self) -> Deliverer:
        return Deliverer(
            self.db, self.settings, self.vault, lambda *outcome: self.ended.append(outcome)
        )

    def add(self, **fields: Any) -> tuple[Destination, Secret | None]:
        wanted = DestinationForm(**{"name": "hook", "format": "webhook"} | fields)
        return destinations.add(self.db, self.settings, self.vault, self.owner, wanted)

    def destination(self, destination_id: str) -> Destination:
        return destinations.get(self.db, self.org, destination_id)

    def raised(self, key: str = "k", kind: Kind = "limit.threshold", **more: Any) -> None:
        fields = {"title": "80 % used", "body": "Of 5 dollars.", "data": {}} | more
        with self.db.transaction() as connection:
            assert raise_alert(connection, self.org, kind, key, **fields)

    def deliver(self) -> int:
        """Make all attempts that are due; how many there were."""
        count = 0
        while self.deliverer.deliver_next():
            count += 1
        return count

    def deliveries(self) -> list[Delivery]:
        """Oldest first."""
        found = store.deliveries_page(
            self.db,
            self.org,
            limit=100,
            before=None,
            destination_id=None,
            alert_id=None,
            state=None,
        )
        return found[::-1]

    def attempts(self) -> list[Attempt]:
        """Of the only delivery."""
        [delivery] = self.deliveries()
        return store.attempts(self.db, self.org, delivery.delivery_id)

    def later(self, **time: float) -> None:
        clock.freeze(datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(**time))


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as made:
        yield made


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with running_mail_server() as made:
        yield made


@pytest.fixture
def office(db: Database, tmp_path: Path, receiver: Receiver, mail_server: MailServer) -> Office:
    settings = settings_for(
        tmp_path,
        "sqlite",
        alerts_private_hosts=receiver.place,
        alerts_http_hosts=receiver.place,
        smtp_host="127.0.0.1",
        smtp_port=mail_server.port,
        smtp_security="none",
        smtp_from="stationmaster@example.com",
        app_url="https://agents.example",
    )
    return Office(db, settings)
