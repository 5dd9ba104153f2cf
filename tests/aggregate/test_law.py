"""The law of sources: another source never takes anything away, and nothing counts twice.

Every recording of every agent and version is counted from each of its sources alone, from every
pair of them, and from all together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from stationmaster.events.model import Event
from tests.aggregate import mixtures
from tests.aggregate.mixtures import NAMES, TOKENS, Figures
from tests.support import recordings

Sources = frozenset[str]
Counted = Callable[[Sources], dict[str, Figures]]


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    folder = tmp_path_factory.mktemp("homes")
    return [event for name in NAMES for event in mixtures.events_of(name, folder / name)]


@pytest.fixture(scope="module")
def counted(events: list[Event], tmp_path_factory: pytest.TempPathFactory) -> Counted:
    """Counts all recordings at once from some sources, each mixture once."""
    folder = tmp_path_factory.mktemp("engine")

    @cache
    def of(sources: Sources) -> dict[str, Figures]:
        return mixtures.counted([e for e in events if e.source in sources], folder)

    return of


@pytest.fixture(scope="module")
def estimated(events: list[Event]) -> set[tuple[str | None, str]]:
    """Recordings and sources that call what they report of models or tools an estimate."""
    return {
        (event.user_id, event.source)
        for event in events
        if event.kind in ("model_call", "tool_call") and "estimated" in (event.quality or "")
    }


@pytest.fixture(scope="module")
def sources_of(events: list[Event]) -> dict[str, Sources]:
    return {
        name: frozenset(event.source for event in events if event.user_id == name) for name in NAMES
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_mixture_of_sources_reports_less_than_one_of_them_or_more_than_happened(
    name: str,
    counted: Counted,
    sources_of: dict[str, Sources],
    estimated: set[tuple[str | None, str]],
) -> None:
    sources = sorted(sources_of[name])
    truth, most = _truth(name), _at_most(name)
    alone = {source: counted(frozenset({source})).get(name, Counter()) for source in sources}
    wrong = []
    for mixture in {*combinations(sources, 2), tuple(sources)}:
        together = counted(frozenset(mixture))[name]
        for figure in {figure for source in mixture for figure in alone[source]}:
            told = [
                alone[source][figure]
                for source in mixture
                if figure not in TOKENS or (name, source) not in estimated
            ]
            if figure.startswith("tool ") and any(_foreign(alone[s], truth) for s in mixture):
                # Some sources know a tool by a name of their own.
                continue
            # One source alone may not know that a tool was refused, or an answer a subagent's.
            known = truth if figure == "answers" else most
            least = max((min(n, known.get(figure, n)) for n in told), default=0)
            reported = [alone[source][figure] for source in mixture]
            is_known = figure in truth and any(truth[figure] <= n <= most[figure] for n in reported)
            # Counters alone cannot tell a session from the id of a process that resumes one, nor
            # to which of several sessions a call of the gateway belongs.
            is_sure = (
                not any((name, source) in estimated for source in mixture)
                and not (
                    figure == "sessions"
                    and "otlp_metrics" in mixture
                    and "otlp_logs" not in mixture
                )
                and set(mixture) != {"gateway", "otlp_metrics"}
            )
            limit = most[figure] if is_known and is_sure else sum(reported)
            if not least <= together[figure] <= limit:
                wrong.append((mixture, figure, told, together[figure], (least, limit)))
    assert wrong == []


def _foreign(figures: Figures, truth: Figures) -> bool:
    return any(figure.startswith("tool ") and figure not in truth for figure in figures)


def _truth(name: str) -> Figures:
    """What happened in the sessions of a recording, as its `expected.json` has it."""
    found: Figures = Counter()
    for session in recordings.expected(name):
        tokens = session["tokens"]
        found["input_tokens"] += tokens["input_not_cached"] or 0
        found["output_tokens"] += tokens["output_with_reasoning"] or 0
        found["cache_read_tokens"] += tokens["cache_read"] or 0
        found["cache_write_tokens"] += tokens["cache_write"] or 0
        found["answers"] += session["model_calls"]["main"] - sum(
            1 for call in session.get("calls", []) if call.get("by_subagent")
        )
        found["user_messages"] += session["user_messages"]
        found["commits"] += len(session["git_commits"])
        found["files"] += len(session["files"])
        found["sessions"] += len(session.get("session_ids", [0]))
        found.update(f"tool {_tool(call)}" for call in _ran(session))
    for path in (recordings.folder(name) / "hooks").glob("*.json"):
        found[f"hook {path.stem.rsplit('-', 1)[1]}"] += 1
    return found


def _at_most(name: str) -> Figures:
    """The same with what was spent besides: the agent's own calls, which some sources report and
    which may look like answers, and calls that were broken off. And the hooks that ran."""
    found = _truth(name)
    if name == "claude-2.1.120":
        # One of its hooks left no file.
        found["hook PreToolUse"] += 1
    for session in recordings.expected(name):
        side = session["side_call_tokens"]
        found["input_tokens"] += side["input"] or 0
        found["output_tokens"] += side["output"] or 0
        found["answers"] += (side["input"] or 0) // 40
        for call in session.get("calls", []):
            if call.get("kind") == "aborted":
                usage = call["usage"]
                found["answers"] += 1
                for field, key in _USAGE.items():
                    found[field] += usage.get(key) or 0
    return found


_USAGE = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
}


def _ran(session: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for call in session["tool_calls"] if call["outcome"] != "refused"]


def _tool(call: dict[str, Any]) -> str:
    return str(call["runs_as"]).replace(" ", "__")
