"""Which database faults are passing troubles of storage, and which need a person.

Everything else (a wrong statement, a broken constraint) is a fault of ours and passes unchanged.
Clients read what to do; the log and the operator's terminal also read where and why.
"""

from __future__ import annotations

import os
import sqlite3

from stationmaster.errors import OperatorError, StationmasterError, Unavailable

# SQLite primary result codes (the low byte of an extended code): https://sqlite.org/rescode.html
_SQLITE_TROUBLES = {
    sqlite3.SQLITE_FULL: "The disk is full; free some space on it.",
    sqlite3.SQLITE_READONLY: "The file is read-only; make it and its folder writable.",
    sqlite3.SQLITE_CANTOPEN: "The file cannot be opened; check its folder and permissions.",
    sqlite3.SQLITE_IOERR: "The disk fails to read or write; check it and its file system.",
    sqlite3.SQLITE_BUSY: "Another process has locked the file for too long; stop it or try again.",
    sqlite3.SQLITE_LOCKED: "Another connection has locked the table; try again.",
}
_SQLITE_WRITING = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
"""What a folder that is read-only may look like."""
_SQLITE_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

# PostgreSQL error classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_POSTGRESQL_TROUBLES = {
    "08": "The connection broke; check the server and the network.",
    "25": "The server is read-only; point at the primary, or wait for it to take over.",
    "28": "The server refuses the login; check the user and the password of the database URL.",
    "3D": "The database does not exist; create it, or check the database URL.",
    "40": "Concurrent changes collided; try again.",
    "53": "The server ran out of a resource (disk, memory or connections); free some.",
    "55": "A lock was not free in time; try again.",
    "57": "The server is shutting down, starting up or cancelled the statement; try again.",
    "58": "The server's disk or system fails; check its log.",
}


def of_sqlite(fault: BaseException, path: str) -> StationmasterError | None:
    """What a sqlite3 error means for the caller; None when it is a fault of the program."""
    extended = getattr(fault, "sqlite_errorcode", 0)
    if extended == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
        # The one use of triggers: a store that has moved tells its writers so.
        return Unavailable(str(fault), code="moved_store")
    code = extended & 0xFF
    if code in _SQLITE_BROKEN:
        return OperatorError(
            "The database is damaged. Restore a backup, or move it away.",
            code="storage_damaged",
            internal=f"{path} is damaged, or not a database ({fault}). "
            "Restore a backup, or move it away.",
        )
    if code in _SQLITE_WRITING and (folder := _read_only_folder(path)):
        return Unavailable(
            "The data folder is read-only; make it writable.",
            code="storage_unavailable",
            internal=f"The folder {folder} is read-only; make it writable.",
        )
    advice = _SQLITE_TROUBLES.get(code)
    return None if advice is None else _unavailable(path, fault, advice)


def _read_only_folder(path: str) -> str | None:
    """The folder of a file, where this process may not write to it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        is_read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return None
    return folder if is_read_only or not os.access(folder, os.W_OK) else None


def of_postgresql(fault: BaseException, address: str) -> StationmasterError | None:
    """What a psycopg error means for the caller; None when it is a fault of the program.

    psycopg leaves `sqlstate` empty when there was no server to give one.
    """
    import psycopg

    state = getattr(fault, "sqlstate", None)
    if state is not None:
        advice = _POSTGRESQL_TROUBLES.get(state[:2])
    elif isinstance(fault, psycopg.OperationalError):
        advice = "Check that the server runs and that the database URL is right."
    else:
        advice = None
    return None if advice is None else _unavailable(address, fault, advice)


def _unavailable(address: str, fault: BaseException, advice: str) -> Unavailable:
    reason = " ".join(str(fault).split())
    return Unavailable(
        f"Storage fails. {advice}",
        code="storage_unavailable",
        internal=f"Storage at {address} fails ({reason}). {advice}",
    )
