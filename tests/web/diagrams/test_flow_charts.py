"""Flow charts of wikis as boxes and arrows."""

from __future__ import annotations

import pytest

from stationmaster.web.diagrams import reading
from stationmaster.wiki.text.diagrams import Edge, flowchart


def test_a_flow_chart_of_our_wiki_is_drawn_with_its_labels_groups_and_words() -> None:
    made = flowchart(
        "How it works",
        {"a": "web pages", "b": "api", "c": "database"},
        [Edge("a", "b", "calls", 3), Edge("b", "c", weight=2), Edge("c", "a", is_sure=False)],
        groups={"Server": ["b", "c"]},
    )
    assert made is not None
    diagram = reading.read(made.source)

    assert diagram is not None
    assert diagram.drawing is not None
    drawing = diagram.drawing
    assert drawing.name == "Flow chart of 3 boxes and 3 arrows"
    assert {(box.label, box.group) for box in drawing.boxes} == {
        ("web pages", ""), ("api", "Server"), ("database", "Server")
    }  # fmt: skip
    assert [words.text for words in drawing.words] == ["calls"]
    assert [line.style for line in drawing.lines].count("way dashed") == 1
    assert [line.style for line in drawing.lines].count("head") == 3


def test_arrows_between_the_same_boxes_are_one_with_the_words_of_all() -> None:
    diagram = reading.read('flowchart TB\n a -->|"asks"| b\n a -->|"tells"| b\n b --> a')

    assert diagram is not None
    assert diagram.drawing is not None
    assert [words.text for words in diagram.drawing.words] == ["asks, tells"]
    assert [line.style for line in diagram.drawing.lines].count("way") == 2


@pytest.mark.parametrize("code", ["flowchart TB\n ???", "flowchart TB\n a[x]"])
def test_what_is_not_understood_stays_as_it_is_written(code: str) -> None:
    assert reading.read(code) is None
