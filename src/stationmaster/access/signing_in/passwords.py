"""Passwords: which are good enough, and their Argon2id hashes.

One belongs to a member of one organization. A person in two of them has two passwords, which may
be equal: an account that is shared could be taken over through the other organization.
"""

from __future__ import annotations

import base64
import os
import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import Connection

from stationmaster import clock
from stationmaster.access import audit, store
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import sessions, store as signin_store
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId, UserId

LENGTH_MIN = 8
LENGTH_MAX = 256
COMMONEST = frozenset(
    """
    password password1 password12 password123 passw0rd p@ssw0rd 12345678 123456789 1234567890
    87654321 11111111 00000000 qwertyui qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx abcd1234 abc12345
    iloveyou sunshine princess football baseball superman letmein1 welcome1 changeme trustno1
    administrator stationmaster
    """.split()  # noqa: SIM905 - a quoted word on each line would fill a screen
)

HASHES_AT_ONCE = 4
"""Checks of passwords in a process at a time, over all ways of signing in; each takes 64 MiB and a
tenth of a second."""

_slots = threading.BoundedSemaphore(HASHES_AT_ONCE)
_hasher = PasswordHasher()
"""With the parameters that the library recommends: RFC 9106 for machines with little memory."""


def check(password: str, email: str) -> bytes:
    """What is hashed of a password; raises BadRequest for one that is too easily guessed."""
    text = unicodedata.normalize("NFKC", password)
    try:
        chosen = text.encode()
    except UnicodeEncodeError as fault:
        raise BadRequest("A password is text.", code="invalid_password") from fault
    if not LENGTH_MIN <= len(text) <= LENGTH_MAX:
        raise BadRequest(
            f"A password has {LENGTH_MIN} to {LENGTH_MAX} characters.", code="invalid_password"
        )
    if text.casefold() in COMMONEST or text.casefold() == email.casefold():
        raise BadRequest("This password is too easily guessed.", code="invalid_password")
    return chosen


def hash_of(password: str, email: str) -> str:
    """What to store of a new password, after a tenth of a second; raises BadRequest."""
    chosen = check(password, email)
    with _slots:
        return _hasher.hash(chosen)


def replace(connection: Connection, org: OrgId, user: UserId, hashed: str, *, by: Caller) -> None:
    """Store what `hash_of` gave in the caller's transaction, and end the member's sessions."""
    # Without the lock two changes at the same time would collide instead of following each other.
    store.lock_organization(connection, org)
    signin_store.put_password(connection, org, user, hashed, clock.now_ms())
    sessions.revoke_all(connection, org, user)
    audit.note(connection, by, "password_set", "member", user)


def is_right(password: str, stored: str | None) -> bool:
    """Whether a password is the stored one; takes as long where nothing is stored."""
    text = unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
    with _slots:
        try:
            return _hasher.verify(stored or _nobodys(), text) and stored is not None
        except VerificationError:
            return False


def renewed(password: str, stored: str) -> str:
    """What to store of a right password: what is stored, unless the recommended parameters have
    changed since.
    """
    if not _hasher.check_needs_rehash(stored):
        return stored
    with _slots:
        return _hasher.hash(unicodedata.normalize("NFKC", password))


def _nobodys() -> str:
    """A hash that no password has, in the form and at the price of any other."""
    salt, digest = (
        base64.b64encode(os.urandom(size)).decode().rstrip("=")
        for size in (_hasher.salt_len, _hasher.hash_len)
    )
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    return f"$argon2id$v=19${costs}${salt}${digest}"
