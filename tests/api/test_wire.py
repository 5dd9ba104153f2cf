"""If-None-Match in all its forms."""

from __future__ import annotations

import pytest

from stationmaster.api.wire import matches

TAG = '"abc"'


@pytest.mark.parametrize(
    "header", ['"abc"', 'W/"abc"', '"x", "abc"', '"x",W/"abc" , "y"', "*", " * "]
)
def test_a_header_that_names_the_tag_matches(header: str) -> None:
    assert matches(header, TAG)


@pytest.mark.parametrize("header", [None, "", '"x"', "abc", '"ab', '"abcd"', 'W/"x", "y"', '"*"'])
def test_any_other_header_does_not(header: str | None) -> None:
    assert not matches(header, TAG)
