"""Answers of records, and If-None-Match in all its forms."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from stationmaster.api.wire import Answer, Identified, matches

TAG = '"abc"'


@pytest.mark.parametrize(
    "header", ['"abc"', 'W/"abc"', '"x", "abc"', '"x",W/"abc" , "y"', "*", " * "]
)
def test_a_header_that_names_the_tag_matches(header: str) -> None:
    assert matches(header, TAG)


@pytest.mark.parametrize("header", [None, "", '"x"', "abc", '"ab', '"abcd"', 'W/"x", "y"', '"*"'])
def test_any_other_header_does_not(header: str | None) -> None:
    assert not matches(header, TAG)


class Tool(NamedTuple):
    tool_id: str
    kind: str
    secret: str
    place: tuple[int, int]
    run_count: int


class ToolAnswer(Identified, record=Tool, without=("tool_id", "secret")):
    place: str
    is_new: bool


def test_an_answer_of_a_record_has_its_fields_in_order_but_for_those_it_is_without() -> None:
    tool = Tool("t1", "linter", "hidden", (3, 4), 7)
    answer = ToolAnswer.of(tool, id=tool.tool_id, place="3:4", is_new=True)

    assert answer.model_dump_json(by_alias=True) == (
        '{"id":"t1","kind":"linter","place":"3:4","runCount":7,"isNew":true}'
    )


def test_an_answer_without_a_record_has_only_its_own_fields() -> None:
    class Plain(Answer):
        name: str

    assert [*Plain.model_fields] == ["name"]
