from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from stationmaster import clock
from stationmaster.access import reads
from stationmaster.access.authenticate import LastUse, authenticate
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import KeyId, OrgId
from tests.support.builders import a_key, a_member, an_organization
from tests.support.databases import sqlite_url

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOON_MS = 1_795_262_400_000


def used_at(db: Database, org: OrgId) -> list[int | None]:
    return [key.last_used_at for key in reads.list_keys(db, org)]


def at(seconds: int) -> None:
    clock.freeze(NOON + timedelta(seconds=seconds))


def a_caller(db: Database) -> Caller:
    org = an_organization(db)
    return authenticate(db, a_key(db, org, a_member(db, org)))


def test_the_latest_use_is_written_by_flush(db: Database) -> None:
    caller, last_use = a_caller(db), LastUse()
    for second in (0, 5, 9):
        at(second)
        last_use.note(caller)
    assert used_at(db, caller.org_id) == [None]
    last_use.flush(db)
    assert used_at(db, caller.org_id) == [NOON_MS + 9_000]


def test_a_key_is_written_at_most_once_a_minute_and_nothing_is_forgotten(db: Database) -> None:
    caller, last_use = a_caller(db), LastUse()
    seen = []
    for second in (0, 10, 59, 60, 61, 119, 120):
        at(second)
        last_use.note(caller)
        last_use.flush(db)
        seen += used_at(db, caller.org_id)
    assert [(ms or 0) - NOON_MS for ms in seen] == [0, 0, 0, 60_000, 60_000, 60_000, 120_000]


def test_an_older_use_noted_by_another_process_does_not_win(db: Database) -> None:
    caller, early, late = a_caller(db), LastUse(), LastUse()
    at(0)
    early.note(caller)
    at(30)
    late.note(caller)
    late.flush(db)
    early.flush(db)
    assert used_at(db, caller.org_id) == [NOON_MS + 30_000]


def test_only_the_key_that_was_used_is_touched(db: Database) -> None:
    caller = a_caller(db)
    a_key(db, caller.org_id, reads.list_members(db, caller.org_id)[0])
    bystander = a_caller(db)
    last_use = LastUse()
    at(0)
    last_use.note(caller)
    last_use.flush(db)
    keys = {key.key_id: key.last_used_at for key in reads.list_keys(db, caller.org_id)}
    assert keys.pop(caller.key_id) == NOON_MS
    assert list(keys.values()) == [None]
    assert used_at(db, bystander.org_id) == [None]


def test_a_use_is_kept_while_storage_fails(db: Database, tmp_path: Path) -> None:
    caller, last_use = a_caller(db), LastUse()
    at(0)
    last_use.note(caller)
    (tmp_path / "folder").mkdir()
    broken = Database.open(sqlite_url(tmp_path / "folder"))
    with pytest.raises(Unavailable):
        last_use.flush(broken)
    broken.close()
    last_use.flush(db)
    assert used_at(db, caller.org_id) == [NOON_MS]


def test_a_flush_with_nothing_noted_does_not_touch_storage(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    broken = Database.open(sqlite_url(tmp_path / "folder"))
    LastUse().flush(broken)
    broken.close()


def test_the_operator_and_an_issuers_token_leave_no_note(db: Database) -> None:
    caller, last_use = a_caller(db), LastUse()
    for other in ("local", "oidc_x", "link"):
        last_use.note(msgspec.structs.replace(caller, key_id=KeyId(other)))
    assert last_use._noted == {}
