"""Pairing a machine by a short code: the machine shows it, and a person who is signed in types it.

The machine sends a request without a credential and gets one that opens nothing, with a code. Once
a person has approved the code, the machine is a computer of that person, and its credential opens
that one computer. A code is valid once, for ten minutes; what waits belongs to no organization yet.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import NamedTuple

import msgspec
from sqlalchemy import delete, func, insert, select

from stationmaster import clock
from stationmaster.access.model import Caller, Secret, hash_of, new_key
from stationmaster.access.signing_in.buckets import Throttle
from stationmaster.computers import model, service
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import computer_pairings as table
from stationmaster.errors import Gone, NotFound, Unavailable

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""Letters that make no words and are not taken for digits."""
LENGTH = 8
LIFE_MS = 600_000
WAITING_MAX = 1_000
"""Of an installation."""
BEGINS, TRIES, WINDOW_S = 60, 10, 600
"""From one network, and codes that do not exist by one principal, in so many seconds."""
_CLAIMED = """
SELECT computer_id, name FROM computers WHERE credential_hash = ? AND removed_at IS NULL
"""


class Pairing(NamedTuple):
    """What a machine that waits reports of itself; `expires_at` is Unix milliseconds."""

    registration: model.Registration
    expires_at: int


class PairingStart(NamedTuple):
    code: str
    credential: Secret
    expires_at: int


class Pairings:
    """One per process; safe to share between threads."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._by_network = Throttle("pairing by network", BEGINS, WINDOW_S)
        self._by_principal = Throttle("pairing by principal", TRIES, WINDOW_S)
        self.buckets = (self._by_network.buckets, self._by_principal.buckets)

    def begin(self, new: model.Registration, address: str | None) -> PairingStart:
        """A code for a machine that requests one from a network. Raises BadRequest, RateLimited,
        and Unavailable while too many wait."""
        self._by_network.take(address or "")
        model.name_of(new.name)
        model.user_of(new.remote_user)
        credential, now = new_key(service.CREDENTIAL_PREFIX), clock.now_ms()
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        with self._db.transaction() as connection:
            connection.execute(delete(table).where(table.c.expires_at < now))
            waiting = connection.execute(select(func.count()).select_from(table)).scalar_one()
            if waiting >= WAITING_MAX:
                raise Unavailable("Too many machines wait to be paired.", code="too_many_pairings")
            connection.execute(
                insert(table).values(
                    code_hash=_hash(code),
                    credential_hash=hash_of(credential.reveal()),
                    registration=msgspec.json.encode(new).decode(),
                    expires_at=now + LIFE_MS,
                )
            )
        return PairingStart(f"{code[:4]}-{code[4:]}", credential, now + LIFE_MS)

    def look_up(self, caller: Caller, code: str) -> Pairing:
        """The machine that shows a code. Raises NotFound, and RateLimited after too many of
        these."""
        self._by_principal.take(caller.principal_id)
        with self._db.reading() as connection:
            row = connection.execute(
                select(table.c.registration, table.c.expires_at).where(
                    table.c.code_hash == _hash(code), table.c.expires_at >= clock.now_ms()
                )
            ).first()
        if row is None:
            raise _unknown()
        self._by_principal.give_back(caller.principal_id)
        return Pairing(msgspec.json.decode(row[0], type=model.Registration), row[1])

    def approve(self, caller: Caller, code: str, name: str | None = None) -> model.Computer:
        """Make the machine that shows a code a computer of the caller, under another name if one
        is given. Raises as `look_up`, and as `service.register`; then the code stays good."""
        new = self.look_up(caller, code).registration
        if name is not None:
            new = msgspec.structs.replace(new, name=name)
        with self._db.transaction() as connection:
            used = connection.execute(
                delete(table).filter_by(code_hash=_hash(code)).returning(table.c.credential_hash)
            ).first()
            if used is None:
                raise _unknown()
            return service.enter(connection, caller, new, used[0], cause="paired")

    def claim(self, credential: Secret) -> tuple[str, str] | None:
        """The id and name of the computer that a machine's credential opens; None until its code is
        approved. Raises Gone once the code is too old, or the computer was removed."""
        hashed = hash_of(credential.reveal())
        # Before looking for the computer: who approves the code meanwhile takes it out of here.
        with self._db.reading() as connection:
            waits = connection.execute(
                select(table.c.expires_at).where(
                    table.c.credential_hash == hashed, table.c.expires_at >= clock.now_ms()
                )
            ).first()
        rows = self._db.rows(_CLAIMED, hashed)
        if rows:
            return rows[0][0], rows[0][1]
        if waits is None:
            raise Gone("This code was not approved in time.", code="pairing_expired")
        return None


def _unknown() -> NotFound:
    return NotFound(
        "No machine shows this code now: codes are valid once, for ten minutes.",
        code="unknown_code",
    )


def _hash(code: str) -> str:
    """Of a code however it is typed."""
    letters = "".join(letter for letter in code.upper() if letter in ALPHABET)
    return sha256(letters.encode()).hexdigest()
