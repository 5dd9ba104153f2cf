"""The last step before the inbox: whose events these are, believable times, and the tally.

An event belongs to the person that the credential names, else the telemetry, else the key's owner.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter

from stationmaster import ids
from stationmaster.access.model import Caller
from stationmaster.events.model import Event
from stationmaster.lake.rows import Delivery, Sender, Tally

FUTURE_MS = 5 * 60_000
"""How far ahead of ours a sender's clock may be."""
EARLIEST_MS = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""No agent is older."""
_time = attrgetter("ts")
_stream = attrgetter("product", "source")
_sessions = attrgetter("session_id", "root_session_id")


def prepare(
    caller: Caller,
    events: list[Event],
    drops: Mapping[tuple[str, str, str], int],
    *,
    received_ms: int,
    machine: str | None = None,
) -> Delivery:
    """What the inbox takes of one request; the events are changed in place.

    `machine` is what the sender's client calls the machine that it runs on.

    A time that cannot be true is replaced by the time of receipt and flagged `clock_skew`.
    Session ids keep their printable characters only: not every database takes the others.
    """
    attribute(events, caller)
    tally: Tally = dict(drops)
    if events:
        _correct_times(events, received_ms)
        _clean_sessions(events)
    for (product, source), count in Counter(map(_stream, events)).items():
        tally[product, source, "kept"] = count
    place = ids.machine_of(caller.org_id, machine) if machine else ""
    return Delivery(caller.org_id, events, tally, Sender(caller.principal_id, place))


def _correct_times(events: list[Event], received_ms: int) -> None:
    latest = received_ms + FUTURE_MS
    # Nearly always no event is wrong, which is found out without a step of the interpreter each.
    times = list(map(_time, events))
    if min(times) >= EARLIEST_MS and max(times) <= latest:
        return
    for event in events:
        if not EARLIEST_MS <= event.ts <= latest:
            _received_instead(event, received_ms)


def _clean_sessions(events: list[Event]) -> None:
    if all(id_ is None or id_.isprintable() for ids in set(map(_sessions, events)) for id_ in ids):
        return
    for event in events:
        event.session_id = _printable(event.session_id)
        event.root_session_id = _printable(event.root_session_id)


def _received_instead(event: Event, received_ms: int) -> None:
    event.ts = received_ms
    event.ts_source = "received"
    flags = set(event.quality.split(",")) if event.quality else set()
    event.quality = ",".join(sorted(flags | {"clock_skew"}))


def _printable(text: str | None) -> str | None:
    if text is None or text.isprintable():
        return text
    return "".join(c for c in text if c.isprintable()) or None


_ADDRESS = re.compile(r"[^\s@\x00-\x1f\x7f]{1,64}@[^\s@\x00-\x1f\x7f]{1,189}")

_user_of_account = lru_cache(maxsize=1_000)(ids.user_of_account)
_user_of_installation = lru_cache(maxsize=1_000)(ids.user_of_installation)
_user_of_machine_user = lru_cache(maxsize=1_000)(ids.user_of_machine_user)
_OF_GIT = "git_config"
"""How a collector marks an address that it has from git's configuration."""
_Owner = tuple[str, str | None, str]
"""User id, address, and where both are from."""


def attribute(events: Iterable[Event], caller: Caller) -> None:
    """Set `user_id`, `user_email` and `user_source` of events that a caller delivered.

    A person's ingest key speaks for that person alone. Any other key may carry telemetry of many
    people: an address in it names one; where a program is the caller, so do an account at the
    agent's vendor, a name that the administrator has its machines report, an address of git's
    configuration and an installation id, in that order. What names no one belongs to the owner of
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
