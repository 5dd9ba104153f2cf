"""Laws of answers about slices, over random days: what is cut apart adds up again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster.aggregate.day import roll_up
from stationmaster.analytics import reports
from stationmaster.analytics.model import DayRange, Question
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.report_names import DIMENSIONS, REPORTS, Dimension, Report
from stationmaster.settings import Settings
from tests.aggregate import lakes
from tests.aggregate.histories import histories
from tests.support import databases

BEFORE = lakes.DAY - timedelta(days=3)
BOTH = DayRange(BEFORE, lakes.DAY)
EVERYBODY = ("svc_bot", "user_ada", "user_ben")
ADDITIVE: dict[Report, tuple[str, ...]] = {
    "tokens": (
        *("billable_tokens", "input_tokens", "output_tokens"),
        *("cache_read_tokens", "cache_write_tokens"),
    ),
    "tools": ("tool_calls",),
    "activity": ("sessions", "messages", "user_messages"),
    "productivity": ("files_created", "files_edited", "git_commits", "git_prs_created"),
}
EXAMPLES = int(os.environ.get("SLICES_EXAMPLES", "4"))
"""An example is several rollups and some fifty answers: few at every run."""
_orgs = count(1)
_laws = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
Place = tuple[Database, Settings]


@pytest.fixture(scope="module")
def place(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One database and lake for all examples of a law; each example is an organization."""
    folder = tmp_path_factory.mktemp("slices")
    shutil.copyfile(sqlite_template, folder / "state.sqlite3")
    db = Database.open(databases.sqlite_url(folder / "state.sqlite3"))
    yield db, lakes.settings(folder)
    db.close()


def _rolled_up(place: Place, before: list[Event], events: list[Event]) -> OrgId:
    db, config = place
    org = OrgId(f"org_{next(_orgs)}")
    for event in before:
        event.ts -= 3 * 86_400_000
    for day, found in ((BEFORE, before), (lakes.DAY, events)):
        lakes.land(db, config, org, [found] if found else [], day)
        roll_up(db, config, org, day)
    return org


def _answer(place: Place, org: OrgId, report: Report, **asked: Any) -> bytes:
    found = reports.find(place[0], Question(org, report, BOTH, **asked))
    return b"".join(reports.envelope(place[0], found))


def _rows(place: Place, org: OrgId, report: Report, **asked: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = msgspec.json.decode(_answer(place, org, report, **asked))["data"]
    return rows


@_laws
@given(before=histories(), events=histories())
def test_a_filter_that_leaves_everything_in_gives_the_plain_bytes(
    place: Place, before: list[Event], events: list[Event]
) -> None:
    org = _rolled_up(place, before, events)
    groupings = {"tokens": "model", "tools": "tool_name", "activity": "client"}

    for report in REPORTS:
        for group_by in {None, groupings.get(report)}:
            plain = _answer(place, org, report, group_by=group_by)
            everything = _answer(place, org, report, group_by=group_by, only=(("user", EVERYBODY),))
            assert everything == plain
    assert _in_pages(place, org) == _rows(place, org, "users")


def _in_pages(place: Place, org: OrgId) -> list[dict[str, Any]]:
    """The rows of users, asked for one user at a time."""
    found: list[dict[str, Any]] = []
    cursor = ""
    only = (("user", EVERYBODY),)
    while page := _rows(place, org, "users", only=only, limit=1, cursor=cursor):
        assert len({row["user_id"] for row in page}) == 1
        cursor = page[-1]["user_id"]
        found += page
    return found


@_laws
@given(before=histories(), events=histories(), dimension=st.sampled_from(DIMENSIONS))
def test_groups_add_up_to_the_plain_report_and_are_what_filters_say(
    place: Place, before: list[Event], events: list[Event], dimension: Dimension
) -> None:
    org = _rolled_up(place, before, events)

    for report, figures in ADDITIVE.items():
        groups = _rows(place, org, report, group_by=dimension)
        for day in _rows(place, org, report):
            mine = [group for group in groups if group["date"] == day["date"]]
            for figure in figures:
                assert sum(group[figure] for group in mine) == day[figure]
        for group in groups:
            filtered = _rows(place, org, report, only=((dimension, (group["group_key"],)),))
            [day] = [row for row in filtered if row["date"] == group["date"]]
            shared = group.keys() & day.keys()
            assert {name: day[name] for name in shared} == {name: group[name] for name in shared}
