"""The filter bar's state and the address say the same."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl

import pytest

from stationmaster.web.figures.period import Period, parse

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("query", "first", "last", "before"),
    [
        ("", (10, 23), (11, 21), ((9, 23), (10, 22))),
        ("range=7d", (11, 15), (11, 21), ((11, 8), (11, 14))),
        ("range=90d", (8, 24), (11, 21), ((5, 26), (8, 23))),
        ("range=today", (11, 22), (11, 22), ((11, 21), (11, 21))),
        ("range=month", (11, 1), (11, 21), ((10, 1), (10, 21))),
        ("range=last-month", (10, 1), (10, 31), ((9, 1), (9, 30))),
        ("from=2026-11-02&to=2026-11-04", (11, 2), (11, 4), ((10, 30), (11, 1))),
        ("from=2026-11-20&to=2026-12-24", (11, 20), (11, 22), ((11, 17), (11, 19))),
    ],
)
def test_a_range_is_days_and_the_same_number_before(
    query: str, first: tuple[int, int], last: tuple[int, int], before: tuple[tuple[int, int], ...]
) -> None:
    filters = parse(dict(parse_qsl(query)), TODAY)

    assert filters.period == Period(date(2026, *first), date(2026, *last))
    assert filters.before == Period(*(date(2026, *day) for day in before))
    assert filters.fault is None


def test_the_month_before_a_longer_one_ends_with_its_last_day() -> None:
    filters = parse({"range": "month"}, date(2026, 3, 31))

    assert filters.before == Period(date(2026, 2, 1), date(2026, 2, 28))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "range=7d",
        "range=last-month&compare=1",
        "from=2026-11-02&to=2026-11-04&compare=1&team=Platform&model=gpt-5.6",
        "person=user_1&repository=github.com%2Facme%2Fx&agent=codex",
    ],
)
def test_the_address_of_a_state_gives_the_state(query: str) -> None:
    filters = parse(dict(parse_qsl(query)), TODAY)

    assert parse(dict(parse_qsl(filters.query())), TODAY) == filters
    assert sorted(parse_qsl(filters.query())) == sorted(parse_qsl(query))


def test_a_link_changes_one_thing_and_keeps_the_rest() -> None:
    filters = parse({"range": "7d", "team": "Platform"}, TODAY)

    assert filters.query(person="user_1") == "range=7d&team=Platform&person=user_1"
    assert filters.query(team=None) == "range=7d"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("range=year", "Unknown range “year”"),
        ("from=soon", "Dates are written like"),
        ("from=2026-11-05&to=2026-11-04", "after the last one"),
        ("from=2026-11-23", "has not begun"),
        ("from=2020-01-01&to=2026-11-04", "At most 366 days"),
    ],
)
def test_what_is_wrong_is_said_and_the_default_shown(query: str, sentence: str) -> None:
    filters = parse(dict(parse_qsl(query)), TODAY)

    assert sentence in (filters.fault or "")
    assert filters.period == parse({}, TODAY).period
