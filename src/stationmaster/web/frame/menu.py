"""The menu: every page with the roles that may open it, in groups."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.access.model import Caller, Role

EVERYONE: tuple[Role, ...] = ("owner", "manager", "member", "guest")
MEMBERS: tuple[Role, ...] = ("owner", "manager", "member")
MANAGERS: tuple[Role, ...] = ("owner", "manager")


class Entry(NamedTuple):
    """A page of the menu."""

    path: str
    name: str
    roles: tuple[Role, ...]


MENU: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        "",
        (
            Entry("/", "Overview", MANAGERS),
            Entry("/me", "My usage", EVERYONE),
            Entry("/spend", "Spend", MANAGERS),
            Entry("/use", "Use", MANAGERS),
            Entry("/output", "Output", MANAGERS),
            Entry("/people", "People", MANAGERS),
            Entry("/teams", "Teams", MANAGERS),
            Entry("/sessions", "Sessions", EVERYONE),
            Entry("/repositories", "Repositories", MEMBERS),
            Entry("/limits", "Limits", EVERYONE),
            Entry("/computers", "Computers", MEMBERS),
            Entry("/coverage", "Coverage", MANAGERS),
            Entry("/connect", "Connect", MEMBERS),
        ),
    ),
    (
        "Settings",
        (
            Entry("/settings/api-keys", "API keys", EVERYONE),
            Entry("/settings/organization", "Organization", MANAGERS),
            Entry("/settings/members", "Members", MANAGERS),
            Entry("/settings/sign-in", "Sign-in", MANAGERS),
            Entry("/settings/service-accounts", "Service accounts", MANAGERS),
            Entry("/settings/alerts", "Alerts", MANAGERS),
            Entry("/settings/jobs", "Jobs", MEMBERS),
            Entry("/settings/audit", "Audit log", ("owner",)),
            Entry("/reference", "API reference", EVERYONE),
        ),
    ),
)
"""Groups with their pages, in the order in which they are shown."""

SETTINGS: tuple[Entry, ...] = (
    Entry("/settings/organization#privacy", "Privacy: how people are shown", MANAGERS),
    Entry("/settings/organization#zone", "Time zone", MANAGERS),
    Entry("/settings/sign-in", "Identity providers: add, change, test, remove", MANAGERS),
    Entry("/settings/organization#retention", "Retention of raw events", MANAGERS),
    Entry("/settings/organization#prices", "Price lists: import, age, remove", MANAGERS),
    Entry("/settings/members#invite", "Invite a person, roles, remove or erase", MANAGERS),
    Entry("/settings/api-keys#create", "Create an API key", EVERYONE),
    Entry("/limits", "Credit limits, default limit", MANAGERS),
    Entry("/limits/budgets/new", "Add a budget", MANAGERS),
    Entry("/limits/own#ask", "Ask for more of a budget", EVERYONE),
    Entry("/computers/secrets", "Secrets of computers", MANAGERS),
    Entry("/spend/what-if", "What-if with another rate card", MANAGERS),
    Entry("/install", "Install the client", EVERYONE),
)
"""Settings and tools inside of pages, as the search finds them."""


def shown_to(caller: Caller | None) -> list[tuple[str, list[Entry]]]:
    """The groups that somebody may open pages of, with those pages."""
    if caller is None:
        return []
    groups = [
        (name, [entry for entry in entries if caller.role in entry.roles]) for name, entries in MENU
    ]
    return [group for group in groups if group[1]]


def home(caller: Caller) -> str:
    """The page on which somebody begins: the first one of the menu."""
    return shown_to(caller)[0][1][0].path
