"""Who sent a record of Claude Code, and in which conversation: read once for all records of a
session in one request, because each record repeats it."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.claude_code import words
from stationmaster.agents.interface import Attributes, Resource
from stationmaster.agents.values import name
from stationmaster.events.model import Client, Event


class _Sender(msgspec.Struct, frozen=True, gc=False):
    """What all records of one session of one sender have in common."""

    session: str | None
    version: str | None
    email: str | None
    installation: str | None
    account: str | None
    team: str | None
    client: Client | None
    surface: str | None


_SESSION = (
    *("session.id", "app.version", "user.email", "user.id", "user.account_uuid", "team"),
    "app.entrypoint",
)
"""The attributes that `_Sender` is read from."""


def fill(event: Event, resource: Resource, attributes: Attributes, ts: int) -> str:
    """Set what every record reports of its sender and conversation; the session's id or ""."""
    get = attributes.get
    values = tuple(map(get, _SESSION))
    try:
        sender = resource.senders.get(values)
    except TypeError:
        # A list where a text belongs: it is no key, and means nothing.
        values = tuple(value if type(value) is str else None for value in values)
        sender = resource.senders.get(values)
    if sender is None:
        sender = resource.senders[values] = _sender(resource, *values)
    session = sender.session
    event.ts = ts
    event.session_id = event.root_session_id = session
    event.turn_id = name(get("prompt.id"))
    event.product_version = sender.version
    event.user_email = sender.email
    event.installation = sender.installation
    event.account = sender.account
    event.team = sender.team
    if sender.client is not None:
        event.client, event.surface = sender.client, sender.surface
    if session is None:
        event.quality = "no_session"
        return ""
    return session


def _sender(
    resource: Resource,
    session: Any,
    version: Any,
    email: Any,
    installation: Any,
    account: Any,
    team: Any,
    entrypoint: Any,
) -> _Sender:
    client: Client | None = None
    surface = None
    if entrypoint is not None:
        client, surface = words.client_of_entrypoint(name(entrypoint))
    elif resource.service_name == "claude-code-desktop":
        client, surface = "terminal-ui", "desktop"
    return _Sender(
        session=name(session),
        version=name(version) or resource.service_version,
        email=name(email or resource.attributes.get("user.email")),
        installation=name(installation),
        account=name(account),
        team=name(team or resource.attributes.get("team")),
        client=client,
        surface=surface,
    )
