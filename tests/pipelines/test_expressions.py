from __future__ import annotations

import pytest

from stationmaster.pipelines.expressions import embedded, flows, parse, references, truth


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a ${{ github.head_ref }} b", ["github.head_ref"]),
        ("${{ github.event['issue'].TITLE || 'x' }}", ["github.event.issue.title"]),
        ("${{ a.b == 'x' && c.d || e.f }}", ["c.d", "e.f"]),
        ("${{ contains(a.b, 'x') }} ${{ !a.b }} ${{ startsWith(a.b, c.d) }}", []),
        ("${{ format('{0}', a.b) }}${{ c.d }}", ["a.b", "c.d"]),
        ("${{ a.b[0].c }} ${{ a[b.c].d }} ${{ a.*.d }}", ["a.b.0.c", "a.*.d", "a.*.d"]),
        ("${{ 'it''s }} not' }}", []),
        ("${{ a.b", []),
        # What cannot be read may be anything that it names.
        ("${{ a.b ? c.d : 'x' }}", ["a.b", "c.d"]),
    ],
)
def test_the_values_that_may_come_out_of_a_text_are_told(text: str, paths: list[str]) -> None:
    assert [flow.path for flow in flows(text)] == paths


def test_all_of_an_object_comes_out_as_json() -> None:
    assert [(flow.path, flow.is_whole) for flow in flows("${{ toJSON(github.event) }}")] == [
        ("github.event", True)
    ]


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        ("${{ true }}", True),
        ("false || known", True),
        ("!known", False),
        ("other && !known", False),
        ("other || false", None),
        ("(other && known) || false", None),
        ("'text'", True),
        ("''", False),
    ],
)
def test_a_condition_is_true_or_false_when_enough_of_it_is_known(
    condition: str, is_true: bool | None
) -> None:
    told = truth(parse(condition), lambda atom: True if "known" in references(atom) else None)
    assert told == is_true


@pytest.mark.attack
@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "!" * 100_000 + "a",
        " || ".join(["a.b"] * 50_000),
        "a" + "[b" * 50_000,
        "f(" * 50_000,
        "'" * 99_999,
        "\x00\ud800 a.b",
        "a..b",
        "",
    ],
)
def test_hostile_expressions_are_read_within_bounds(text: str) -> None:
    assert len(list(references(parse(text)))) <= 1_000
    assert len(flows("${{ " + text + " }}")) <= 1_000
    assert len(embedded("${{" * 50_000)) <= 1_000
