"""Charts are shapes with their numbers in words; what scales has no text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from types import SimpleNamespace

import pytest

from stationmaster.web.charts.drawing import Drawing, bars, describe, lines
from stationmaster.web.charts.model import Chart, Series, series_of
from stationmaster.web.figures.blocks import Plot
from stationmaster.web.frame.templates import environment

Draw = Callable[[Chart], Drawing]

HOSTILE = "<script>alert(1)</script>\"&'"


def days(count: int) -> list[date]:
    return [date(2026, 11, 1) + timedelta(days=n) for n in range(count)]


def chart(*series: Series, count: int = 3, **changes: object) -> Chart:
    return Chart("cost", "Dollars a day", "usd", days(count), series)._replace(**changes)


def heights(path: str) -> list[float]:
    return [float(height) for height in re.findall(r"v([\d.]+)h-", path)]


def test_a_bar_is_as_high_as_its_value_and_stands_on_the_one_below() -> None:
    series = (Series("codex", [10, 0, 20], 1), Series("droid", [10, None, 0], 2))
    first, second = bars(chart(*series)).paths

    assert heights(first.d) == [90, 180]
    assert heights(second.d) == [90]
    assert second.d.startswith("M1 0h")
    assert [first.style, second.style] == ["s1", "s2"]


def test_a_day_without_data_is_a_gap_and_no_zero() -> None:
    [path] = lines(chart(Series("codex", [10, None, 20, 20], 1), count=4)).paths

    assert path.d == "M5 90h0M25 0h0L35 0"


def test_the_unfinished_day_is_hatched_and_the_period_before_is_a_line() -> None:
    drawn = bars(chart(Series("codex", [10, 5, 20], 1), is_last_unfinished=True, before=[40, 5, 5]))

    assert drawn.hatched == ("66.67%", "33.33%")
    # The period before is higher, so it gives the scale.
    assert heights(drawn.paths[0].d) == [45, 22.5, 90]
    assert drawn.paths[1].style == "line before"


def test_a_chart_says_its_numbers_in_words() -> None:
    said = describe(chart(Series("codex", [10, 0, 20.5], 1), Series("droid", [1, None, 0], 2)))

    assert said == (
        "1 Nov 2026 to 3 Nov 2026. Total $31.50. Highest on 3 Nov: $20.50. Parts: codex, droid."
    )
    assert describe(chart(Series("codex", [None, None, None], 1))) == "No data in this period."


@pytest.mark.parametrize("count", [0, 1, 2, 7, 90, 366])
@pytest.mark.parametrize("draw", [bars, lines])
def test_any_number_of_days_has_at_most_four_dates(draw: Draw, count: int) -> None:
    series = Series("codex", [float(n % 7) for n in range(count)], 1)
    drawn = draw(chart(series, count=count, is_last_unfinished=True))

    assert len(drawn.dates) == min(count, 4)


def test_names_are_text_and_nothing_is_styled_in_place() -> None:
    hostile = chart(Series(HOSTILE, [1, 2, 3], 1), Series("b", [1, 1, 1], 2), title=HOSTILE)
    macros = environment().get_template("charts.html").make_module()
    view = SimpleNamespace(link=lambda **_: "/x?csv=x")
    html = str(macros.block(view, Plot(hostile, "https://x.example")))  # type: ignore[attr-defined]  # a macro of a template

    assert "<script" not in html
    assert "style=" not in html
    assert html.count("&lt;script&gt;") >= 4


def test_ninety_days_of_five_series_are_small() -> None:
    values = {f"agent-{n}": [float(n + day % 9) for day in range(90)] for n in range(5)}

    drawn = bars(chart(*series_of(values), count=90))

    assert sum(len(path.d) for path in drawn.paths) < 12_000


def test_the_ninth_series_and_later_are_one() -> None:
    values: dict[str, list[float | None]] = {f"m{n}": [float(20 - n), None] for n in range(11)}
    series = series_of(values)

    assert [s.name for s in series] == [*(f"m{n}" for n in range(7)), "other (4)"]
    assert series[-1].values == [13 + 12 + 11 + 10, None]
    assert len({s.slot for s in series}) == 8
