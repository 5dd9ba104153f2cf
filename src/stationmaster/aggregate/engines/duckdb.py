"""The default engine: DuckDB in this process, bounded in memory, spilling to the data folder."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from stationmaster.errors import OperatorError
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

_SQL_TYPES = {
    pa.string(): "varchar",
    pa.int64(): "bigint",
    pa.int8(): "tinyint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}


class DuckDbEngine:
    """An empty database of its own, to be opened once and then closed. See Engine."""

    def __init__(self, settings: Settings, *, threads: int) -> None:
        settings.scratch_dir.mkdir(parents=True, exist_ok=True)
        self._lake = Lake.open(settings)
        self._threads = threads
        self._spill = Path(tempfile.mkdtemp(prefix="rollup-", dir=settings.scratch_dir))
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "threads": threads,
                "memory_limit": f"{settings.rollup_memory // 2**20}MiB",
                "temp_directory": str(self._spill),
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )

    def close(self) -> None:
        """Close the connection and delete what was spilled."""
        self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def open(self, parts: list[str], name: str = "events") -> None:
        """Make a view of parts with all columns of SCHEMA; those that no part has are null."""
        files = self._lake.files.copies(parts, self._spill)
        with self._faults():
            stored = self._connection.read_parquet(
                files, union_by_name=True, hive_partitioning=False
            )
            present = set(stored.columns)
            columns = ", ".join(
                field.name
                if field.name in present
                else f"cast(null as {_SQL_TYPES[field.type]}) as {field.name}"
                for field in SCHEMA
            )
            stored.project(columns).create_view(name)

    def digests(self, parts: list[str]) -> list[str]:
        """The SHA-256 of each part in hex, computed in threads."""
        with ThreadPoolExecutor(self._threads, "lake-hash") as pool:
            return list(pool.map(_digest, self._lake.files.copies(parts, self._spill)))

    def register(self, name: str, table: pa.Table) -> None:
        """Make an Arrow table known by name, without a copy."""
        self._connection.register(name, table)

    def view(self, name: str, sql: str) -> None:
        """Create a temporary view of a query."""
        with self._faults():
            self._connection.execute(f"create temp view {name} as {sql}")

    def keep(self, name: str, sql: str) -> None:
        """Store the rows of a query in a temporary table."""
        with self._faults():
            self._connection.execute(f"create temp table {name} as {sql}")

    def drop(self, name: str) -> None:
        """Drop a table that `keep` made."""
        with self._faults():
            self._connection.execute(f"drop table {name}")

    def fetch(self, sql: str) -> pa.Table:
        """The rows of a query as an Arrow table."""
        with self._faults():
            return self._connection.sql(sql).to_arrow_table()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (duckdb.IOException, duckdb.OutOfMemoryException) as fault:
            raise OperatorError(f"The rollup failed: {fault}", code="rollup_failed") from fault


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
