"""The menu: every page with the roles that may open it, in groups."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.access.model import Caller, Role

EVERYONE: tuple[Role, ...] = ("owner", "manager", "member", "guest")
MEMBERS: tuple[Role, ...] = ("owner", "manager", "member")
MANAGERS: tuple[Role, ...] = ("owner", "manager")


class MenuPage(NamedTuple):
    """A page of the menu."""

    path: str
    name: str
    roles: tuple[Role, ...]


MENU: tuple[tuple[str, tuple[MenuPage, ...]], ...] = (
    (
        "",
        (
            MenuPage("/", "Overview", MANAGERS),
            MenuPage("/me", "My usage", EVERYONE),
            MenuPage("/spend", "Spend", MANAGERS),
            MenuPage("/use", "Use", MANAGERS),
            MenuPage("/output", "Output", MANAGERS),
            MenuPage("/people", "People", MANAGERS),
            MenuPage("/teams", "Teams", MANAGERS),
            MenuPage("/sessions", "Sessions", EVERYONE),
            MenuPage("/repositories", "Repositories", MEMBERS),
            MenuPage("/wiki", "Wikis", MEMBERS),
            MenuPage("/limits", "Limits", EVERYONE),
            MenuPage("/computers", "Computers", MEMBERS),
            MenuPage("/coverage", "Coverage", MANAGERS),
            MenuPage("/connect", "Connect", MEMBERS),
        ),
    ),
    (
        "Settings",
        (
            MenuPage("/settings/api-keys", "API keys", EVERYONE),
            MenuPage("/settings/organization", "Organization", MANAGERS),
            MenuPage("/settings/members", "Members", MANAGERS),
            MenuPage("/settings/sign-in", "Sign-in", MANAGERS),
            MenuPage("/settings/service-accounts", "Service accounts", MANAGERS),
            MenuPage("/settings/alerts", "Alerts", MANAGERS),
            MenuPage("/settings/jobs", "Jobs", MEMBERS),
            MenuPage("/settings/audit", "Audit log", ("owner",)),
            MenuPage("/reference", "API reference", EVERYONE),
        ),
    ),
)
"""Groups with their pages, in the order in which they are shown."""

SETTINGS: tuple[MenuPage, ...] = (
    MenuPage("/settings/organization#privacy", "Privacy: how people are shown", MANAGERS),
    MenuPage("/settings/organization#zone", "Time zone", MANAGERS),
    MenuPage("/settings/sign-in", "Identity providers: add, change, test, remove", MANAGERS),
    MenuPage("/settings/organization#retention", "Retention of raw events", MANAGERS),
    MenuPage("/settings/organization#prices", "Price lists: import, age, remove", MANAGERS),
    MenuPage("/settings/members#invite", "Invite a person, roles, remove or erase", MANAGERS),
    MenuPage("/settings/api-keys#create", "Create an API key", EVERYONE),
    MenuPage("/limits", "Credit limits, default limit", MANAGERS),
    MenuPage("/limits/budgets/new", "Add a budget", MANAGERS),
    MenuPage("/limits/own#ask", "Ask for more of a budget", EVERYONE),
    MenuPage("/computers/secrets", "Secrets of computers", MANAGERS),
    MenuPage("/spend/what-if", "What-if with another rate card", MANAGERS),
    MenuPage("/install", "Install the client", EVERYONE),
)
"""Settings and tools inside of pages, as the search finds them."""


def shown_to(caller: Caller | None) -> list[tuple[str, list[MenuPage]]]:
    """The groups with the pages that a person may open."""
    if caller is None:
        return []
    groups = [
        (name, [entry for entry in entries if caller.role in entry.roles]) for name, entries in MENU
    ]
    return [group for group in groups if group[1]]


def home(caller: Caller) -> str:
    """The page on which a person begins: the first one of the menu."""
    return shown_to(caller)[0][1][0].path
