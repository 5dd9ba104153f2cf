"""Diagrams of wikis: flow charts in layers, the other kinds as rows of words."""

from __future__ import annotations

import time

import pytest

from stationmaster.web import diagrams
from stationmaster.web.charts import layers
from stationmaster.web.diagrams import ARROWS_MAX, Drawing
from stationmaster.web.markdown import render
from stationmaster.wiki.text.diagrams import Column, Edge, Message, classes, entities, flowchart
from stationmaster.wiki.text.diagrams import sequence as sequence_of


def drawn(code: str) -> Drawing:
    found = diagrams.read(code)
    assert found is not None
    assert found.drawing is not None
    return found.drawing


def test_a_flow_chart_of_our_wiki_is_drawn_with_its_labels_groups_and_words() -> None:
    made = flowchart(
        "How it works",
        {"a": "web pages", "b": "api", "c": "database"},
        [Edge("a", "b", "calls", 3), Edge("b", "c", weight=2), Edge("c", "a", is_sure=False)],
        groups={"Server": ["b", "c"]},
    )
    assert made is not None
    drawing = drawn(made.source)

    assert {(box.label, box.group) for box in drawing.boxes} == {
        ("web pages", ""), ("api", "Server"), ("database", "Server")
    }  # fmt: skip
    assert sorted(line.label for line in drawing.lines) == ["", "", "calls"]
    assert [line.is_dashed for line in drawing.lines].count(True) == 1


def test_boxes_stand_apart_and_within_the_drawing() -> None:
    ends = [(f"n{a}", f"n{b}") for a in range(12) for b in range(a + 1, 12, 3)]
    plan = layers.plan({f"n{number}": 5 + number for number in range(12)}, ends)
    spots = list(plan.spots.values())

    for at, one in enumerate(spots):
        assert one.x - one.width / 2 >= 0
        assert one.x + one.width / 2 <= plan.width
        assert one.y - one.height / 2 >= 0
        assert one.y + one.height / 2 <= plan.height
        for other in spots[at + 1 :]:
            assert (
                abs(one.x - other.x) >= (one.width + other.width) / 2
                or abs(one.y - other.y) >= (one.height + other.height) / 2
            )


@pytest.mark.parametrize("arrows", [[("a", "a")], [("a", "b"), ("b", "a")],
                                    [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")]])  # fmt: skip
def test_circles_end(arrows: list[tuple[str, str]]) -> None:
    plan = layers.plan({"a": 1, "b": 1, "c": 1}, arrows)

    assert plan.ways.keys() == {arrow for arrow in arrows if arrow[0] != arrow[1]}


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        (
            sequence_of("x", {"a": "web", "b": "api"}, [Message("a", "b", "asks")]),
            [("web", "api", "asks")],
        ),
        (classes("x", "Base", {"k": "Special"}), [("Special", "Base", "extends")]),
        (
            entities(
                "x",
                {"users": [Column("id", "int", "PK")], "keys": [Column("user", "int", "FK")]},
                [Edge("keys", "users", "belongs to")],
            ),
            [("keys", "users", "belongs to")],
        ),
    ],
)
def test_other_diagrams_of_our_wiki_are_rows_of_words(
    code: object, rows: list[tuple[str, str, str]]
) -> None:
    found = diagrams.read(getattr(code, "source"))  # noqa: B009 - one of several kinds
    assert found is not None
    assert list(found.rows) == rows
    assert found.drawing is None


@pytest.mark.parametrize("code", ["", "pie\n a: 1", "flowchart TB\n ???", "flowchart TB\n a[x]"])
def test_what_is_not_understood_stays_as_it_is_written(code: str) -> None:
    assert diagrams.read(code) is None


def test_hostile_diagrams_are_text_and_bounded() -> None:
    hostile = 'flowchart LR\n a["<script>alert(1)</script>"]\n a -->|"<b>"| b\n'
    page = render(f"```mermaid\n{hostile}```", "index", {}).html
    assert "<svg" in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert "<b>" not in page

    arrows = "".join(f" n{n} --> n{(n * 7) % 40}\n" for n in range(ARROWS_MAX))
    path = "".join(f" n{n} --> n{n + 1}\n" for n in range(39))
    began = time.perf_counter()
    large = render(f"```mermaid\nflowchart TB\n{path}{arrows[:900]}```\n\n" * 60, "index", {}).html
    assert time.perf_counter() - began < 5
    assert len(large) < 1_500_000
    assert large.count("<figure") <= 20
