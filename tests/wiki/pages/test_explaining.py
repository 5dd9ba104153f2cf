"""How declarations are shown."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.pages.explaining import signature


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ("def pay( self, till: Till, ) -> None", "pay(self, till: Till) -> None"),
        ("fn pay(&self, coins: [u8; 2]) -> u8", "pay(&self, coins: [u8; 2]) -> u8"),
        ("def pay(coins: tuple[int, ...] = (1,)) -> int", None),
    ],
)
def test_a_list_over_several_lines_is_shown_as_one_line(head: str, shown: str | None) -> None:
    expected = shown or head.removeprefix("def ")
    assert signature(Symbol("pay", "function", 1, 4, signature=head), 100) == expected
