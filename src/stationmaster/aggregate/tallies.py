"""What each user did on a day, or each group of them: slices, added up by a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stationmaster.aggregate.slices import Slices, records
from stationmaster.lake.rollups.rows import Delegation, ModelUsage, Tier

LEVELS: tuple[Delegation, ...] = ("manual", "spec", "auto-low", "auto-medium", "auto-high")
"""From the least autonomy to the most."""


@dataclass
class Tally:
    """The day of one user, or of all that one agent, repository or team saw."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)
    """Model calls: model, tier and five figures, in any order."""
    levels: dict[str, int] = field(default_factory=dict)
    """Tool calls of a known autonomy level."""
    languages: set[str] = field(default_factory=set)
    tool_calls: int = 0
    mcp_calls: int = 0
    skill_calls: int = 0
    slash_commands: int = 0
    hooks: int = 0
    user_messages: int = 0
    assistant_messages: int = 0
    files_created: int = 0
    files_edited: int = 0
    git_commits: int = 0
    git_prs_created: int = 0

    @property
    def billable_tokens(self) -> int:
        """Standard Credits of all calls."""
        return sum(call[2] for call in self.calls)

    def credits(self) -> tuple[int, ...]:
        """Credits and the four token counters."""
        return tuple(sum(call[n] for call in self.calls) for n in range(2, 7))

    @cached_property
    def models(self) -> list[ModelUsage]:
        """In the order of the breakdown; for when all calls are in."""
        return usages(self.calls)

    def primary_model(self) -> tuple[str, Tier]:
        """The model with the most credits (of equal ones the first name) and its tier.

        ("", "standard") where there was no model call.
        """
        if not self.calls:
            return "", "standard"
        first = self.models[0]
        return first.model_id, first.model_tier

    def delegation_level(self) -> Delegation:
        """The level of most tool calls, of equal ones the lowest; "manual" where none is known."""
        return max(LEVELS, key=lambda level: self.levels.get(level, 0))


def gather(slices: Slices, keys: Sequence[str]) -> dict[str, Tally]:
    """Everything that anybody did, by the key of its slice, in the order of the keys.

    `keys` has one for every slice of the day, by its number. Tables that were not read add nothing.
    """
    by_key: dict[str, Tally] = {}

    def tally(number: int) -> Tally:
        mine = by_key.get(keys[number])
        if mine is None:
            mine = by_key[keys[number]] = Tally()
        return mine

    def rows(name: str) -> Iterable[tuple[Any, ...]]:
        return records(slices[name]) if slices.has(name) else ()

    for number, model, tier, assistant_messages, *figures in rows("tokens"):
        mine = tally(number)
        mine.assistant_messages += assistant_messages
        mine.calls.append((model, tier, *figures))
    for number, autonomy, calls, mcp_calls in rows("levels"):
        mine = tally(number)
        mine.tool_calls += calls
        mine.mcp_calls += mcp_calls
        if autonomy in LEVELS:
            mine.levels[autonomy] = mine.levels.get(autonomy, 0) + calls
    for number, *figures in rows("people"):
        mine = tally(number)
        mine.user_messages += figures[0]
        mine.assistant_messages += figures[1]
        mine.skill_calls += figures[2]
        mine.slash_commands += figures[3]
        mine.hooks += figures[4]
        mine.git_commits += figures[5]
    for number, pull_requests in rows("pull_requests"):
        tally(number).git_prs_created += pull_requests
    for number, _, language, created, edited in rows("file_changes"):
        mine = tally(number)
        mine.files_created += created
        mine.files_edited += edited
        if language:
            mine.languages.add(language)
    return dict(sorted(by_key.items()))


def begun(slices: Slices, keys: Sequence[str]) -> Counter[str]:
    """Sessions that began on the day, by the key of the slice in which they did."""
    sessions = slices["sessions"]
    return Counter(
        keys[number] for number in sessions.filter(sessions["is_begun"])["slice"].to_pylist()
    )


def counted(slices: Slices, keys: Sequence[str]) -> dict[str, set[str]]:
    """The active users of each key."""
    numbers = range(slices.whole("slices").num_rows)
    chosen = slices.chosen.to_pylist() if slices.chosen is not None else [True] * len(numbers)
    is_counted, users = slices.column("is_counted"), slices.column("user_id")
    by_key: dict[str, set[str]] = {}
    for number in numbers:
        if chosen[number] and is_counted[number]:
            by_key.setdefault(keys[number], set()).add(users[number])
    return by_key


def usages(calls: Iterable[tuple[Any, ...]]) -> list[ModelUsage]:
    """Model calls (model, tier, five figures) added up by model, in the order of the breakdown.

    A model's tier is "thinking" when any of its calls ran with reasoning.
    """
    by_model: dict[str, list[Any]] = {}
    for model, tier, *figures in calls:
        before = by_model.get(model)
        if before is None:
            by_model[model] = [tier, *figures]
        else:
            sums = (a + b for a, b in zip(before[1:], figures, strict=True))
            by_model[model] = [max(before[0], tier), *sums]
    models = [ModelUsage(model, *rest) for model, rest in by_model.items()]
    return sorted(models, key=lambda usage: (-usage.billable_tokens, usage.model_id))
