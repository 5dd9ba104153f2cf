"""Flow charts of wikis as boxes and arrows."""

from __future__ import annotations

import pytest

from stationmaster.web.frame import markdown
from stationmaster.wiki.text.diagrams import Edge, flowchart


def test_a_flow_chart_of_our_wiki_is_drawn_with_its_labels_groups_and_words() -> None:
    made = flowchart(
        "How it works",
        {"a": "web pages", "b": "api", "c": "database"},
        [Edge("a", "b", "calls", 3), Edge("b", "c", weight=2), Edge("c", "a", is_sure=False)],
        groups={"Server": ["b", "c"]},
    )
    assert made is not None
    diagram = markdown.read_diagram(made.source)

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
    diagram = markdown.read_diagram('flowchart TB\n a -->|"asks"| b\n a -->|"tells"| b\n b --> a')

    assert diagram is not None
    assert diagram.drawing is not None
    assert [words.text for words in diagram.drawing.words] == ["asks, tells"]
    assert [line.style for line in diagram.drawing.lines].count("way") == 2


def test_a_line_may_have_several_arrows_and_boxes_with_their_texts() -> None:
    diagram = markdown.read_diagram(
        "flowchart LR\n"
        ' A[Start] --> B{Is it?} -- yes --> C(["Do it"]) & D[/Log/]\n'
        " B -->|no| E; E -.-> A\n"
        " C === D:::wide"
    )

    assert diagram is not None
    assert diagram.drawing is not None
    assert list(diagram.rows) == [
        ("Start", "Is it?", ""), ("Is it?", "Do it", "yes"), ("Is it?", "Log", "yes"),
        ("Is it?", "E", "no"), ("E", "Start", ""), ("Do it", "Log", ""),
    ]  # fmt: skip
    styles = [line.style for line in diagram.drawing.lines]
    assert styles.count("way dashed") == 1
    assert styles.count("head") == 5, "a line without a head has none"


@pytest.mark.parametrize(
    ("arrow", "label"),
    [("-->", ""), ("---->", ""), ("==>", ""), ("-.->", ""), ("-..->", ""), ("<-->", ""),
     ("--x", ""), ("--o", ""), ("-- words here -->", "words here"), ("--words-->", "words"),
     ("== words ==>", "words"), ("-. words .->", "words"), ('-->|"a, b"|', "a, b")],
)  # fmt: skip
def test_every_form_of_an_arrow_is_read(arrow: str, label: str) -> None:
    diagram = markdown.read_diagram(f"flowchart TB\n a-b {arrow} c.d")

    assert diagram is not None
    assert list(diagram.rows) == [("a-b", "c.d", label)]


def test_boxes_stand_in_the_inner_one_of_groups_and_arrows_lead_to_groups() -> None:
    diagram = markdown.read_diagram(
        "graph TD\n subgraph one [Outer]\n a\n subgraph two\n b --> c\n end\n d\n end\n one --> e"
    )

    assert diagram is not None
    assert diagram.drawing is not None
    groups = {box.label: box.group for box in diagram.drawing.boxes}
    assert groups == {"a": "Outer", "b": "two", "c": "two", "d": "Outer", "Outer": "", "e": ""}


@pytest.mark.parametrize("code", ["flowchart TB\n ???", "flowchart TB\n a[x]"])
def test_what_is_not_understood_stays_as_it_is_written(code: str) -> None:
    assert markdown.read_diagram(code) is None
