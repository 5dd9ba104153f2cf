"""A person is erased: no byte of what is stored names them, whatever dies on the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from stationmaster import clock, ids
from stationmaster.access import aliases, audit, service
from stationmaster.access.aliases import AliasStatement
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.aggregate import packing, retention, schedule, slices
from stationmaster.alerts.mail.message import MailMessage
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.computers.model import Registration
from stationmaster.computers.service import register
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake import integrity
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads
from stationmaster.lake.rollups.coverage import Comparison, Coverage, SessionCoverage
from stationmaster.lake.rows import Delivery, Sender, decode_events
from stationmaster.lake.storage import Lake
from stationmaster.people import erasing, erasure
from stationmaster.people.erasure import Erasure, Reports
from tests.support import databases
from tests.support.builders import a_caller, a_key, a_member, an_event, an_organization
from tests.support.deaths import Died, Fate
from tests.support.servers import settings_for

pytestmark = pytest.mark.attack

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
            aliases.say(connection, self.org, old, AliasStatement(self.eve.user_id, EMAIL))
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


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Iterator[Place]:
    made = Place(database_url, tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("reports", ["restate", "anonymise"])
def test_no_byte_names_a_person_who_was_erased(place: Place, reports: Reports) -> None:
    assert sorted(place.traces()) == sorted(place.marks())
    before = place.tokens()
    assert before == dict.fromkeys(before, 3000)
    place.send(*place._day(SECOND), sender=place.eve.user_id)

    asked = place.request(reports)
    place.send(*place._day(SECOND))
    place.erase(asked)

    assert place.traces() == {}
    done = erasure.get(place.db, place.org, asked.erasure_id)
    assert done.finished_at == clock.now_ms()
    assert done.events == 6
    after = place.tokens()
    # Of a day without events nothing is counted again: its figures stay, under no name.
    assert after.pop(CLOSED) == 3_000
    # What came while the person was being erased is Steve's alone.
    first, second = (1_000, 3_000) if reports == "restate" else (3_000, 5_000)
    assert (after[FIRST], after[SECOND]) == (first, second)
    assert integrity.check_all(place.db, Lake.open(place.settings)).faults == []


@pytest.mark.slow
def test_an_erasure_that_dies_at_any_step_ends_as_if_it_had_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = place.request("restate")
    fate, deaths = Fate(), 0
    fate.around_transactions(monkeypatch)
    for name in ("write", "delete"):
        fate.around(monkeypatch, Lake, name)
    while True:
        # Further each time, so that each part of the work is the last one of some attempt.
        fate.left = 1 + 3 * deaths
        try:
            place.erase(asked)
            break
        except Died:
            deaths += 1
            fate.left = 0
            half = place.tokens()
            assert set(half.values()) <= {3_000, 1_000}, deaths
    fate.left = 0

    assert deaths > 12
    assert place.traces() == {}
    assert place.tokens() == {CLOSED: 3_000, FIRST: 1_000, SECOND: 1_000}


def test_a_count_beside_an_erasure_sees_the_day_before_or_after_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two batches are rewritten one by one, and change places together."""
    place.send(*place._day(FIRST))
    place.mover.drain()
    place.roll_up()
    assert place.tokens()[FIRST] == 6_000
    seen: list[int] = []
    write = Lake.write
    mark = f"UPDATE lake_days SET landed = landed + 1 WHERE day = '{FIRST}'"

    def counting(lake: Lake, *given: Any) -> Any:
        with place.db.transaction() as connection:
            connection.exec_driver_sql(mark)
        place.roll_up()
        seen.append(place.tokens()[FIRST])
        written = write(lake, *given)
        with place.db.transaction() as connection:
            connection.exec_driver_sql(mark)
        place.roll_up()
        seen.append(place.tokens()[FIRST])
        return written

    monkeypatch.setattr(Lake, "write", counting)
    place.erase(place.request("anonymise"))

    assert set(seen) == {6_000}
    assert place.tokens()[FIRST] == 6_000


