"""Answers of records, and If-None-Match in all its forms."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from stationmaster.api.wire import Answer, matches, sent_as

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


class ToolAnswer(Answer, record=Tool, without=("secret",)):
    tool_id: str = sent_as("id")
    place: str
    is_new: bool


def test_an_answer_of_a_record_has_its_fields_in_order_without_some_and_with_new_names() -> None:
    tool = Tool("t1", "linter", "hidden", (3, 4), 7)
    answer = ToolAnswer.of(tool, place="3:4", is_new=True)

    assert answer.model_dump_json(by_alias=True) == (
        '{"id":"t1","kind":"linter","place":"3:4","runCount":7,"isNew":true}'
    )


def test_an_answer_without_a_record_has_only_its_own_fields() -> None:
    class Plain(Answer):
        name: str

    assert [*Plain.model_fields] == ["name"]
