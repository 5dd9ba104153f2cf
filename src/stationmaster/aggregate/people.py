"""What each user did on a day, gathered from the counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from stationmaster.aggregate.metrics import Counts
from stationmaster.rollups.rows import Delegation, ModelUsage, Tier

LEVELS: tuple[Delegation, ...] = ("manual", "spec", "auto-low", "auto-medium", "auto-high")
"""From the least autonomy to the most."""


@dataclass(slots=True)
class Person:
    """One user's day."""

    email: str | None = None
    is_counted: bool = False
    models: list[ModelUsage] = field(default_factory=list)
    """In the order of the breakdown."""
    levels: dict[str, int] = field(default_factory=dict)
    """Tool calls of a known autonomy level."""
    languages: list[str] = field(default_factory=list)
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
    sessions_begun: int = 0

    @property
    def billable_tokens(self) -> int:
        return sum(model.billable_tokens for model in self.models)

    def primary_model(self) -> tuple[str, Tier]:
        """The model with the most credits (of equal ones the first name) and its tier.

        ("", "standard") where there was no model call.
        """
        if not self.models:
            return "", "standard"
        return self.models[0].model_id, self.models[0].model_tier

    def delegation_level(self) -> Delegation:
        """The level of most tool calls, of equal ones the lowest; "manual" where none is known."""
        return max(LEVELS, key=lambda level: self.levels.get(level, 0))


def gather(
    counts: Counts, members: Mapping[str, str], uncounted: Collection[str]
) -> dict[str, Person]:
    """Every user with any activity, by user id.

    `members` gives addresses; users in `uncounted` never count as active users.
    """
    people: dict[str, Person] = {}

    def person(user: str) -> Person:
        return people.setdefault(user, Person())

    active = set(_take_models(counts.tokens_by_user, person))
    for user, autonomy, calls, mcp_calls in records(counts.levels):
        found = person(user)
        found.tool_calls += calls
        found.mcp_calls += mcp_calls
        if autonomy in LEVELS:
            found.levels[autonomy] = calls
        active.add(user)
    for user, *figures in records(counts.people):
        found = person(user)
        found.user_messages = figures[0]
        found.assistant_messages += figures[1]
        found.skill_calls, found.slash_commands, found.hooks, found.git_commits = figures[2:]
        if found.user_messages:
            active.add(user)
    for user, pull_requests in records(counts.pull_requests):
        person(user).git_prs_created = pull_requests
    for user, created, edited in records(counts.files):
        found = person(user)
        found.files_created, found.files_edited = created, edited
    for user, language in records(counts.user_languages):
        people[user].languages.append(language)
    observed = {user: address.strip().lower() for user, address in records(counts.emails)}
    for user, found in people.items():
        found.email = members.get(user) or observed.get(user)
    for user in active.difference(uncounted):
        people[user].is_counted = True
    return dict(sorted(people.items()))


def records(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a small table."""
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _take_models(tokens: pa.Table, person: Callable[[str], Person]) -> Iterator[str]:
    """Add model calls to people; the user of each."""
    for user, model, tier, assistant_messages, *figures in records(tokens):
        found = person(user)
        found.assistant_messages += assistant_messages
        found.models.append(ModelUsage(model, tier, *figures))
        yield user
