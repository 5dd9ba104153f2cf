"""Sequences of messages in wikis as columns of participants."""

from __future__ import annotations

import pytest

from stationmaster.web.diagrams.drawing import Diagram, Drawing
from stationmaster.web.frame import markdown


def read(*lines: str) -> Diagram:
    diagram = markdown.read_diagram("\n  ".join(["sequenceDiagram", *lines]))
    assert diagram is not None
    return diagram


def drawn(*lines: str) -> Drawing:
    drawing = read(*lines).drawing
    assert drawing is not None
    return drawing


def test_columns_are_as_far_apart_as_what_stands_between_them() -> None:
    near = drawn("a->>b: x")
    far = drawn("a->>b: a message of thirty characters")

    assert far.width - near.width > 100
    for drawing in (near, far):
        left, right = (box.spot for box in drawing.boxes)
        assert left.x + left.width / 2 < right.x - right.width / 2
        assert left.x - left.width / 2 >= 0
        assert right.x + right.width / 2 <= drawing.width


@pytest.mark.parametrize(
    ("arrow", "styles"),
    [
        ("->", ["way"]),
        ("-->", ["way dashed"]),
        ("->>", ["way", "head"]),
        ("-->>", ["way dashed", "head"]),
        ("-x", ["way", "way"]),
        ("--)", ["way dashed", "way"]),
        ("<<->>", ["way", "head", "head"]),
    ],
)
def test_arrows_differ_as_they_are_written(arrow: str, styles: list[str]) -> None:
    drawing = drawn("participant web-1 as A", f"web-1{arrow}+b : words")

    assert [line.style for line in drawing.lines if line.style != "life"] == styles
    assert [box.label for box in drawing.boxes] == ["A", "b"]


def test_parts_are_frames_around_what_happens_in_them() -> None:
    diagram = read(
        "a->>b: one", "alt it is there", "b->>c: two", "loop each", "c->>c: three", "end",
        "else it is not", "c-->>b: four", "end",
    )  # fmt: skip
    drawing = diagram.drawing

    assert [row[0] for row in diagram.rows] == [
        "a", "alt", "b", "loop", "c", "end of loop", "else", "c", "end of alt"
    ]  # fmt: skip
    assert drawing is not None
    inner, outer = drawing.frames
    assert outer.x - outer.width / 2 < inner.x - inner.width / 2
    assert inner.x + inner.width / 2 < outer.x + outer.width / 2 <= drawing.width
    assert outer.y - outer.height / 2 < inner.y - inner.height / 2
    first = drawing.boxes[0].spot
    assert first.x < outer.x - outer.width / 2


def test_numbers_groups_notes_and_line_breaks_are_shown() -> None:
    drawing = drawn(
        "autonumber", "box Browser", 'participant p as "The page"', "end", "actor s as Server",
        "p->>s: asks<br/>twice", "Note over p,s: one<br>two", "Note left of p: far",
        "s->>s: thinks",
    )  # fmt: skip

    assert [(box.label, box.group) for box in drawing.boxes[:2]] == [
        ("The page", "Browser"), ("Server", "")
    ]  # fmt: skip
    assert [words.text for words in drawing.words] == ["1. asks", "twice", "2. thinks"]
    notes = [box for box in drawing.boxes if box.style == "note"]
    assert [note.rows for note in notes] == [["one", "two"], ["far"]]
    assert all(note.spot.x - note.spot.width / 2 >= 0 for note in notes)


@pytest.mark.parametrize(
    "lines",
    [["a->>b: x", "??"], ["loop x", "a->>b: x"], ["a->>b: x", "end"], ["participant a"],
     ["a->>b: x", "else y"], ["box x", "a->>b: x", "else y", "end"]],
    ids=["unknown", "open", "closed twice", "nothing happens", "else of nothing", "else of a box"],
)  # fmt: skip
def test_what_is_not_understood_stays_as_it_is_written(lines: list[str]) -> None:
    assert markdown.read_diagram("\n".join(["sequenceDiagram", *lines])) is None


@pytest.mark.parametrize(
    "lines",
    [[f"p{n}->>p{n + 1}: x" for n in range(41)], ["a->>b: x"] * 121],
    ids=["participants", "messages"],
)
def test_what_is_too_large_to_be_drawn_is_a_table(lines: list[str]) -> None:
    diagram = read(*lines)

    assert diagram.drawing is None
    assert len(diagram.rows) == len(lines)
