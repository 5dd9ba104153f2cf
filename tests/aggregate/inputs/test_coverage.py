"""What is kept of a day about its sources: what they told beside what was counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.agents.cards.ranks import precedence
from stationmaster.aggregate import count_days
from stationmaster.db.engine import Database
from stationmaster.events.model import Event, Source
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import coverage
from stationmaster.lake.rollups.coverage import Comparison, Quality
from tests.aggregate import lakes
from tests.aggregate.lakes import DAY

ORG = OrgId("org_a")


def told(kind: str, source: Source, product: str = "claude-code", **fields: object) -> Event:
    rank, group = precedence(product, kind, source)
    given = {"source": source, "source_rank": rank, "source_group": group, "product": product}
    return lakes.event(kind, **given | fields)


def a_call(source: Source, output: int, event_id: str, **fields: object) -> Event:
    return told("model_call", source, output_tokens=output, event_id=event_id, **fields)


def compared(db: Database) -> dict[tuple[str, str], Comparison]:
    return {(each.source, each.figure): each for each in coverage.comparisons(db, ORG, DAY, DAY)}


def test_a_source_that_announces_too_little_is_off_by_a_flagged_difference(
    db: Database, tmp_path: Path
) -> None:
    one, two = "1" * 32, "2" * 32
    events = [
        a_call("otlp_logs", 100, one),
        a_call("otlp_logs", 50, two),
        a_call("transcript", 4, one, quality="output_lower_bound"),
        a_call("transcript", 50, two),
    ]
    # A delivery that is repeated tells nothing twice.
    lakes.rolled_up(db, lakes.settings(tmp_path), ORG, [*events, *events])

    found = compared(db)
    assert found["otlp_logs", "tokens"][3:9] == (1, 0, 150, 150, 0, 0)
    assert found["transcript", "tokens"][3:] == (1, 1, 54, 150, 96, 96, [("s1", 54, 150)])
    assert found["transcript", "tokens"].share == 0
    assert found["transcript", "model_calls"][3:9] == (1, 0, 2, 2, 0, 0)


@pytest.mark.both_databases
def test_a_source_that_misses_a_call_is_off_by_it_and_the_worst_session_is_named(
    db: Database, tmp_path: Path
) -> None:
    events = []
    for session, missing in (("s1", 1), ("s2", 0), ("s3", 2)):
        place = {"root_session_id": session, "product": "opencode", "tool": "Bash"}
        events += [told("tool_call", "store_db", success=True, **place) for _ in range(3)]
        events += [told("tool_call", "otlp_logs", **place) for _ in range(3 - missing)]
        events.append(told("tool_call", "otlp_logs", decision="reject", **place))
    lakes.rolled_up(db, lakes.settings(tmp_path), ORG, events)

    found = compared(db)
    assert found["store_db", "tool_calls"][3:] == (3, 0, 9, 9, 0, 0, [])
    assert found["otlp_logs", "tool_calls"][3:] == (
        *(3, 2, 6, 9, 3, 0),
        [("s3", 1, 3), ("s1", 2, 3)],
    )
    assert found["otlp_logs", "tool_calls"].share == pytest.approx(1 / 3, abs=1e-4)


def test_what_one_source_alone_tells_is_compared_with_nothing(db: Database, tmp_path: Path) -> None:
    events = [
        told("tool_call", "otlp_logs", root_session_id="s1"),
        told("tool_call", "transcript", root_session_id="s2"),
        told("user_message", "transcript", root_session_id="s3"),
        told("tool_call", "otlp_logs", root_session_id="s3"),
        # The agent's own work is in exports alone.
        told("model_call", "otlp_logs", root_session_id="s3", is_auxiliary=True, input_tokens=9),
    ]
    lakes.rolled_up(db, lakes.settings(tmp_path), ORG, events)

    assert {key: found[3:6] for key, found in compared(db).items()} == {
        ("otlp_logs", "tool_calls"): (1, 0, 1),
        ("transcript", "messages"): (1, 0, 1),
    }


def test_quality_is_what_no_event_of_a_session_knows(db: Database, tmp_path: Path) -> None:
    loose = {"session_id": None, "root_session_id": None}
    events = [
        told("session_context", "otlp_logs", client="terminal-ui", repo="git.example/a/b"),
        told("tool_call", "otlp_logs"),
        told("tool_call", "otlp_logs", root_session_id="s2", autonomy="manual"),
        told("model_call", "otlp_logs", root_session_id="s2", quality="clock_skew,estimated"),
        told("user_message", "otlp_logs", **loose),
    ]
    config = lakes.settings(tmp_path)
    lakes.rolled_up(db, config, ORG, events)
    assert coverage.quality(db, ORG, DAY, DAY) == [Quality("claude-code", 4, 1, 3, 3, 2, 1, 1)]

    # A day that is rolled up again is replaced, and days add up.
    lakes.rolled_up(db, config, ORG, [told("tool_call", "otlp_logs", root_session_id="s2")])
    [again] = coverage.quality(db, ORG, DAY, DAY)
    assert (again.events, again.without_session) == (5, 1)
    assert coverage.quality(db, OrgId("org_b"), DAY, DAY) == []


@pytest.mark.both_databases
def test_agents_that_somebody_invents_are_kept_up_to_a_number(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_days, "PRODUCTS_COVERED_MAX", 2)
    events = [
        told("tool_call", source, product=f"p{n}", tool="t")
        for n in range(5)
        for source in ("hook", "transcript")
    ]
    lakes.rolled_up(db, lakes.settings(tmp_path), ORG, events)

    assert [each.product for each in coverage.quality(db, ORG, DAY, DAY)] == ["p0", "p1"]
    assert {each.product for each in coverage.comparisons(db, ORG, DAY, DAY)} == {"p0", "p1"}
