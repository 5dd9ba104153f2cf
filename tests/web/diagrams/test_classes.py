"""Diagrams of classes in wikis as boxes with members, and lines between them."""

from __future__ import annotations

import pytest

from stationmaster.web.diagrams.drawing import Diagram
from stationmaster.web.frame import markdown


def read(*lines: str) -> Diagram:
    diagram = markdown.read_diagram("\n  ".join(["classDiagram", *lines]))
    assert diagram is not None
    assert diagram.drawing is not None
    return diagram


def test_types_are_drawn_below_the_one_that_they_extend() -> None:
    diagram = read(
        'class n1["Base"]', 'class n2["Other"]', "n1 <|-- n2", 'class n3["Special"]', "n1 <|-- n3"
    )
    assert list(diagram.rows) == [("Other", "Base", "extends"), ("Special", "Base", "extends")]
    drawing = diagram.drawing
    assert drawing is not None
    assert drawing.name == "Diagram of 3 classes and 2 relations"
    assert [box.label for box in drawing.boxes] == ["Base", "Other", "Special"]
    assert [line.style for line in drawing.lines] == ["way", "way", "hollow"]


@pytest.mark.parametrize(
    ("line", "row", "styles"),
    [
        ("A <|-- B", ("B", "A", "extends"), ["way", "hollow"]),
        ("B --|> A", ("B", "A", "extends"), ["way", "hollow"]),
        ("A <|.. B", ("B", "A", "implements"), ["way dashed", "hollow"]),
        ("A *-- B : has", ("B", "A", "part of: has"), ["way", "head"]),
        ('A "1" o-- "0..*" B', ("B", "A", "belongs to: 0..* to 1"), ["way", "hollow"]),
        ("A --> B", ("A", "B", ""), ["way", "head"]),
        ("A <-- B", ("B", "A", ""), ["way", "head"]),
        ('A ..> B : "calls"', ("A", "B", "depends on: calls"), ["way dashed", "head"]),
        ("A -- B", ("A", "B", ""), ["way"]),
        ("A--other", ("A", "other", ""), ["way"]),
    ],
)
def test_lines_mean_what_their_signs_say(
    line: str, row: tuple[str, str, str], styles: list[str]
) -> None:
    diagram = read(line)

    assert list(diagram.rows) == [row]
    assert diagram.drawing is not None
    assert [shape.style for shape in diagram.drawing.lines] == styles


def test_classes_have_members_kinds_parameters_namespaces_and_notes() -> None:
    diagram = read(
        "class Store~T~ {", "<<interface>>", "+get(key) List~T~", "+~Store()", "}",
        "namespace Inside {", 'class Memory["In memory"]', "}",
        "Memory : +size int", "Store <|.. Memory", "Memory --> Memory : next",
        'note for Memory "Forgets all"',
    )  # fmt: skip
    assert diagram.drawing is not None
    boxes = {box.label: box for box in diagram.drawing.boxes}

    assert boxes["Store<T>"].group == "«interface»"
    assert boxes["Store<T>"].rows == ("+get(key) List<T>", "+~Store()")
    assert boxes["In memory"].group == "Inside"
    assert boxes["In memory"].rows == ("+size int", "↻ next")
    assert boxes[""].rows == ("Forgets all",)
    assert boxes[""].style == "note"
    said = {words for _, _, words in diagram.rows}
    assert {"+size int", "is «interface»", "in Inside", "Forgets all", "next"} <= said


@pytest.mark.parametrize("line", ["class A {", "A ~~ B", "namespace X {", "}", "class A"])
def test_what_is_not_understood_or_says_nothing_stays_as_it_is_written(line: str) -> None:
    assert markdown.read_diagram(f"classDiagram\n{line}") is None
