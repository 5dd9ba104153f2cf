from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from stationmaster import clock, days
from stationmaster.access import service
from stationmaster.aggregate import schedule
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.lake.rows import Delivery
from stationmaster.rollups import reads
from stationmaster.settings import Settings
from tests.support.builders import an_event

FIRST = date(2026, 11, 18)
SECOND = FIRST + timedelta(days=1)
MIDNIGHT = days.start_ms(SECOND)


def test_an_event_that_two_sources_time_around_midnight_counts_on_the_earlier_day(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)
    early = {"event_id": "0" * 31 + "1", "ts": MIDNIGHT - 2_000, "source": "transcript"}
    late = {**early, "ts": MIDNIGHT + 2_000, "source": "otlp_logs"}

    installation.take(late)

    assert installation.calls() == {FIRST: 0, SECOND: 1}
    installation.take(early)
    assert installation.calls() == {FIRST: 1, SECOND: 0}
    installation.take(late)
    assert installation.calls() == {FIRST: 1, SECOND: 0}


def test_an_id_of_the_middle_of_the_day_before_is_another_matter(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)

    installation.take({"event_id": "0" * 31 + "1", "ts": MIDNIGHT - 43_200_000})
    installation.take({"event_id": "0" * 31 + "2", "ts": MIDNIGHT + 2_000})

    assert installation.calls() == {FIRST: 1, SECOND: 1}


class Installation:
    """An organization, its inbox and its lake, on a day when the two days are closed."""

    def __init__(self, db: Database, folder: Path) -> None:
        clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
        self._db = db
        self._settings = Settings(data_dir=folder)
        self._org: OrgId = service.create_organization(db, "acme")

    def take(self, fields: dict[str, object]) -> None:
        inbox = Inbox.open(self._settings)
        event = an_event(**{"model": "gpt-5", "input_tokens": 1, "user_id": "user_a", **fields})
        inbox.append(Delivery(self._org, [event], {})).result(10)
        Mover(inbox.database, self._db, self._settings).drain()
        inbox.close()

    def calls(self) -> dict[date, int]:
        schedule.roll_up_due(self._db, self._settings, self._org)
        found = {
            document.day: document.body.count(b'"model_id":"gpt-5"')
            for document in reads.documents(self._db, self._org, "tokens", FIRST, SECOND)
        }
        return {day: min(found.get(day, 0), 1) for day in (FIRST, SECOND)}
