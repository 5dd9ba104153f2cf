"""The fixtures of every room: a fresh database of each kind, and a clock that runs again."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import certifi
import hypothesis
import pytest
from argon2 import PasswordHasher

from stationmaster import clock
from stationmaster.access.signing_in import passwords
from stationmaster.db.engine import Database
from tests.support import databases

TESTS = Path(__file__).parent
ON_POSTGRESQL = ("conformance", "db", "jobs", "lake/rollups")
"""Rooms whose tests ask PostgreSQL in the quick run, too."""
ON_SQLITE = (
    *("aggregate/inputs", "aggregate/test_day.py", "aggregate/test_facts.py"),
    *("aggregate/test_rate_card.py", "aggregate/test_session_rows.py", "aggregate/test_slices.py"),
    *("aggregate/faults/test_quarantine.py", "analytics/test_insights.py"),
    *("analytics/test_privacy.py", "analytics/test_timelines.py", "api/platform/spending"),
    *("api/platform/coverage", "api/platform/test_sessions.py", "api/platform/test_today.py"),
    *("access/signing_in/oidc/test_tokens.py", "access/signing_in/test_tokens.py"),
    *("alerts/test_courier.py", "api/test_gates.py", "api/v0/ci_scan", "api/v0/test_ci_edits.py"),
    *("api/platform/access/auth/test_providers.py", "gateway/test_hostile.py"),
    *("readiness/test_evaluation.py", "repos/test_heads.py", "wiki/making/test_generation.py"),
)
"""Tests of what is counted, drawn, verified or fetched. A database keeps their rows and has no part
in what they prove: the tests of the stores, of transactions and locks, and those of conformance
hold it to that on both kinds."""

if TYPE_CHECKING:
    from tests.support.object_storage import ObjectStorage


OBJECTS_BETWEEN_COLLECTIONS = 10_000
"""Looking for cycles at every 700th object, as Python does, takes a twentieth of the run."""


def pytest_configure() -> None:
    """Have the processes that tests start end on SIGINT, also where the run itself was started in
    the background of a shell, which ignores it and hands that on. Look for no cycles while tests
    are collected: there are none, among millions of objects that stay. Mind no example of a
    property that takes long: a busy machine makes any do so."""
    hypothesis.settings.register_profile(
        "patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("patient")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for cycles again, among what tests make alone."""
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="what `make test` runs: nothing slow, PostgreSQL for "
        "the rooms of the stores and for conformance alone",
    )  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the run is not for, and begin with the modules that take long, so that none is
    left when the others are through."""
    _keep(config, items, _is_worth_its_database)
    if config.getoption("quick"):
        _keep(config, items, _is_quick)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    sizes = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path not in slow, -sizes[item.path], item.path))


def _keep(
    config: pytest.Config, items: list[pytest.Item], is_kept: Callable[[pytest.Item], bool]
) -> None:
    left_out = [item for item in items if not is_kept(item)]
    items[:] = [item for item in items if is_kept(item)]
    config.hook.pytest_deselected(items=left_out)


def _is_worth_its_database(item: pytest.Item) -> bool:
    """False on PostgreSQL for the tests of ON_SQLITE, but for those marked `both_databases`: one of
    each behaviour that reads or writes what others do not. Who asks for PostgreSQL alone, in
    STATIONMASTER_TEST_DATABASES, has all."""
    if not _is_on_postgresql(item) or "sqlite" not in databases.KINDS:
        return True
    return not _is_in(item.path, ON_SQLITE) or item.get_closest_marker("both_databases") is not None


@cache
def _is_in(module: Path, rooms: tuple[str, ...]) -> bool:
    """Asked once of a module: it has many tests, and to compare paths is slow."""
    return any(module.is_relative_to(TESTS / room) for room in rooms)


def _is_on_postgresql(item: pytest.Item) -> bool:
    return hasattr(item, "callspec") and "postgresql" in item.callspec.params.values()


def _is_quick(item: pytest.Item) -> bool:
    if item.get_closest_marker("slow"):
        return False
    return _is_in(item.path, ON_POSTGRESQL) or not _is_on_postgresql(item)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[databases.PostgreSQL]:
    """The one server of the test run, started by the first test that asks."""
    with databases.running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "state.sqlite3"
    path.write_bytes(databases.migrated_sqlite())
    return path


@pytest.fixture(scope="session")
def object_storage() -> Iterator[ObjectStorage]:
    """The one object storage of the test run, started by the first test that asks."""
    from tests.support import object_storage as servers

    with servers.running_object_storage() as server:
        yield server


@pytest.fixture(params=databases.KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh, migrated database of this test alone: once on SQLite, once on PostgreSQL.

    Where a database only keeps the rows of what is proven, SQLite alone is asked, for PostgreSQL
    takes longer and shows nothing more there: see ON_SQLITE.
    """
    if request.param == "sqlite":
        path = tmp_path / "state.sqlite3"
        shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
        yield databases.sqlite_url(path)
        return
    with request.getfixturevalue("postgresql").database() as url:
        yield url


@pytest.fixture(params=databases.KINDS)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Like `database_url`, before any migration."""
    if request.param == "sqlite":
        yield databases.sqlite_url(tmp_path / "empty.sqlite3")
        return
    with request.getfixturevalue("postgresql").database(template="template0") as url:
        yield url


@pytest.fixture
def db(database_url: str) -> Iterator[Database]:
    """An open, migrated Database, closed after the test."""
    database = Database.open(database_url)
    yield database
    database.close()


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Hash passwords in a millisecond: a tenth of a second each is what protects real ones."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        patch.setattr(passwords, "_hasher", cheap)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_read_once() -> Iterator[None]:
    """Share what httpx makes of the usual certificates for each client, also for plain HTTP: that
    takes a hundred times as long as the client, and most tests make some."""
    usual = {"cafile": os.environ.get("SSL_CERT_FILE") or certifi.where()}
    made = ssl.create_default_context
    shared = made(**usual)

    def of_certificates(*purpose: Any, **options: Any) -> ssl.SSLContext:
        return shared if not purpose and options == usual else made(*purpose, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", of_certificates)
        yield


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """Commands that run in the process of a test make what they write private."""
    umask = os.umask(0o022)
    yield
    os.umask(umask)


@pytest.fixture(autouse=True)
def _running_clock() -> Iterator[None]:
    yield
    clock.freeze(None)
