"""How declarations are shown."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.pages.explaining import shown, signature
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ("def pay( self, till: Till, ) -> None", "pay(self, till: Till) -> None"),
        ("fn pay(&self, coins: [u8; 2]) -> u8", "pay(&self, coins: [u8; 2]) -> u8"),
        ("def pay(coins: tuple[int, ...] = (1,)) -> int", None),
        ("async export (till, coins)", "export (till, coins)"),
    ],
)
def test_a_list_over_several_lines_is_shown_as_one_line(head: str, shown: str | None) -> None:
    expected = shown or head.removeprefix("def ")
    assert signature(Symbol("pay", "function", 1, 4, signature=head), 100) == expected


def test_methods_that_a_subclass_has_to_write_are_shown() -> None:
    contents = {
        "Job.java": "package shop;\n\n/** Work of the shop. */\npublic abstract class Job {\n"
        "    abstract protected Runnable work();\n    /** Runs it now. */\n"
        "    public void begin() { work().run(); }\n"
        "    private void log() { }\n}\n",
    }
    facts = facts_of(contents)
    page = Page(facts, "modules/shop", "Shop")
    job = shown(page, facts, Spot("Job.java", "Job"))
    assert job
    assert job.others == "`Runnable work()` (abstract)"
