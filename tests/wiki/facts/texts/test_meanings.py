"""What a comment says of what it is at."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.texts.meanings import meaning


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        ("Opens the till at noon.", "Opens the till at noon."),
        ("NOTE: The till is opened because the key does not match any.", ""),
        ("TODO open the till", ""),
        ("Notes of the till, by day.", "Notes of the till, by day."),
        ("Opens:", ""),
    ],
)
def test_a_remark_and_a_beginning_are_no_meaning(doc: str, words: str) -> None:
    assert meaning(Symbol("start", "function", 1, 4, doc=doc)) == words
