"""The recorded sessions of all agents, however their events come: the same bytes."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import Phase, given, settings, strategies as st

from stationmaster import days
from stationmaster.agents.interface import Intake
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.aggregate import lakes
from tests.support import databases, recordings, tellings
from tests.support.tellings import Piece

DAY = days.of_ms(tellings.RECORDED_MS)
SOURCES = ("otlp_logs", "otlp_metrics", "otlp_traces", "hook", "transcript", "store_db", "sidecar")
Bodies = tuple[dict[str, bytes], dict[str, bytes]]
_orgs = count(1)


class Place(NamedTuple):
    """One database and lake for all examples, each of which is an organization; and a home."""

    db: Database
    settings: Settings
    home: Path

    def rolled_up(self, *rounds: list[Piece]) -> Bodies:
        """The documents after rounds of parts, with a roll-up after each."""
        org = OrgId(f"org_{next(_orgs)}")
        for parts in rounds:
            lakes.land(self.db, self.settings, org, [part for part in parts if part], DAY)
            roll_up(self.db, self.settings, org, DAY)
        return lakes.bodies(self.db, org, DAY)


@pytest.fixture(scope="module")
def place(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("deliveries")
    shutil.copyfile(sqlite_template, folder / "state.sqlite3")
    db = Database.open(databases.sqlite_url(folder / "state.sqlite3"))
    yield Place(db, lakes.settings(folder), tellings.make_home(folder / "home"))
    db.close()


@cache
def _live() -> list[Piece]:
    """What comes by itself: exports and hooks."""
    pieces = []
    for agent in recordings.EVERY:
        pieces += tellings.exported(agent) + tellings.hooked(agent)
    return tellings.attributed(pieces)


def _collected(home: Path, cut: tellings.Cut = lambda _: ()) -> list[Piece]:
    pieces = []
    for agent in recordings.EVERY:
        pieces += tellings.filed(agent, home, cut)
    return tellings.attributed(pieces)


@pytest.mark.slow
@settings(
    max_examples=int(os.environ.get("LAW_EXAMPLES", "3")),
    # A seed shrinks to nothing that is easier to understand, and tracing costs more than the test.
    phases=[Phase.reuse, Phase.generate],
)
@given(
    seed=st.integers(0, 2**32),
    silent=st.sets(st.sampled_from(SOURCES), max_size=len(SOURCES) - 1),
    rounds=st.integers(1, 3),
)
def test_order_repeats_parts_cuts_and_roll_ups_in_between_change_no_byte(
    place: Place, seed: int, silent: set[str], rounds: int
) -> None:
    chance = random.Random(seed)
    pieces = _without(silent, _live() + _collected(place.home))
    parts = arrivals(place.home, silent, chance)
    ends = sorted(chance.randint(0, len(parts)) for _ in range(rounds - 1))
    told = [parts[a:b] for a, b in zip([0, *ends], [*ends, len(parts)], strict=True)]

    plain = place.rolled_up([[event for piece in pieces for event in piece]])
    assert place.rolled_up(*told) == plain


def _without(silent: set[str], pieces: list[Piece]) -> list[Piece]:
    return [[event for event in piece if event.source not in silent] for piece in pieces]


def arrivals(home: Path, silent: set[str], chance: random.Random) -> list[Piece]:
    """A few parts in which everything arrives at least once, in any order and company."""

    def cut(lines: int) -> list[int]:
        return [chance.randint(0, lines) for _ in range(chance.randint(0, 4))]

    collected = _without(silent, _collected(home, cut) + _collected(home)[: chance.choice([0, 99])])
    collected += chance.sample(collected, chance.randint(0, len(collected)))
    chance.shuffle(collected)
    pieces = _without(silent, _live()) + _together(collected, chance)
    pieces += chance.sample(pieces, chance.randint(0, len(pieces) // 2))
    chance.shuffle(pieces)
    parts: list[Piece] = [[] for _ in range(chance.randint(1, 5))]
    for piece in pieces:
        chance.choice(parts).extend(piece)
    return parts


def _together(pieces: list[Piece], chance: random.Random) -> list[Piece]:
    """Pieces of files as a collector sends them: several in one delivery, where copies are one."""
    deliveries = []
    while pieces:
        size = chance.randint(1, len(pieces))
        intake = Intake()
        for piece in pieces[:size]:
            for event in piece:
                intake.add(msgspec.structs.replace(event))
        deliveries.append(intake.events)
        pieces = pieces[size:]
    return deliveries


# In the longest pause of Qwen Code's a call ran, which its sources put on either side of it: the
# limit that docs/accuracy.md states.
@pytest.mark.parametrize("agent", [one for one in recordings.RECORDED if one != "qwen-code"])
@pytest.mark.slow
def test_a_session_over_midnight_counts_once_and_its_facts_on_their_days(
    place: Place, agent: str
) -> None:
    # Recorded hooks do not say when they came, and counters not when what they count happened.
    told = tellings.attributed(tellings.exported(agent) + tellings.filed(agent, place.home))
    events = [e for piece in told for e in piece if e.source != "otlp_metrics"]
    times = sorted(event.ts for event in events)
    pause = max(range(1, len(times)), key=lambda n: _inside(events, times[n - 1], times[n]))
    shift = days.start_ms(DAY) - times[pause]
    moved = [msgspec.structs.replace(event, ts=event.ts + shift) for event in events]
    org = OrgId(f"org_{next(_orgs)}")
    both = (DAY - timedelta(days=1), DAY)

    for day in both:
        part = [event for event in moved if days.of_ms(event.ts) == day]
        lakes.land(place.db, place.settings, org, [part], day)
        roll_up(place.db, place.settings, org, day)

    figures = [_figures(lakes.bodies(place.db, org, day)[0]) for day in both]
    assert all(of_day["messages"] for of_day in figures)
    assert sum(figures, Counter()) == +_figures(place.rolled_up([events])[0])


def _inside(events: Piece, before: int, after: int) -> int:
    """How long a pause is within a session, in milliseconds; 0 between sessions."""
    during = {e.root_session_id for e in events if e.ts <= before and e.kind == "tool_call"}
    later = {e.root_session_id for e in events if e.ts >= after and e.kind == "tool_call"}
    return after - before if during & later else 0


def _figures(reports: dict[str, bytes]) -> Counter[str]:
    found: Counter[str] = Counter()
    for report in ("tokens", "tools", "activity", "productivity"):
        for name, figure in msgspec.json.decode(reports[report]).items():
            if name in _ADDED:
                found[name] += figure
    return found


_ADDED = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "tool_calls"),
    *("sessions", "messages", "user_messages", "files_created", "files_edited", "git_commits"),
)
