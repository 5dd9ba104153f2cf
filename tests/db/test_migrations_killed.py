"""Migrations killed at any statement: the schema is that of before or the newest, and no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import Connection, inspect

from stationmaster.db import revision
from stationmaster.db.engine import Database

pytestmark = [pytest.mark.attack, pytest.mark.slow]
TRIES = 10**6 if os.environ.get("STATIONMASTER_TEST_ALL") else 3
"""How many statements are tried at most: each of them takes two processes or three."""
SCRIPT = """
import os, signal, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine
from stationmaster.db.engine import Database
from tests.db import oldest

def migrate(url, to, step):
    count = 0

    def before(connection, cursor, statement, parameters, context, many):
        nonlocal count
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)

    db = Database.open(url)
    event.listen(Engine, "before_cursor_execute", before)
    if to == "newest":
        db.migrate()
    else:
        with db.transaction() as connection:
            oldest.make(connection)
    return count

for line in sys.stdin:
    url, to, step = line.rstrip("\\n").split("\\t")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"%d" % migrate(url, to, int(step)))
        os._exit(0)
    os.close(writing)
    with open(reading) as statements:
        count = statements.read() or "0"
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), count, flush=True)
"""


class Ended(NamedTuple):
    code: int
    statements: int
    """How many there were; 0 of a process that was killed."""


class Migrating:
    """Migrates in processes that kill themselves. They are forks of one that has everything loaded,
    because loading takes longer than a migration."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def __call__(self, url: str, to: str = "newest", killed_at: int = 0) -> Ended:
        """Migrate in a process that kills itself at a statement; 0 lets it finish."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{url}\t{to}\t{killed_at}\n")
        code, statements = self._process.stdout.readline().split()
        return Ended(int(code), int(statements))

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def migrate() -> Iterator[Migrating]:
    migrating = Migrating()
    yield migrating
    migrating.close()


def schema(url: str) -> tuple[str | None, set[str]]:
    """The revision that the database says it has, and its tables."""
    db = Database.open(url)
    try:
        with db.reading() as connection:
            return _revision(connection), set(inspect(connection).get_table_names())
    finally:
        db.close()


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if found is None else str(found)


@pytest.fixture
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """The URL of another empty database of the same kind, at each call."""
    from tests.support import databases

    kind = request.param
    if kind == "sqlite":
        numbers = iter(range(10**6))
        return lambda: databases.sqlite_url(tmp_path / f"{next(numbers)}.sqlite3")
    server = request.getfixturevalue("postgresql")

    def make() -> str:
        context = server.database(template="template0")
        url: str = context.__enter__()
        request.addfinalizer(lambda: context.__exit__(None, None, None))
        return url

    return make


def _kinds() -> tuple[str, ...]:
    from tests.support import databases

    return databases.KINDS


@pytest.mark.parametrize("begin", [None, revision.OLDEST], ids=["from nothing", "from the oldest"])
@pytest.mark.parametrize("fresh", _kinds(), indirect=True)
def test_a_migration_killed_at_a_statement_is_all_or_nothing_and_done_at_the_next_start(
    migrate: Migrating,
    fresh: Callable[[], str],
    begin: str | None,
    record_property: Callable[[str, object], None],
) -> None:
    def old() -> str:
        url = fresh()
        if begin is not None:
            assert migrate(url, begin).code == 0
        return url

    whole = old()
    before = schema(whole)
    statements = migrate(whole).statements
    newest = schema(whole)
    assert (before[0], newest[0]) == (begin, revision.HEAD)
    assert statements > TRIES or TRIES > 3

    steps = range(2, statements + 1, max(1, statements // TRIES))
    record_property("tried", len(steps))
    for step in steps:
        url = old()
        assert migrate(url, killed_at=step).code == -signal.SIGKILL
        assert schema(url) in (before, newest), step
        assert migrate(url).code == 0
        assert schema(url) == newest, step
