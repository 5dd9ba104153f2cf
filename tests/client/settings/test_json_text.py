"""Changes to a JSON text touch what they change and not one byte more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stationmaster.client.settings import json_text

NAMES = st.text('abé"\\ \U0001f600', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
INDENTS = st.sampled_from([None, 2, 4, "\t"])


def with_member(content: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    inner = content.get(path[0])
    if len(path) > 1:
        value = with_member(inner if isinstance(inner, dict) else {}, path[1:], value)
    return {**content, path[0]: value}


@given(OBJECTS, st.lists(NAMES, min_size=1, max_size=3), VALUES, INDENTS)
def test_a_value_that_is_put_is_there_and_everything_else_stays(
    content: dict[str, Any], names: list[str], value: Any, indent: Any
) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=False)

    changed = json_text.put(text, tuple(names), value)

    assert list(json.loads(changed).items()) == list(
        with_member(content, tuple(names), value).items()
    )


@given(OBJECTS, OBJECTS, INDENTS)
def test_what_is_added_and_taken_back_gives_the_same_text(
    content: dict[str, Any], added: dict[str, Any], indent: Any
) -> None:
    before = json.dumps(content, indent=indent, ensure_ascii=False)
    written = before
    for name, value in added.items():
        if name not in content:
            written = json_text.put(written, (name,), value)

    assert json_text.taken_back(written, before, written) == before


@pytest.mark.parametrize("text", ["", "\ufeff", " \n"])
def test_an_empty_text_becomes_an_object(text: str) -> None:
    changed = json_text.put(text, ("a", "b"), 1)

    assert json.loads(changed.removeprefix("\ufeff")) == {"a": {"b": 1}}
    assert changed.startswith("\ufeff") == text.startswith("\ufeff")


def test_items_are_appended_in_the_style_of_the_text() -> None:
    text = '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}\r\n'

    assert json_text.append(text, ("a",), {"b": 2}) == (
        '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t]\r\n}\r\n'
    )


def test_a_text_of_one_line_stays_one() -> None:
    assert json_text.put('{"a": 1}', ("b", "c"), [1]) == '{"a": 1, "b": {"c": [1]}}'


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ('{"a": 9, "b": {"x": 1}}', '{"a": 9}'),
        ('{"b": {"x": 2}, "a": 2}', '{"b": {"x": 2}, "a": 1}'),
        ('{"a": 2, "l": ["mine", "ours", "also mine"]}', '{"a": 1, "l": ["mine", "also mine"]}'),
        ('{"a": true, "l": ["ours"]}', '{"a": true, "l": []}'),
    ],
)
def test_only_what_is_still_as_it_was_written_is_taken_back(now: str, left: str) -> None:
    before, written = '{"a": 1, "l": []}', '{"a": 2, "l": ["ours"], "b": {"x": 1}}'

    assert json_text.taken_back(now, before, written) == left


@pytest.mark.parametrize("text", ["// x\n{}", "[]", '{"a": 1, "a": 2}', "[" * 100_000])
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_text.parse(text)
