"""An organization in which a person has left traces everywhere, and a search for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq

from stationmaster import clock, ids
from stationmaster.access import aliases, service
from stationmaster.access.aliases import AliasStatement
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.aggregate import packing, retention, schedule, slices
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.alerts.mail.smtp import MailMessage
from stationmaster.computers.model import Registration
from stationmaster.computers.service import register
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads
from stationmaster.lake.rollups.coverage import Comparison, Coverage, SessionCoverage
from stationmaster.lake.rows import Delivery, Sender, decode_events
from stationmaster.people import erasing, erasure
from stationmaster.people.erasure import Erasure, Reports
from tests.support import databases
from tests.support.builders import a_caller, a_key, a_member, an_event, an_organization
from tests.support.servers import settings_for

TODAY = date(2026, 11, 21)
CLOSED, FIRST, SECOND = (TODAY - timedelta(days=n) for n in (5, 2, 1))
EMAIL, OTHER = "eve.adams@example.com", "steve.adams@example.com"
LAPTOP = "eve-laptop-0451"


class Place:
    """An organization of an owner, of Eve, who has left traces everywhere, and of Steve."""

    def __init__(self, database_url: str, folder: Path) -> None:
        clock.freeze(datetime(2026, 11, 17, 12, tzinfo=UTC))
        self.url = database_url
        self.settings = settings_for(folder, database_url)
        databases.prepare_sqlite(self.settings)
        self.db = Database.open(self.settings.state_url)
        self.org: OrgId = an_organization(self.db)
        self.owner: Caller = a_caller(
            self.db, self.org, a_member(self.db, self.org, "own@example.com", "owner")
        )
        self.eve = a_member(self.db, self.org, EMAIL, "manager")
        self.laptop = ids.user_of_installation(self.org, "codex", LAPTOP)
        self.inbox = Inbox.open(self.settings)
        self.mover = Mover(self.inbox.database, self.db, self.settings)
        self.vault = Vault.open(self.settings)
        self.outbox = Outbox(self.db, self.settings, self.vault)
        self._traces()
        for day in (CLOSED, FIRST, SECOND, TODAY):
            self.send(*self._day(day))
            self.mover.drain()
            if day == CLOSED:
                self._close()
        clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
        self.roll_up()

    def _close(self) -> None:
        """Erase the events of the first day by policy; its figures stay."""
        clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
        self.roll_up()
        self._compare(CLOSED)
        config = msgspec.structs.replace(self.settings, raw_events_days=3)
        assert retention.enforce(self.db, self.inbox, config)

    def _compare(self, day: date) -> None:
        """What sources reported of every session of a day."""
        of_day = (self.org, day.isoformat())
        rows = self.db.rows(
            "SELECT session_id FROM session_days WHERE org_id = ? AND day = ?", *of_day
        )
        worst = [SessionCoverage(session, 2, 1) for (session,) in rows]
        compared = Comparison("codex", "otlp_logs", "tokens", 3, 3, 6, 3, 3, 0, worst)
        with self.db.transaction() as connection:
            Coverage([], [compared]).replace(connection, self.org, day)

    def _day(self, day: date) -> list[Event]:
        noon = 1_795_176_000_000 + (day - date(2026, 11, 20)).days * 86_400_000
        by = {"ts": noon, "input_tokens": 1_000, "model": "m"}
        eve = by | {"user_id": self.eve.user_id, "user_source": "email", "user_email": EMAIL}
        eve |= {"installation": LAPTOP, "product": "codex", "branch": "eve/fix"}
        quiet = by | {"user_id": self.laptop, "user_source": "installation", "product": "codex"}
        steve = {"user_id": ids.user_of_email(self.org, OTHER), "user_source": "email"}
        steve |= {"user_email": OTHER}
        return [
            an_event(**eve, session_id=f"eve-session-{day}", commit_sha="feedc0de"),
            an_event(**quiet, installation=LAPTOP, session_id=f"eve-quiet-{day}"),
            an_event(**by, **steve, session_id=f"steve-session-{day}"),
        ]

    def _traces(self) -> None:
        caller = a_caller(self.db, self.org, self.eve)
        a_key(self.db, self.org, self.eve)
        service.make_link(self.db, self.org, self.eve.user_id, by=self.owner)
        a_member(self.db, self.org, "new@example.com")
        service.set_role(
            self.db, self.org, ids.user_of_email(self.org, "new@example.com"), "guest", by=caller
        )
        machine = Registration(name="eves", remote_user="eve", hostname="eve-host-0451")
        register(self.db, caller, machine)
        for email in (EMAIL, OTHER):
            message = MailMessage((email,), "Join", f"Choose a password for\n{email}\nhere.")
            self.outbox.put(self.org, message, expires_at=clock.now_ms() + 10**9, by=caller)
        with self.db.transaction() as connection:
            old = ids.user_of_email(self.org, "eve@old.example")
            aliases.decide(connection, self.org, old, AliasStatement(self.eve.user_id, EMAIL))
            insert = "INSERT INTO credit_limits (org_id, principal_id, credits) VALUES "
            connection.exec_driver_sql(f"{insert} ('{self.org}', '{self.eve.user_id}', 9000000)")

    def send(self, *events: Event, sender: str = "") -> None:
        tally = {("codex", "otlp_logs", "kept"): len(events)}
        by = Sender(sender, LAPTOP if sender else "")
        self.inbox.append(Delivery(self.org, list(events), tally, by)).result(10)

    def roll_up(self) -> None:
        schedule.roll_up_due(self.db, self.settings, self.org)

    def request(self, reports: Reports) -> Erasure:
        return erasure.request(self.db, self.org, EMAIL, reports, by=self.owner)

    def erase(self, found: Erasure) -> None:
        """What the job does."""
        stores = erasing.Stores(
            self.db, self.inbox.database, self.mover, self.outbox, self.settings
        )
        erasing.erase(stores, self.org, found.erasure_id, lambda _: None)

    def tokens(self) -> dict[date, int]:
        return {
            document.day: msgspec.json.decode(document.body)["input_tokens"]
            for document in reads.documents(self.db, self.org, "tokens", CLOSED, SECOND)
            if document.day in (CLOSED, FIRST, SECOND)
        }

    def marks(self) -> list[str]:
        """All that names Eve."""
        machine = ids.machine_of(self.org, LAPTOP)
        old = ids.user_of_email(self.org, "eve@old.example")
        return [
            *(EMAIL, self.eve.user_id, self.laptop, LAPTOP, machine, old),
            *("eve-host-0451", "eve-session", "eve-quiet", "eve/fix", "feedc0de"),
        ]

    def traces(self) -> dict[str, list[str]]:
        """Where any byte names Eve: by mark, the files, parts, tables and bodies."""
        found: dict[str, list[str]] = {}
        for where, body in self.everything():
            # Who has this address is another person.
            body = body.replace(OTHER.encode(), b"").replace(b"steve-session", b"")
            for mark in self.marks():
                if mark.encode() in body:
                    found.setdefault(mark, []).append(where)
        return found

    def everything(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self.settings.data_dir.rglob("*")):
            if path.is_file():
                yield path.name, path.read_bytes()
            if path.suffix == ".parquet":
                yield f"{path.name} decoded", repr(pq.ParquetFile(path).read().to_pylist()).encode()
        for database in {id(each): each for each in (self.db, self.inbox.database)}.values():
            for table, row in rows_of(database):
                yield table, repr(row).encode()
                for value in row:
                    if isinstance(value, bytes | memoryview):
                        yield f"{table} body", decoded(table, bytes(value))
                if table == "outgoing_mail":
                    org, mail_id, sealed, *_ = row
                    yield (
                        "waiting mail",
                        self.vault.unseal(sealed, f"mail {org} {mail_id}").reveal().encode(),
                    )

    def close(self) -> None:
        self.inbox.close()
        self.db.close()


def rows_of(database: Database) -> Iterator[tuple[str, tuple[Any, ...]]]:
    names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if database.dialect == "postgresql":
        names = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    for (name,) in database.rows(names):
        with suppress(sqlite3.Error):
            for row in database.rows(f'SELECT * FROM "{name}"'):
                yield name, tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)


def decoded(table: str, body: bytes) -> bytes:
    """What is compressed within a body."""
    if table == "day_slices":
        found = slices.unpack(body)
        return repr([found.whole(name).to_pylist() for name in slices.SCHEMAS]).encode()
    if table == "day_facts":
        streams = packing.unpack(body).values()
        return repr([packing.read(stream).to_pylist() for stream in streams]).encode()
    if table == "inbox":
        with suppress(ValueError):
            return repr(decode_events(body)).encode()
    return body
