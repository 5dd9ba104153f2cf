"""Local days made of the hours of UTC days, against the calendar of each zone."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import pytest

from stationmaster import clock, days
from stationmaster.access import privacy as policies, time_zone
from stationmaster.access.model import Caller
from stationmaster.analytics import privacy, queries, reports
from stationmaster.analytics.days import local_days
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from tests.aggregate.lakes import event, rolled_up, settings
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.databases import sqlite_url

TOKYO, KOLKATA = ZoneInfo("Asia/Tokyo"), ZoneInfo("Asia/Kolkata")
SAN_FRANCISCO, SYDNEY = ZoneInfo("America/Los_Angeles"), ZoneInfo("Australia/Sydney")


def _hours(zone: ZoneInfo, local: date) -> list[datetime]:
    """The UTC hours of a local day."""
    asked = local_days.utc_days(zone, DayRange(local, local))
    return [
        datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
        for day in days.span(asked.first, asked.last)
        for hour in sorted(local_days.hours(zone, day).get(local, ()))
    ]


@pytest.mark.parametrize("zone", [TOKYO, SAN_FRANCISCO, SYDNEY, ZoneInfo("UTC")], ids=str)
def test_every_hour_of_a_year_is_on_the_day_that_the_calendar_says(zone: ZoneInfo) -> None:
    for offset in range(366 * 24):
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=offset)
        local = at.astimezone(zone)
        assert local_days.local_day(zone, at.date(), at.hour) == local.date()


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (TOKYO, date(2026, 11, 10), 24),
        (SAN_FRANCISCO, date(2026, 3, 8), 23),
        (SAN_FRANCISCO, date(2026, 11, 1), 25),
        (SYDNEY, date(2026, 10, 4), 23),
        (SYDNEY, date(2026, 4, 5), 25),
        (KOLKATA, date(2026, 11, 10), 24),
    ],
    ids=str,
)
def test_a_day_has_the_hours_between_two_midnights(zone: ZoneInfo, day: date, hours: int) -> None:
    found = _hours(zone, day)
    assert len(found) == hours
    assert found == [found[0] + timedelta(hours=n) for n in range(hours)]
    early = datetime(day.year, day.month, day.day, tzinfo=zone) - found[0]
    assert early == (timedelta(minutes=30) if zone is KOLKATA else timedelta())


def test_a_day_is_over_when_the_utc_days_of_all_its_hours_are() -> None:
    today = date(2026, 11, 21)
    assert local_days.last_closed(ZoneInfo("UTC"), today) == date(2026, 11, 20)
    # Until 9 o'clock in Tokyo it is still yesterday in UTC.
    assert local_days.last_closed(TOKYO, today) == date(2026, 11, 20)
    assert local_days.last_closed(SAN_FRANCISCO, today) == date(2026, 11, 19)
    assert local_days.last_closed(KOLKATA, today) == date(2026, 11, 20)


class Recorded(NamedTuple):
    db: Database
    org: OrgId
    owner: Caller
    at: list[int]
    """Times of the calls, in Unix milliseconds; the number of tokens of each is its place."""

    def spend(self, report: str = "cache", **given: str) -> dict[str, Any]:
        zone = local_days.zone_of(self.db, self.org)
        dates = {"startDate": "2026-10-01", "endDate": "2026-11-20"}
        asked = queries.parse(
            self.org,
            report,  # type: ignore[arg-type]  # a report on facts
            dates | given,
            today=clock.today(),
            days_max=400,
            zone=zone,
        )
        found = reports.find(self.db, privacy.judged(self.db, asked))
        answer: dict[str, Any] = msgspec.json.decode(b"".join(reports.envelope(self.db, found)))
        return answer

    def by_day(self, zone: str, shift: timedelta = timedelta()) -> dict[str, int]:
        """The tokens of each local day, by the calendar of the zone."""
        found: Counter[str] = Counter()
        for tokens, at in enumerate(self.at, 1):
            local = datetime.fromtimestamp(at / 1000, ZoneInfo(zone)) + shift
            found[str(local.date())] += tokens
        return found


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Recorded]:
    """Calls every 47 minutes around the days on which clocks change in Sydney and San Francisco."""
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
    folder = tmp_path_factory.mktemp("local")
    shutil.copyfile(sqlite_template, folder / "state.sqlite3")
    config, db = settings(folder), Database.open(sqlite_url(folder / "state.sqlite3"))
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    times: list[int] = []
    for first in (date(2026, 10, 3), date(2026, 10, 31)):
        for day in days.span(first, first + timedelta(days=2)):
            mine = [*range(days.start_ms(day), days.start_ms(day) + days.MS_PER_DAY, 47 * 60_000)]
            calls = [
                event(
                    "model_call",
                    ts=at,
                    input_tokens=len(times) + place,
                    model="m",
                    root_session_id=f"session-{(len(times) + place) // 20}",
                )
                for place, at in enumerate(mine, 1)
            ]
            times += mine
            rolled_up(db, config, org, calls, day)
    yield Recorded(db, org, owner, times)
    db.close()


@pytest.mark.parametrize(
    ("zone", "shift"),
    [
        ("UTC", timedelta()),
        ("Asia/Tokyo", timedelta()),
        ("America/Los_Angeles", timedelta()),
        ("Australia/Sydney", timedelta()),
        # Days that begin at 23:30.
        ("Asia/Kolkata", timedelta(minutes=30)),
    ],
)
def test_reports_have_the_days_of_the_zone(recorded: Recorded, zone: str, shift: timedelta) -> None:
    time_zone.put(recorded.db, recorded.org, zone, by=recorded.owner)

    found = recorded.spend()

    assert found["meta"]["time_zone"] == zone
    counted = {row["date"]: row["input_tokens"] for row in found["data"]}
    assert counted == recorded.by_day(zone, shift)
    assert found["meta"]["totals"]["input_tokens"] == sum(counted.values())


def test_a_session_is_on_the_local_day_of_its_first_call(recorded: Recorded) -> None:
    time_zone.put(recorded.db, recorded.org, "Asia/Tokyo", by=recorded.owner)
    first: dict[int, str] = {}
    for number, at in enumerate(recorded.at, 1):
        local = datetime.fromtimestamp(at / 1000, TOKYO)
        first.setdefault(number // 20, str(local.date()))

    found = recorded.spend("spend")

    counted = {row["date"]: row["sessions"] for row in found["data"] if row["sessions"]}
    assert counted == Counter(first.values())


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def test_hours_are_those_of_the_clocks_of_the_zone(recorded: Recorded, zone: str) -> None:
    time_zone.put(recorded.db, recorded.org, zone, by=recorded.owner)
    found = recorded.spend("spend", group_by="hour", period="month")
    hours: Counter[str] = Counter()
    for row in found["data"]:
        hours[row["group_key"]] += row["calls"]
    first, last = (found["meta"][name] for name in ("start_date", "end_date"))
    expected: Counter[str] = Counter()
    for at in recorded.at:
        local = datetime.fromtimestamp(at / 1000, ZoneInfo(zone))
        if first <= str(local.date()) <= last:
            expected[f"{local.hour:02}"] += 1

    assert hours == expected


def test_utc_days_can_be_asked_for_and_nothing_else(recorded: Recorded) -> None:
    time_zone.put(recorded.db, recorded.org, "Asia/Tokyo", by=recorded.owner)

    found = recorded.spend(time_zone="UTC")

    assert found["meta"]["time_zone"] == "UTC"
    assert {row["date"]: row["input_tokens"] for row in found["data"]} == recorded.by_day("UTC")
    with pytest.raises(BadRequest) as refused:
        recorded.spend(time_zone="Asia/Tokyo")
    assert refused.value.code == "invalid_time_zone"
    assert recorded.spend("tool-runs")["meta"]["time_zone"] == "UTC"


def test_a_range_ends_with_the_last_day_that_is_over(recorded: Recorded) -> None:
    time_zone.put(recorded.db, recorded.org, "America/Los_Angeles", by=recorded.owner)
    assert recorded.spend()["meta"]["end_date"] == "2026-11-19"
    with pytest.raises(BadRequest) as refused:
        recorded.spend(startDate="2026-11-20")
    assert refused.value.code == "date_not_available"


def test_where_nobody_is_shown_alone_days_are_those_of_utc(recorded: Recorded) -> None:
    time_zone.put(recorded.db, recorded.org, "Asia/Tokyo", by=recorded.owner)
    policies.put(recorded.db, recorded.org, "team-only", None, by=recorded.owner)
    assert recorded.spend()["meta"]["time_zone"] == "UTC"
    policies.put(recorded.db, recorded.org, "named", None, by=recorded.owner)
