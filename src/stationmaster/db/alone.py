"""One holder of a name at a time, among all processes of an installation.

A lock is the kernel's or the server's, so it ends with its holder, however that ends, and no clock
is involved.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from stationmaster.db.readers import RawConnection
from stationmaster.errors import Unavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection

Release = Callable[[], None]

_POLL_S = 0.02
# What an administrator may have set for ordinary sessions must not end one that holds a lock and
# waits; and a holder whose machine is down must be missed in half a minute, not in two hours.
_PREPARE = """
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
set_config('idle_session_timeout', '0', false), set_config('tcp_keepalives_idle', '10', false),
set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '4', false)
"""


def take_in_session(
    connect: Callable[[], RawConnection], name: str, *, wait: bool
) -> Release | None:
    """A PostgreSQL advisory lock, held by a session of its own; None when another has it."""
    key = number_of(name)
    connection = connect()
    try:
        connection.execute(_PREPARE)
        function = "pg_advisory_lock" if wait else "pg_try_advisory_lock"
        [(answer,)] = connection.execute(f"SELECT {function}(%s)", (key,)).fetchall()
    except BaseException:
        connection.close()
        raise
    if answer is False:
        connection.close()
        return None

    def release() -> None:
        # The server frees it by itself, but only once it has noticed that the session is over.
        with contextlib.closing(connection), contextlib.suppress(Exception):
            connection.execute("SELECT pg_advisory_unlock(%s)", (key,))

    return release


def take_file(folder: Path, name: str, *, wait: bool) -> Release | None:
    """An `flock` on a file of its own in a folder, made when missing; None when another has it."""
    path = folder / _digest(name).hex()
    try:
        folder.mkdir(exist_ok=True)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if is_locked(handle, path):
                break
            os.close(handle)
            if not wait:
                return None
            time.sleep(_POLL_S)
    except OSError as fault:
        raise Unavailable(
            f"{folder} fails ({fault.strerror}). Check the disk and the permissions of the folder.",
            code="storage_unavailable",
        ) from fault

    def release() -> None:
        path.unlink(missing_ok=True)
        os.close(handle)

    return release


def take_first_in_session(
    connect: Callable[[], RawConnection], names: Sequence[str]
) -> tuple[int, Release]:
    """Advisory locks of all names up to the first that another has, held by one session: how many
    those are, and what releases them."""
    connection = connect()
    taken = 0
    try:
        connection.execute(_PREPARE)
        for name in names:
            query = "SELECT pg_try_advisory_lock(%s)"
            [(answer,)] = connection.execute(query, (number_of(name),)).fetchall()
            if not answer:
                break
            taken += 1
    except BaseException:
        connection.close()
        raise

    def release() -> None:
        with contextlib.closing(connection), contextlib.suppress(Exception):
            connection.execute("SELECT pg_advisory_unlock_all()")

    return taken, release


def take_first_files(folder: Path, names: Sequence[str]) -> tuple[int, Release]:
    """A lock file for each name up to the first that another has: how many those are, and what
    releases them."""
    releases: list[Release] = []

    def release() -> None:
        for unlock in releases:
            unlock()

    try:
        for name in names:
            mine = take_file(folder, name, wait=False)
            if mine is None:
                break
            releases.append(mine)
    except BaseException:
        release()
        raise
    return len(releases), release


def in_transaction(connection: Connection, name: str) -> None:
    """Wait until no other writing transaction has called this with that name and not ended.

    On SQLite that is so already: a writing transaction is the only one.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (number_of(name),))


def number_of(name: str) -> int:
    """By which number PostgreSQL knows a name."""
    return int.from_bytes(_digest(name), signed=True)


def is_locked(handle: int, path: Path) -> bool:
    """Lock an open file; False where another process holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its former holder has removed the file since it was opened: then this locks nothing.
        return os.fstat(handle).st_ino == path.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        return False


def _digest(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=8, person=b"stationmaster").digest()
