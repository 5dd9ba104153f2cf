"""Words of a question are found in code in other forms, in short, and by words for the same."""

from __future__ import annotations

import pytest

from stationmaster.wiki.searching.wanted import OTHER, Wanted


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("When are sessions saved?", "saveSession", 1.0),
        ("duplicates", "find_duplicate", 1.0),
        ("How is it calculated?", "compute", OTHER),
        ("Which are removed?", "deleteAll", OTHER),
        ("Which endpoints are there?", "route", OTHER),
        ("Which file?", "profile", None),
        ("Which IP?", "ipsum", None),
    ],
)
def test_a_word_matches_its_forms_and_less_other_words_for_it(
    question: str, text: str, share: float | None
) -> None:
    assert Wanted(question).within(text).get(0) == share


def test_a_name_also_has_words_in_short() -> None:
    wanted = Wanted("How are duplicates authenticated?")

    assert wanted.named("dupAuth") == {0: OTHER, 1: OTHER}
    assert wanted.within("dup of auth").get(0) is None


def test_words_that_only_say_that_something_is_done_count_where_there_are_no_others() -> None:
    assert [word.whole for word in Wanted("How does it decide about jobs?").words] == ["jobs"]
    assert [word.whole for word in Wanted("How does it decide?").words] == ["decide"]
    assert Wanted("???").words == []
