"""Writing over what deleted rows leave behind."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable

_PATIENCE_S = 60
_PAUSE_S = 0.2


def overwrite_free_pages(database: Database) -> None:
    """Rewrite a SQLite file without its free pages, and empty its write-ahead log.

    Writers wait meanwhile, for about a second for each 200 MiB. PostgreSQL does this by itself
    as it vacuums. Raises Unavailable where others keep the file busy.
    """
    if database.dialect != "sqlite":
        return
    with closing(
        sqlite3.connect(database.path, timeout=_PATIENCE_S, isolation_level=None)
    ) as connection:
        try:
            connection.execute("VACUUM")
            give_up = time.monotonic() + _PATIENCE_S
            # A log that is still read is not cut.
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > give_up:
                    raise Unavailable("The database is busy; try again.")
                time.sleep(_PAUSE_S)
        except sqlite3.OperationalError as fault:
            raise Unavailable(f"The database could not be rewritten: {fault}") from fault
