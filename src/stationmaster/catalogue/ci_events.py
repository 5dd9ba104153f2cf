"""What CI systems call their events, in the words of one of them all: `ci_events.toml`."""

from __future__ import annotations

from functools import cache
from typing import Literal

from stationmaster.catalogue.table import read

EventKind = Literal[
    "push",
    "pull_request",
    "pull_request_target",
    "tag",
    "release",
    "schedule",
    "manual",
    "api",
    "comment",
    "issue",
    "merge_queue",
    "workflow_chain",
    "reusable_call",
    "external",
    "deployment",
    "other",
]
"""One word for what every system calls its own way; `pull_request_target` is any event that runs
with privileges on what outsiders send."""


@cache
def of_system(system: str) -> dict[str, EventKind]:
    """The kinds of a system's events by the system's own words, in the order of the table."""
    tables = read("ci_events", dict[str, dict[EventKind, tuple[str, ...]]])
    return {word: kind for kind, words in tables[system].items() for word in words}


def kind(event: str) -> EventKind:
    """The common word for an event of any system but GitHub's; `other` for unknown ones."""
    return of_system("others").get(event.lower(), "other")


def kind_github(event: str, *, tags_only: bool = False) -> EventKind:
    """The common word for an event of GitHub Actions; `tag` for a push that takes tags alone."""
    if event == "push" and tags_only:
        return "tag"
    return of_system("github").get(event, "other")