def test_what_arrives_later_for_an_erased_address_is_not_stored(place: Place) -> None:
    place.erase(place.request("restate"))

    place.send(*place._day(SECOND))
    place.mover.drain()
    place.roll_up()

    assert place.traces() == {}
    outcomes = dict(place.db.rows("SELECT outcome, sum(count) FROM intake_counts GROUP BY 1"))
    assert outcomes["erased_person"] == 2

    service.invite_member(place.db, place.org, EMAIL, "member", by=place.owner)
    place.send(*place._day(SECOND))
    place.mover.drain()
    assert EMAIL in place.traces()


def test_mail_to_an_erased_person_is_deleted_and_mail_to_others_waits(place: Place) -> None:
    assert "waiting mail" in place.traces()[EMAIL]

    place.erase(place.request("restate"))

    [(org, mail_id, sealed)] = place.db.rows("SELECT org_id, mail_id, sealed FROM outgoing_mail")
    message = place.vault.unseal(bytes(sealed), f"mail {org} {mail_id}").reveal()
    assert msgspec.json.decode(message)["recipients"] == [OTHER]


def test_mail_that_does_not_open_is_deleted(place: Place) -> None:
    with place.db.transaction() as connection:
        connection.exec_driver_sql("UPDATE outgoing_mail SET mail_id = 'x' || mail_id")

    place.erase(place.request("restate"))

    assert place.db.rows("SELECT mail_id FROM outgoing_mail") == []


def test_sessions_of_closed_days_lose_their_ids_person_by_person(place: Place) -> None:
    """The second erasure, too, knows which ids are the person's."""
    key = (place.org, CLOSED.isoformat())
    place.erase(place.request("restate"))
    steve = erasure.request(place.db, place.org, OTHER, "restate", by=place.owner)
    place.erase(steve)

    ids_left = {
        session
        for (session,) in place.db.rows(
            "SELECT session_id FROM session_days WHERE org_id = ? AND day = ?", *key
        )
    }
    [(worst,)] = place.db.rows(
        "SELECT worst FROM source_comparisons WHERE org_id = ? AND day = ?", *key
    )
    compared = {session for session, _, _ in msgspec.json.decode(worst)}
    assert len(ids_left) == 3
    assert compared == ids_left
    assert not any("eve-" in session for session in ids_left | compared)


def test_access_ends_with_the_request(place: Place) -> None:
    assert place.db.rows(
        "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND principal_id = ?", place.eve.user_id
    )
    place.request("restate")
    assert not place.db.rows(
        "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND principal_id = ?", place.eve.user_id
    )


def test_the_audit_log_stays_without_the_name(place: Place) -> None:
    before = audit.page(place.db, place.org, limit=100)
    place.erase(place.request("restate"))

    records = audit.page(place.db, place.org, limit=100)
    events = [record.event_type for record in records]
    assert len(records) == len(before) + 3
    assert {"person_erasure_requested", "person_erased"} <= set(events)
    changed = next(r for r in records if r.event_type == "member_role_changed")
    assert changed.actor is not None
    assert (changed.actor.email, changed.actor.id) == ("erased person", "erased person")


def test_the_last_owner_managers_and_strangers_are_refused(place: Place) -> None:
    with pytest.raises(Conflict):
        erasure.request(place.db, place.org, "own@example.com", "restate", by=place.owner)
    manager = a_caller(place.db, place.org, place.eve)
    with pytest.raises(Forbidden):
        erasure.request(place.db, place.org, EMAIL, "restate", by=manager)
    with pytest.raises(NotFound):
        erasure.request(place.db, place.org, "nobody@example.com", "restate", by=place.owner)


def test_a_changed_part_stops_an_erasure_until_it_is_restored(place: Place) -> None:
    part = Path(Lake.open(place.settings).parts(place.org, FIRST)[0].path)
    whole = part.read_bytes()
    part.write_bytes(whole[:-3])
    asked = place.request("restate")
    with pytest.raises(DamagedParts):
        place.erase(asked)

    part.write_bytes(whole)
    place.erase(asked)

    assert place.traces() == {}


def test_two_people_with_similar_addresses_are_two(place: Place) -> None:
    place.erase(place.request("restate"))
    emails = [OTHER.encode() in body for _, body in place.everything()]
    assert any(emails)
