"""Diagrams of states in wikis."""

from __future__ import annotations

import pytest

from stationmaster.web.frame import markdown

ORDER = """stateDiagram-v2
  direction LR
  [*] --> Open
  Open : waits for payment
  state "Paid for" as paid
  Open --> paid : payment
  paid --> Shipping
  state Shipping {
    [*] --> Packed
    Packed --> [*]
  }
  state check <<choice>>
  Shipping --> check
  check --> Open: returned
  check --> [*]
  note right of Open : at most a day
  note left of paid
    kept for years
  end note
"""


def test_states_are_drawn_with_their_names_parts_descriptions_and_notes() -> None:
    diagram = markdown.read_diagram(ORDER)

    assert diagram is not None
    assert diagram.drawing is not None
    boxes = {(box.label, box.group): list(box.rows) for box in diagram.drawing.boxes}
    assert boxes == {
        ("● begin", ""): [], ("◉ end", ""): [], ("check (choice)", ""): [],
        ("Open", ""): ["waits for payment", "at most a day"],
        ("Paid for", ""): ["kept for years"], ("Shipping", ""): [],
        ("● begin", "Shipping"): [], ("Packed", "Shipping"): [], ("◉ end", "Shipping"): [],
    }  # fmt: skip
    assert ("Open", "Paid for", "payment") in diagram.rows
    assert ("Open", "", "at most a day") in diagram.rows
    assert diagram.drawing.name == "Diagram of 9 states and 8 ways"


def test_parts_that_run_at_once_are_read_and_a_way_to_oneself_is_a_row() -> None:
    diagram = markdown.read_diagram("stateDiagram\n state a {\n b --> b : again\n --\n c --> d\n }")

    assert diagram is not None
    assert diagram.drawing is not None
    assert {box.label: list(box.rows) for box in diagram.drawing.boxes} == {
        "b": ["↻ again"], "c": [], "d": []
    }  # fmt: skip


@pytest.mark.parametrize("lines", ["", "a", "a --> b\n }", "a --> b\n ???", "a --> b --> c"])
def test_what_is_not_understood_stays_as_it_is_written(lines: str) -> None:
    assert markdown.read_diagram(f"stateDiagram-v2\n {lines}") is None
