"""Diagrams that others wrote: text stays text, and time, size and output are bounded."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest

from stationmaster.web.diagrams.drawing import BOXES_MAX, LABEL_MAX, LINES_MAX
from stationmaster.web.frame import markdown
from stationmaster.web.frame.markdown import DIAGRAMS_MAX, render

SCRIPT = "<script>alert(1)</script>"
KINDS = {
    "flow chart": f'flowchart LR\n a["{SCRIPT}"]\n a -->|"<b>"| b',
    "sequence": f"sequenceDiagram\n participant a as {SCRIPT}\n a->>b: <b>{SCRIPT}\n"
    f" Note over a: <img src=x onerror=alert(1)>\n loop <b>\n b->>b: x\n end",
    "classes": f'classDiagram\n class a["{SCRIPT}"] {{\n <b>x</b>\n }}\n a <|-- b : <b>\n'
    f' note for b "{SCRIPT}"',
    "bars": f'xychart-beta\n x-axis ["{SCRIPT}", "<b>"]\n y-axis "<i>"\n bar [1, 2]',
    "states": f'stateDiagram-v2\n [*] --> a : {SCRIPT}\n state "<b>" as a\n'
    " note right of a : <img>",
    "parts": f'pie title x\n "{SCRIPT}" : 1\n "<b>" : 2',
    "entities": f'erDiagram\n a["{SCRIPT}"] {{\n int x "<b>"\n }}\n a ||--o{{ b : "<b>"',
}
LARGE = {
    "flow chart": "flowchart TB\n"
    + "".join(f" n{n} --> n{n + 1}\n n{n} -->|{'w' * 60}| n{n * 7 % 40}\n" for n in range(39)),
    "sequence": "sequenceDiagram\n"
    + "".join(f" p{n % 39}->>p{(n * 7) % 40}: {'long ' * 60}\n" for n in range(119)),
    "nested parts": "sequenceDiagram\n a->>b: x\n" + " loop x\n" * 59 + " end\n" * 59,
    "classes": "classDiagram\n"
    + "".join(f' n{n % 40} "{n}" --> "{n}" n{n * 7 % 39} : {"w" * 60}\n' for n in range(119)),
    "entities": "erDiagram\n"
    + "".join(f" e{n % 40} ||--o{{ e{n * 7 % 39} : {'w' * 60}\n" for n in range(119)),
    "two layers": "classDiagram\n"
    + "".join(f' a{n % 6} "{n}" --> "{n}" b{n // 6} : {"w" * 60}\n' for n in range(120)),
    "one line": "flowchart TB\n" + (f" a{' --> a' * 80}\n" * 390),
    "words": "flowchart TB\n" + (f" a {'-- w ' * 95}\n" * 390),
    "shapes": "flowchart TB\n" + (f" a{'[' * 480}\n" * 390),
    "states": "stateDiagram\n"
    + "".join(f" s{n % 40} --> s{n * 7 % 39} : {'w' * 60}\n" for n in range(119)),
    "nested states": "stateDiagram\n" + "".join(f" state s{n} {{\n" for n in range(390)),
    "state spaces": "stateDiagram\n" + (f" a{' ' * 240}-->{' ' * 240}?\n" * 390),
    "parts": "pie\n" + "".join(f' "{"w" * 190}{n}" : {"9" * 30}\n' for n in range(390)),
    "spaces": "classDiagram\n" + (f" a{' ' * 240}--{' ' * 240}?\n" * 390),
    "letters": "classDiagram\n" + (f" {'a' * 240}--{'b' * 240}?\n" * 390),
    "arrows": "sequenceDiagram\n" + (f" {'-' * 480}\n" * 390),
    "numbers": f"xychart-beta\n x-axis [{','.join('ab' * 80)}]\n bar [{'9' * 480}]\n",
    "columns": "erDiagram\n a {\n" + (f" {'a ' * 240}(\n" * 390),
}


class Elements(HTMLParser):
    """All elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(code: str) -> Elements:
    elements = Elements()
    elements.feed(render(f"```mermaid\n{code}\n```", "index", {}).html)
    return elements


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_is_text(kind: str) -> None:
    page = shown(KINDS[kind])
    tags = {tag for tag, _ in page.all}

    assert "svg" in tags
    assert not tags & {"script", "b", "img", "foreignobject", "a", "style"}
    names = {name for _, attributes in page.all for name in attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}
    assert SCRIPT in page.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_says_what_it_is_scrolls_in_its_box_and_has_the_same_as_a_table(
    kind: str,
) -> None:
    page = shown(KINDS[kind])
    elements = dict(page.all)

    assert (elements["svg"]["aria-label"] or "").endswith("; the same as text below")
    assert elements["svg"]["role"] == "img"
    assert {attributes.get("class") for tag, attributes in page.all if tag == "div"} == {"scrolls"}
    assert {"details", "table"} <= elements.keys()


@pytest.mark.parametrize("kind", LARGE)
def test_large_diagrams_are_bounded_in_time_and_size(kind: str) -> None:
    began = time.perf_counter()
    diagram = markdown.read_diagram(LARGE[kind])
    page = render(f"```mermaid\n{LARGE[kind]}\n```", "index", {}).html

    assert time.perf_counter() - began < 5
    assert len(page) < 400_000
    if diagram is not None and diagram.drawing is not None:
        drawing = diagram.drawing
        assert len(drawing.boxes) <= 2 * BOXES_MAX + LINES_MAX
        assert max(len(box.label) for box in drawing.boxes) <= LABEL_MAX
        assert drawing.width < 30_000
        assert drawing.height < 30_000


def test_a_page_has_few_diagrams() -> None:
    page = render("```mermaid\nsequenceDiagram\n a->>b: x\n```\n\n" * 60, "index", {}).html

    assert page.count("<figure") == DIAGRAMS_MAX


@pytest.mark.parametrize(
    "code",
    ["", "%% nothing", "pie\n a: 1", "sequenceDiagram", "classDiagram", "erDiagram",
     "sequenceDiagram\n" + "a->>b: x\n" * 400, f"sequenceDiagram\n a->>b: {'x' * 600}"],
    ids=["empty", "comment", "pie", "sequence", "classes", "entities", "lines", "line"],
)  # fmt: skip
def test_what_is_not_understood_stays_as_it_is_written(code: str) -> None:
    assert markdown.read_diagram(code) is None
