"""Copies of one event in one delivery become one event, as they would in two."""

from __future__ import annotations

import pytest

from stationmaster.agents.interface import Intake
from tests.support.builders import an_event

ID = "1" * 32


@pytest.mark.parametrize("is_better_first", [True, False])
def test_the_copy_of_the_better_source_counts_whichever_comes_first(is_better_first: bool) -> None:
    better = {"event_id": ID, "source": "transcript", "source_rank": 1, "source_group": 1}
    worse = {"event_id": ID, "source": "stream_json", "source_rank": 2, "source_group": 2}
    copies = [an_event(**better, output_tokens=5), an_event(**worse, output_tokens=9, branch="b")]
    intake = Intake()

    for copy in copies if is_better_first else copies[::-1]:
        intake.add(copy)

    [event] = intake.events
    assert (event.source, event.source_group) == ("transcript", 1)
    assert (event.output_tokens, event.branch) == (5, "b")


def test_of_two_copies_of_one_source_the_one_with_more_output_counts() -> None:
    intake = Intake()

    for output in (3, 9, 5):
        intake.add(an_event(event_id=ID, output_tokens=output))

    assert [event.output_tokens for event in intake.events] == [9]
