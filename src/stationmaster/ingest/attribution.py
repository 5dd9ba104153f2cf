"""Whose an event is: the credential first, then what the telemetry says, then the key's owner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from stationmaster import ids
from stationmaster.access.model import Caller
from stationmaster.events.model import Event

_ADDRESS = re.compile(r"[^\s@\x00-\x1f\x7f]{1,64}@[^\s@\x00-\x1f\x7f]{1,189}")

_user_of_account = lru_cache(maxsize=1_000)(ids.user_of_account)
_user_of_installation = lru_cache(maxsize=1_000)(ids.user_of_installation)
_user_of_machine_user = lru_cache(maxsize=1_000)(ids.user_of_machine_user)
_OF_GIT = "git_config"
"""What a collector says of an address that it has from git's configuration."""
_Owner = tuple[str, str | None, str]
"""User id, address, and where both are from."""


def attribute(events: Iterable[Event], caller: Caller) -> None:
    """Set `user_id`, `user_email` and `user_source` of events that a caller delivered.

    A person's ingest key speaks for that person alone. Any other key may carry telemetry of many
    people: an address in it names one; where a program is the caller, so do an account at the
    agent's vendor, a name that the administrator has its machines tell, an address of git's
    configuration and an installation id, in that order. What names nobody belongs to the owner of
    the key.
    """
    if caller.scope == "ingest" and caller.principal_kind == "human":
        for event in events:
            event.user_id = caller.principal_id
            event.user_email = caller.email
            event.user_source = "credential"
        return
    principal: _Owner = (caller.principal_id, caller.email, "key")
    owners: dict[str | None, _Owner | None] = {}
    for event in events:
        address = event.user_email
        if address not in owners:
            owners[address] = _owner_of(caller, address)
        owner = owners[address]
        if owner is None or event.user_source == _OF_GIT:
            owner = _lesser_owner(caller, event, owner)
        event.user_id, event.user_email, event.user_source = owner or principal


def _lesser_owner(caller: Caller, event: Event, of_git: _Owner | None) -> _Owner | None:
    """Who is named where no sender gives an address of its own."""
    org = caller.org_id
    is_program = caller.principal_kind == "service"
    if is_program and event.account is not None:
        return _user_of_account(org, event.product, event.account), None, "account"
    if is_program and event.machine_user is not None:
        return _user_of_machine_user(org, event.machine_user), None, "resource"
    if of_git is not None:
        return *of_git[:2], _OF_GIT
    if is_program and event.installation is not None:
        return _user_of_installation(org, event.product, event.installation), None, "installation"
    return None


def _owner_of(caller: Caller, address: str | None) -> _Owner | None:
    if address is None or not _ADDRESS.fullmatch(address.strip()):
        return None
    return ids.user_of_email(caller.org_id, address), address.strip().lower(), "email"
