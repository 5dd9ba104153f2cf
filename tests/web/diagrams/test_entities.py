"""Diagrams of entities in wikis as tables with columns, and lines with numbers."""

from __future__ import annotations

import pytest

from stationmaster.web.diagrams.drawing import ROWS_MAX
from stationmaster.web.frame import markdown
from stationmaster.wiki.text.diagrams import Column, Edge, entities


def test_tables_of_our_wiki_are_drawn_with_their_columns_and_numbers() -> None:
    made = entities(
        "x",
        {"users": [Column("id", "int", "PK")], "keys": [Column("user", "int", "FK")]},
        [Edge("keys", "users", "user")],
    )
    assert made is not None
    diagram = markdown.read_diagram(made.source)

    assert diagram is not None
    assert list(diagram.rows) == [
        ("users", "keys", "1 to 0..*: user"),
        ("keys", "", "user int FK"),
        ("users", "", "id int PK"),
    ]  # fmt: skip
    drawing = diagram.drawing
    assert drawing is not None
    assert drawing.name == "Diagram of 2 tables and 1 relation"
    assert {(box.label, *box.rows) for box in drawing.boxes} == {
        ("users", "id int PK"), ("keys", "user int FK")
    }  # fmt: skip
    assert {words.text for words in drawing.words} == {"1", "0..*", "user"}


@pytest.mark.parametrize(
    ("signs", "words"),
    [("||--||", "1 to 1"), ("|o--|{", "0..1 to 1..*"), ("}o..o|", "0..* to 0..1"),
     ("}|--o{", "1..* to 0..*")],
)  # fmt: skip
def test_signs_are_numbers(signs: str, words: str) -> None:
    diagram = markdown.read_diagram(f"erDiagram\n A {signs} B : x")

    assert diagram is not None
    assert list(diagram.rows) == [("A", "B", f"{words}: x")]


def test_columns_may_stand_in_one_line_and_have_types_keys_and_comments() -> None:
    diagram = markdown.read_diagram(
        'erDiagram\n A { number id PK  string role }\n "B c" {\n'
        ' varchar(255) name UK, FK "as shown"\n }\n A ||--o{ A : parent\n A ||--|| "B c" : has'
    )

    assert diagram is not None
    assert diagram.drawing is not None
    assert {box.label: tuple(box.rows) for box in diagram.drawing.boxes} == {
        "A": ("id number PK", "role string", "↻ parent"),
        "B c": ("name varchar(255) UK FK (as shown)",),
    }


def test_a_table_with_many_columns_says_how_many_are_left_out_and_the_text_has_all() -> None:
    columns = "\n".join(f" int column_{number}" for number in range(ROWS_MAX + 5))
    diagram = markdown.read_diagram(f"erDiagram\n A {{\n{columns}\n }}")

    assert diagram is not None
    assert diagram.drawing is not None
    assert diagram.drawing.boxes[0].rows[-1] == "… and 6 more"
    assert diagram.rows[0][2].endswith(f"column_{ROWS_MAX + 4} int")


@pytest.mark.parametrize("lines", ["A ??", "A {", "A { id }", "A", "A ||--o< B : x"])
def test_what_is_not_understood_or_says_nothing_stays_as_it_is_written(lines: str) -> None:
    assert markdown.read_diagram(f"erDiagram\n {lines}") is None


def test_lines_with_different_numbers_end_apart() -> None:
    diagram = markdown.read_diagram("erDiagram\n A ||--|{ C : x\n B ||--o| C : y")

    assert diagram is not None
    assert diagram.drawing is not None
    numbers = [words for words in diagram.drawing.words if words.text in ("1..*", "0..1")]
    assert len({(words.x, words.y) for words in numbers}) == 2
