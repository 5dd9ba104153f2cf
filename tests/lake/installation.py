"""An inbox, a state database and a lake of one test, on either kind of database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.lake import inbox as inboxes
from stationmaster.lake.mover import Mover
from stationmaster.lake.rows import Delivery
from stationmaster.lake.schema import event_id
from stationmaster.lake.storage import Lake, Part
from stationmaster.settings import Settings
from tests.support.builders import an_event
from tests.support.patience import PATIENCE_S

NOON = {
    date(2026, 11, 19): 1_795_089_600_000,
    date(2026, 11, 20): 1_795_176_000_000,
}


@dataclass
class Installation:
    settings: Settings
    state: Database
    inbox: Database

    @classmethod
    def open(cls, data_dir: Path, state_url: str) -> Installation:
        """On SQLite the state is at `data_dir/state.sqlite3`, where the fixture puts it."""
        is_sqlite = state_url.startswith("sqlite")
        settings = Settings(data_dir=data_dir, database_url=None if is_sqlite else state_url)
        return cls(settings, Database.open(state_url), inboxes.open_database(settings))

    def mover(self) -> Mover:
        return Mover(self.inbox, self.state, self.settings)

    def fill(self, *deliveries: Delivery, backlog_max: int = 2**30) -> None:
        """Append and wait until everything is durable."""
        writer = inboxes.Inbox(inboxes.open_database(self.settings), backlog_max)
        futures = [writer.append(delivery) for delivery in deliveries]
        writer.close()
        for future in futures:
            future.result(timeout=PATIENCE_S)

    def lake_ids(self, org: str, day: date) -> list[str]:
        """Every event id in the parts of a day, sorted, with repetitions."""
        lake = Lake.open(self.settings)
        found = []
        for part in lake.parts(org, day):
            with lake.reading(part) as file:
                table = pq.ParquetFile(file).read(["event_id_hi", "event_id_lo"])
            found += [event_id(r["event_id_hi"], r["event_id_lo"]) for r in table.to_pylist()]
        return sorted(found)

    def parts(self, org: str, day: date) -> list[Part]:
        return Lake.open(self.settings).parts(org, day)

    def outcomes(self) -> list[tuple[Any, ...]]:
        return sorted(
            self.state.rows("SELECT org_id, product, source, outcome, count FROM intake_counts")
        )

    def landed(self) -> list[tuple[Any, ...]]:
        return sorted(self.state.rows("SELECT org_id, day, landed, rolled FROM lake_days"))

    def waiting(self) -> int:
        return int(self.inbox.rows("SELECT count(*) FROM inbox")[0][0])

    def close(self) -> None:
        self.state.close()
        self.inbox.close()


def a_delivery(org: str = "org_a", events: int = 3, **fields: Any) -> Delivery:
    """Some model calls of Claude Code, counted as kept."""
    made: list[Event] = [an_event(**fields) for _ in range(events)]
    return Delivery(org, made, {("claude-code", "otlp_logs", "kept"): events})
