import itertools
import re

import pytest

from stationmaster.wiki.text.diagrams import (
    LABEL_MAX,
    NODES_MAX,
    Column,
    Diagram,
    Edge,
    entities,
    flowchart,
)
from stationmaster.wiki.text.pruning import EDGES_MAX

merman = pytest.importorskip("merman", reason="it checks diagrams, and is there for tests alone")

HOSTILE = [
    "end", '"]; click n1 "javascript:alert(1)"', "<script>alert(1)</script>", "a\nb\r\nc", "a|b",
    "%%{init}%%", "`code`", "Ünï 漢字 🚂", "#35;#quot;", "subgraph x", "class", "x" * 500, "", " ",
    "-->", "note over n1: x", "style n1 fill:red", "**bold** __it__", "{{}}", "\\n\\", "\u202eevil",
    "-", ":::a", "++x", "loop end", "1. item", "/slash\\", "[*]", "default", "graph TD",
    "@{ shape: x }", "a@b.c",
]  # fmt: skip


def valid(drawn: Diagram | None) -> Diagram:
    """A diagram that a parser of Mermaid takes."""
    assert drawn is not None
    found = merman.Merman().validate(drawn.source, "{}")
    assert found.valid, (drawn.source, found)
    assert drawn.alternative
    return drawn


def all_hostile() -> dict[str, Diagram]:
    labels = {f"{word}{number}": word for number, word in enumerate(HOSTILE)}
    ids = sorted(labels)
    edges = [Edge(a, b, labels[b], is_sure=b > "c") for a, b in itertools.pairwise(ids)]
    few = HOSTILE[:7]
    made = {
        "flowchart": flowchart("A", labels, edges, groups={'x"]': ids[:4], "end": ids[3:9]}),
        "entities": entities(
            "A", {each: [Column(word, word, "PK") for word in HOSTILE] for each in few},
            [Edge(few[n], few[n + 1], HOSTILE[n]) for n in range(6)],
        ),
    }  # fmt: skip
    return {name: valid(each) for name, each in made.items()}


def test_whatever_things_are_called_a_diagram_parses_and_holds_no_order_of_theirs() -> None:
    for drawn in all_hostile().values():
        assert not re.search(
            r"[<>]script|click n\d [\"c]|%%|`|;|javascript:alert\(|\\", drawn.source
        )
        assert all(len(each) <= LABEL_MAX for each in re.findall(r'"([^"\n]*)"', drawn.source))


def test_mermaid_itself_draws_a_diagram_of_hostile_words() -> None:
    mermaidx = pytest.importorskip("mermaidx", reason="it draws diagrams, for tests alone")
    words = {word: word for word in ("end", "1. item", "#35;", "a\nb")}
    drawn = valid(flowchart("A", words, [Edge("end", each) for each in words if each != "end"]))
    assert "<svg" in mermaidx.render(drawn.source).svg()


def test_ids_are_numbers_by_the_order_of_names_whatever_the_order_given() -> None:
    labels = {"b": "B", "a": "A", "c": "C"}
    edges = [Edge("b", "c"), Edge("a", "b", "2")]
    one = flowchart("Parts", labels, edges)
    other = flowchart("Parts", dict(reversed(labels.items())), edges[::-1])
    assert one == other
    assert one is not None
    assert one.source.split("\n") == [
        "flowchart TB", '  n1["A"]', '  n2["B"]', '  n3["C"]', '  n1 -->|"2"| n2', "  n2 --> n3",
    ]  # fmt: skip
    assert list(map(str, one.alternative)) == ["A → B (2)", "B → C"]


def test_all_edges_between_boxes_are_drawn_up_to_a_number() -> None:
    labels = {each: each for each in "abcd"}
    edges = [Edge("a", "b", weight=100), Edge("b", "a", weight=1), Edge("a", "c", weight=1)]
    drawn = valid(flowchart("Parts", labels, edges))
    assert list(map(str, drawn.alternative)) == ["a → b, c", "b → a"]
    names = {f"m{n:02}": f"m{n:02}" for n in range(8)}
    every = [Edge(one, other, weight=len(one)) for one in names for other in names if one != other]
    left = len(every) - EDGES_MAX
    drawn = valid(flowchart("Parts", names, every))
    assert str(drawn.alternative[-1]) == f"Lighter edges between them that are left out: {left}."


def test_of_too_many_boxes_those_with_the_heaviest_edges_are_drawn() -> None:
    labels = {f"m{n:02}": f"m{n:02}" for n in range(32)}
    edges = [Edge("m00", f"m{n:02}", weight=50 - n) for n in range(1, 32)]
    drawn = valid(flowchart("Parts", labels, edges))
    assert drawn.source.count('["') == NODES_MAX
    assert '"m11"' in drawn.source
    assert '"m12"' not in drawn.source
    assert str(drawn.alternative[-1]) == "These are 12 of 32, with the heaviest edges."


def test_groups_are_drawn_around_their_boxes_and_empty_ones_are_not() -> None:
    drawn = valid(flowchart("Parts", {"a": "A", "b": "B"}, [Edge("a", "b")],
                            groups={"Outside": ["b"], "Empty": ["gone"]}))  # fmt: skip
    assert '  subgraph g2["Outside"]\n    n2["B"]\n  end' in drawn.source
    assert "Empty" not in drawn.source


def test_what_is_too_small_to_be_a_picture_is_none() -> None:
    assert flowchart("A", {"a": "A"}, []) is None
    assert flowchart("A", {"a": "A", "b": "B"}, []) is None
    assert entities("A", {"a": [], "b": []}, []) is None
