"""Whose an event is: the credential first, then what the telemetry says, then the key's owner."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stationmaster import ids
from stationmaster.access.model import Caller
from stationmaster.events.model import Event

_ADDRESS = re.compile(r"[^\s@\x00-\x1f\x7f]{1,64}@[^\s@\x00-\x1f\x7f]{1,189}")


def attribute(events: Iterable[Event], caller: Caller) -> None:
    """Set `user_id`, `user_email` and `user_source` of events that a caller delivered.

    A person's ingest key speaks for that person alone. Any other key may carry telemetry of many
    people: an address in it names one; an installation id does where a program is the caller.
    What names nobody belongs to the owner of the key.
    """
    if caller.scope == "ingest" and caller.principal_kind == "human":
        for event in events:
            _set(event, caller.principal_id, caller.email, "credential")
        return
    users: dict[str, str | None] = {}
    for event in events:
        address = event.user_email
        if address is not None:
            if address not in users:
                users[address] = _user_of(caller, address)
            user_id = users[address]
            if user_id is not None:
                _set(event, user_id, address.strip().lower(), "email")
                continue
        if caller.principal_kind == "service" and event.installation is not None:
            user_id = ids.user_of_installation(caller.org_id, event.product, event.installation)
            _set(event, user_id, None, "installation")
        else:
            _set(event, caller.principal_id, caller.email, "key")


def _user_of(caller: Caller, address: str) -> str | None:
    if not _ADDRESS.fullmatch(address.strip()):
        return None
    return ids.user_of_email(caller.org_id, address)


def _set(event: Event, user_id: str, email: str | None, source: str) -> None:
    event.user_id = user_id
    event.user_email = email
    event.user_source = source
