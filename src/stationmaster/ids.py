"""Typed identifiers and their text forms: `org_…`, `user_…`, `svc_…`, `key_…`, `repo_…`, …"""

from __future__ import annotations

import hashlib
import itertools
import os
import uuid
from typing import NewType

from stationmaster import clock

OrgId = NewType("OrgId", str)
UserId = NewType("UserId", str)
KeyId = NewType("KeyId", str)
RepoId = NewType("RepoId", str)


_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
_OF_BYTES = _LETTERS * 8
"""The letter of each byte: 256 are the 32 repeated, so each takes 5 bits of a byte."""
_PAIRS = ["".join(pair) for pair in itertools.product(_LETTERS.decode(), repeat=2)]
_PLACES = range(70, -1, -10)


def new(prefix: str) -> str:
    """A fresh random identifier such as `req_k3v5…` (80 bits)."""
    return f"{prefix}_{os.urandom(16).translate(_OF_BYTES).decode()}"


def new_number() -> int:
    """A fresh random number that a signed column of 64 bits holds."""
    return int.from_bytes(os.urandom(8)) >> 1


_sequence = itertools.count()


def new_sortable(prefix: str) -> str:
    """Like `new`, in the order of making: later identifiers of one process are later in text, those
    of others by their milliseconds.
    """
    # Base 32 in this alphabet does not sort; hexadecimal does, and 12 digits last until 10889.
    turn = next(_sequence) & 0xFFFFFF
    return f"{prefix}_{clock.now_ms():012x}{turn:06x}{os.urandom(3).hex()}"


def new_uuid() -> str:
    """A fresh UUID that sorts by time (version 7, RFC 9562)."""
    bits = clock.now_ms() << 80 | int.from_bytes(os.urandom(10))
    bits = bits & ~(0xF << 76) | 7 << 76
    bits = bits & ~(0b11 << 62) | 0b10 << 62
    return str(uuid.UUID(int=bits))


def uuid_of(content: bytes) -> str:
    """The UUID of a content (version 8, RFC 9562): the same for the same bytes."""
    bits = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest())
    bits = bits & ~(0xF << 76) | 8 << 76
    bits = bits & ~(0b11 << 62) | 0b10 << 62
    return str(uuid.UUID(int=bits))


def user_of_email(org: OrgId, email: str) -> UserId:
    """The user of an e-mail address in one organization.

    Derived, not looked up: telemetry that names a person before that person is a member is
    attributed to the same identifier afterwards, and any process can attribute without a query.
    """
    return UserId("user_" + _digest(org, "email", email.strip().lower()))


def user_of(org: OrgId, name: str) -> str:
    """The user who is named by an id or by an e-mail address."""
    return user_of_email(org, name) if "@" in name else name


def user_of_installation(org: OrgId, product: str, installation: str) -> UserId:
    """The pseudonymous user behind an agent's installation id, where nothing better is known."""
    return UserId("user_" + _digest(org, product, installation))


def machine_of(org: OrgId, name: str) -> str:
    """A machine by what names it in telemetry (an installation id, a client's id), which an
    organization can read nothing from and cannot follow into another one.
    """
    return "machine_" + _digest(org, "machine", name)


def user_of_account(org: OrgId, product: str, account: str) -> UserId:
    """The same behind an account at the agent's vendor."""
    return UserId("user_" + _digest(org, "account", product, account))


def user_of_machine_user(org: OrgId, name: str) -> UserId:
    """The same behind a name that an administrator's machines report, whatever the agent."""
    return UserId("user_" + _digest(org, "machine user", name, ""))


def session_of(org: OrgId, product: str, session_id: str) -> str:
    """A session of an agent, by what the agent calls it."""
    return "session_" + _digest(org, product, session_id)


def repository_of_url(org: OrgId, url: str) -> RepoId:
    """The repository at a normalised address, derived like `user_of_email`: a report about it may
    precede its registration.
    """
    return RepoId("repo_" + _digest(org, "repository", url))


def page_of_path(path: str) -> str:
    """The wiki page at a path, the same in every run: a link by it survives the next run."""
    return "page_" + _digest("page", path)


def _digest(*parts: str) -> str:
    """16 letters: base 32 of 80 bits, ten at a time, because a rollup makes many of these."""
    raw = hashlib.blake2b("\0".join(parts).encode(), digest_size=10).digest()
    bits = int.from_bytes(raw)
    return "".join([_PAIRS[bits >> place & 1023] for place in _PLACES])
