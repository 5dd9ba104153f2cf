"""How one agent of the family differs from the others, and what all report of their sender."""

from __future__ import annotations

import msgspec

from stationmaster.agents.gemini_lineage import words
from stationmaster.agents.interface import Attributes, Resource
from stationmaster.agents.values import flag, name
from stationmaster.events.model import Event


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of the family."""

    product: str
    prefix: str
    """What its log records and metrics are called by, with its dot."""
    provider: str | None
    """Whose models it calls, where it cannot call others."""
    names_version: bool
    """Is `service.version` its own? Gemini CLI puts that of its runtime there."""
    has_thoughts_in_output: bool
    """Does its output figure include thoughts, where no total shows it?"""
    has_prompt_numbers: bool
    """Does a prompt's id name one prompt? Gemini CLI's is the session's where it runs headless."""
    accepts_by_person: bool
    """Does `accept` mean that a person was asked? Gemini CLI reports it for its own consent,
    too."""
    has_records_of: frozenset[str]
    """The tools whose effects, files and skills, have log records of their own."""


def set_sender(
    event: Event,
    lineage: Lineage,
    resource: Resource,
    attributes: Attributes,
    session: str | None = None,
) -> None:
    """Set session, person, client and version as an exported record and its resource name them."""
    get, of_resource = attributes.get, resource.attributes.get
    session = session or name(get("session.id")) or name(of_resource("session.id"))
    event.session_id = event.root_session_id = session
    if session is None:
        event.quality = "no_session"
    event.user_email = name(get("user.email") or of_resource("user.email"))
    event.team = name(get("team") or of_resource("team"))
    event.installation = name(get("installation.id"))
    event.client, event.surface = words.client_of(flag(get("interactive")))
    if lineage.names_version:
        event.product_version = resource.service_version
