"""The organization that sliced reads are measured on: 90 days of 730 people, rolled up.

Some 490 of them are active a day, in sessions of 30 events, in 200 repositories and 12 teams.
Every value is a hash of the row's number, so the same rows come every time.
"""

from __future__ import annotations

from datetime import date, timedelta

import duckdb
import pyarrow as pa

from benchmarks import lakes
from benchmarks.serve_data import LAST
from stationmaster import days
from stationmaster.access import service
from stationmaster.aggregate.day import roll_up
from stationmaster.cli import folder
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

DAYS = 90
PEOPLE, REPOSITORIES, TEAMS = 730, 200, 12
EVENTS_PER_SESSION = 30
_DAY = """INSERT INTO lake_days (org_id, day, landed, rolled) VALUES (?, ?, 1, 0)
ON CONFLICT DO NOTHING"""
_KIND = """case
  when h % 100 < 40 then 'model_call'
  when h % 100 < 75 then 'tool_call'
  when h % 100 < 82 then 'user_message'
  when h % 100 < 90 then 'file_change'
  when h % 100 < 93 then 'hook'
  when h % 100 < 95 then 'skill'
  when h % 100 < 96 then 'slash_command'
  when h % 100 < 97 then 'git_commit'
  when h % 100 < 98 then 'model_error'
  else 'mode_change'
end"""
_ERRORS = "['rate_limited', 'overloaded', 'server', 'connection', 'aborted']"
_COLUMNS = lakes.COLUMNS | {
    "repo": "'git.example/acme/repo-' || (hash(s, 7) % {repositories})",
    "team": "'team-' || (u % {teams})",
    "branch": "case when s % 3 = 0 then 'main' else 'work/' || (hash(s, 8) % 40) end",
    "error_class": f"case when kind = 'model_error' then {_ERRORS}[1 + g % 5] end",
    "lines_added": "case when kind = 'file_change' then h % 90 end",
    "lines_removed": "case when kind = 'file_change' then g % 40 end",
}


def build(settings: Settings, events: int, *, last: date = LAST) -> tuple[str, OrgId]:
    """Fill a fresh installation with so many events a day; the owner's key, the organization."""
    folder.make(settings)
    db = Database.open(settings.state_url)
    db.migrate()
    org = service.create_organization(db, "sliced")
    owner = service.add_member(db, org, "owner@sliced.example", "owner")
    key = service.create_key(db, org, owner, name="bench")[1].reveal()
    for n in reversed(range(DAYS)):
        day = last - timedelta(days=n)
        _write(settings, org, day, events)
        db.write(_DAY, [(org, day.isoformat())])
        roll_up(db, settings, org, day)
    db.close()
    return key, org


def _write(settings: Settings, org: OrgId, day: date, events: int) -> None:
    with duckdb.connect(config={"threads": 2}) as connection:
        rows: pa.Table = connection.sql(_query(day, events)).to_arrow_table()
    Lake.open(settings).write(org, day, "bench", [rows.cast(SCHEMA)])


def _query(day: date, events: int) -> str:
    first = day.toordinal() * 10**9
    sessions = max(1, events // EVENTS_PER_SESSION)
    ts = f"{days.start_ms(day)} + ((n - {first}) * 86000000) // {events}"
    columns = {**_COLUMNS, "ts": ts}
    places = {"repositories": REPOSITORIES, "teams": TEAMS}
    listed = ",\n".join(
        f"cast({columns.get(field.name, 'null').format_map(places)} as"
        f" {lakes.TYPES[field.type]}) as {field.name}"
        for field in SCHEMA
    )
    return f"""
    with numbered as (
      select n, cast(hash(n, 3) >> 2 as bigint) as h, cast(hash(n, 4) >> 2 as bigint) as g,
        {first} + (n - {first}) // {EVENTS_PER_SESSION * 50} * 50
        + least(cast(hash(n, 5) % 50 as bigint), {sessions}) as s
      from range({first}, {first + events}) as t(n)
    ),
    placed as (
      select *, cast(hash(s, 6) % {PEOPLE} as bigint) as u, md5(s::varchar) || s as session,
        {_KIND} as kind
      from numbered
    )
    select {listed} from placed order by n"""
