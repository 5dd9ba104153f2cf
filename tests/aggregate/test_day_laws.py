"""Laws of a rollup, over random days: five of each for every change, LAW_EXAMPLES at night."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.aggregate import lakes, reference
from tests.aggregate.histories import histories, ties
from tests.support import databases

pytestmark = pytest.mark.slow

_orgs = count(1)
_laws = settings(
    max_examples=int(os.environ.get("LAW_EXAMPLES", "5")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
Place = tuple[Database, Settings]


@pytest.fixture(scope="module")
def place(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One database and lake for all examples of a law; each example is an organization."""
    folder = tmp_path_factory.mktemp("laws")
    shutil.copyfile(sqlite_template, folder / "state.sqlite3")
    db = Database.open(databases.sqlite_url(folder / "state.sqlite3"))
    yield db, lakes.settings(folder)
    db.close()


def _rolled_up(place: Place, parts: list[list[Event]]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    db, config = place
    org = OrgId(f"org_{next(_orgs)}")
    # Read in place, as large days are: test_deliveries.py has its days read into memory.
    lakes.land(db, config, org, [part for part in parts if part], is_entered=False)
    roll_up(db, config, org, lakes.DAY)
    return lakes.bodies(db, org)


@_laws
@given(events=histories())
def test_every_document_equals_the_reference_and_breakdowns_add_up_to_their_parents(
    place: Place, events: list[Event]
) -> None:
    reports, users = reference.reports_of(events, lakes.DAY)

    stored, rows = _rolled_up(place, [events])

    assert (stored, rows) == (reports, users)
    for parent, figure in (
        ("tokens", "billable_tokens"),
        ("tools", "tool_calls"),
        ("activity", "messages"),
    ):
        parts = sum(_figure(row, figure) for row in rows.values())
        assert parts == _figure(stored[parent], figure)


@_laws
@given(events=histories() | ties(), data=st.data())
def test_order_repeats_and_parts_change_no_byte(
    place: Place, events: list[Event], data: st.DataObject
) -> None:
    repeats = data.draw(st.lists(st.sampled_from(events), max_size=5)) if events else []
    shuffled = data.draw(st.permutations(events + repeats))
    cut = data.draw(st.integers(0, len(shuffled)))

    assert _rolled_up(place, [shuffled[:cut], shuffled[cut:]]) == _rolled_up(place, [events])


def _figure(body: bytes, name: str) -> int:
    return int(lakes.msgspec.json.decode(body)[name])
