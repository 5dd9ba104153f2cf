"""Parts of a whole in wikis."""

from __future__ import annotations

import pytest

from stationmaster.web.diagrams import reading


def test_parts_are_bars_with_their_numbers_and_shares() -> None:
    diagram = reading.read('pie showData title Pets\n "Dogs" : 300\n "Cats, old": 100')

    assert diagram is not None
    assert list(diagram.rows) == [("Dogs", "300", "75.0%"), ("Cats, old", "100", "25.0%")]
    assert diagram.drawing is not None
    dogs, cats = (box.spot.width for box in diagram.drawing.boxes)
    assert dogs == 3 * cats
    assert "300 (75.0%)" in [words.text for words in diagram.drawing.words]


@pytest.mark.parametrize("lines", ['"a" : 0', '"a" : -1', "a : 1", '"a" : x', "title Pets"])
def test_what_is_not_understood_stays_as_it_is_written(lines: str) -> None:
    assert reading.read(f"pie\n {lines}") is None
