"""Labels of lines that would hide each other."""

from __future__ import annotations

from stationmaster.web.diagrams.drawing import LINE_HEIGHT, BoxPosition
from stationmaster.web.diagrams.graph import Label, placed


def test_a_label_leaves_place_to_those_before_it_and_to_boxes() -> None:
    bend = ((0.0, 0.0), (0.0, 200.0))
    box = BoxPosition(0, 140, 80, 40)

    words = placed([Label("one", [bend]), Label("two", [bend])], [box], is_down=True)

    places = [word.y for word in words]
    assert abs(places[0] - places[1]) >= LINE_HEIGHT
    assert all(abs(place - box.y) >= (box.height + LINE_HEIGHT) / 2 for place in places)
