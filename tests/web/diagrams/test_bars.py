"""Charts of bars in wikis."""

from __future__ import annotations

import pytest

from stationmaster.web.frame import markdown


def test_names_may_stand_without_quotes_and_a_chart_without_a_unit() -> None:
    diagram = markdown.read_diagram(
        'xychart-beta\n title "Sales"\n x-axis [jan, "feb, mar"]\n bar [1.5, 2]'
    )

    assert diagram is not None
    assert list(diagram.rows) == [("jan", "1.5", ""), ("feb, mar", "2", "")]


@pytest.mark.parametrize(
    "lines",
    ["bar [1, 2]", "x-axis [a, b]\n bar [1]", "x-axis [a]\n bar [1.2.3]", "x-axis [a]\n line [1]",
     "x-axis [a]\n bar [-1]", "x-axis [a]\n bar []", "x-axis [a]\n bar [1]\n bar [2]",
     f"x-axis [a]\n bar [{'9' * 400}]"],
    ids=["no names", "names", "no number", "line", "negative", "empty", "two rows", "infinite"],
)  # fmt: skip
def test_what_is_not_understood_stays_as_it_is_written(lines: str) -> None:
    assert markdown.read_diagram(f"xychart-beta\n {lines}") is None


def test_a_chart_of_many_bars_is_a_table() -> None:
    names = ", ".join(f"n{number}" for number in range(41))
    diagram = markdown.read_diagram(
        f"xychart-beta\n x-axis [{names}]\n bar [{', '.join('1' * 41)}]"
    )

    assert diagram is not None
    assert diagram.drawing is None
    assert len(diagram.rows) == 41


def test_parts_are_bars_with_their_numbers_and_shares() -> None:
    diagram = markdown.read_diagram('pie showData title Pets\n "Dogs" : 300\n "Cats, old": 100')

    assert diagram is not None
    assert list(diagram.rows) == [("Dogs", "300", "75.0%"), ("Cats, old", "100", "25.0%")]
    assert diagram.drawing is not None
    dogs, cats = (box.spot.width for box in diagram.drawing.boxes)
    assert dogs == 3 * cats
    assert "300 (75.0%)" in [words.text for words in diagram.drawing.words]


@pytest.mark.parametrize("lines", ['"a" : 0', '"a" : -1', "a : 1", '"a" : x', "title Pets"])
def test_parts_that_are_not_understood_stay_as_they_are_written(lines: str) -> None:
    assert markdown.read_diagram(f"pie\n {lines}") is None
