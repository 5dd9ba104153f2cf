"""What is kept of stored days never answers for what they were before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from stationmaster.analytics import reports
from stationmaster.analytics.days import stored
from stationmaster.analytics.insights import folding
from stationmaster.analytics.model import DayRange, Question
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from tests.aggregate.lakes import DAY, event, rolled_up, settings

ORG, OTHER = OrgId("org_a"), OrgId("org_b")
BOTH = DayRange(DAY, DAY + timedelta(days=1))


@pytest.fixture
def db_with_days(db: Database, tmp_path: Path) -> Database:
    for day in (BOTH.first, BOTH.last):
        rolled_up(db, settings(tmp_path), ORG, [_call(input_tokens=100)], day)
    return db


def _call(**fields: int) -> Event:
    return event("model_call", model="claude-sonnet-4-5", repo="example.com/acme/app", **fields)


def _input_tokens(db: Database, org: OrgId = ORG) -> list[int]:
    """By day, as the report by repository and the report on caches say."""
    tokens, cache = (
        reports.find(db, Question(org, report, BOTH, "repository"))
        for report in ("tokens", "cache")
    )
    both = [
        [
            row["input_tokens"]
            for row in msgspec.json.decode(b"".join(reports.envelope(db, found)))["data"]
        ]
        for found in (tokens, cache)
    ]
    assert both[0] == both[1]
    return both[0]


def test_a_day_that_is_published_again_is_read_again(
    db_with_days: Database, tmp_path: Path
) -> None:
    assert _input_tokens(db_with_days) == [100, 100]

    rolled_up(db_with_days, settings(tmp_path), ORG, [_call(input_tokens=7)], BOTH.last)

    assert _input_tokens(db_with_days) == [100, 107]


def test_a_writing_differs_from_every_other_one_although_time_stands_still(
    db_with_days: Database, tmp_path: Path
) -> None:
    before = serving.writings(db_with_days, ORG, DAY, DAY)

    rolled_up(db_with_days, settings(tmp_path), ORG, [], DAY)

    assert serving.writings(db_with_days, ORG, DAY, DAY) != before


def test_days_that_are_kept_are_not_read_again(
    db_with_days: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _input_tokens(db_with_days)
    monkeypatch.setattr(serving, "written", None)

    assert _input_tokens(db_with_days) == first


def test_organizations_with_equal_days_are_kept_apart(
    db_with_days: Database, tmp_path: Path
) -> None:
    assert _input_tokens(db_with_days) == [100, 100]
    assert _input_tokens(db_with_days, OTHER) == []

    rolled_up(db_with_days, settings(tmp_path), OTHER, [_call(input_tokens=1)])

    assert _input_tokens(db_with_days, OTHER) == [1]


def test_no_more_is_kept_than_the_limit(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "KEPT_BYTES_MAX", 20_000)
    made: list[int] = []

    def table(number: int) -> pa.Table:
        made.append(number)
        return pa.table({"n": [number] * 1_000})

    def of(number: int) -> pa.Table:
        return stored.once(db, number, lambda: table(number))

    assert [of(number)["n"][0].as_py() for number in (1, 2, 1, 3, 1)] == [1, 2, 1, 3, 1]
    assert made == [1, 2, 3]
    assert of(2)["n"][0].as_py() == 2
    assert made == [1, 2, 3, 2]


def test_more_days_than_are_read_at_once_give_the_same_answer(
    db_with_days: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "READ_BYTES_MAX", 1)

    assert _input_tokens(db_with_days) == [100, 100]


def test_a_question_about_facts_is_not_added_up_again_while_its_days_stay(
    db_with_days: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folds() -> int:
        """How often the days were added up for one more answer."""
        count = 0

        def counted(*args: Any) -> Any:
            nonlocal count
            count += 1
            return sums(*args)

        with monkeypatch.context() as patch:
            sums = folding.sums
            patch.setattr(folding, "sums", counted)
            reports.find(db_with_days, Question(ORG, "cache", BOTH, "repository"))
        return count

    first, second = folds(), folds()
    rolled_up(db_with_days, settings(tmp_path), ORG, [_call(input_tokens=7)], BOTH.last)
    restated = folds()

    assert (first > 0, second, restated) == (True, 0, first)


def test_an_answer_is_made_once_while_its_days_stay(
    db_with_days: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question(ORG, "users", BOTH, only=(("agent", ("claude-code",)),))
    before = reports.find(db_with_days, question)
    with monkeypatch.context() as patched:
        patched.setattr(stored, "read", None)
        assert reports.find(db_with_days, question) == before

    rolled_up(db_with_days, settings(tmp_path), ORG, [_call(input_tokens=7)], BOTH.last)

    assert reports.find(db_with_days, question).digests != before.digests
