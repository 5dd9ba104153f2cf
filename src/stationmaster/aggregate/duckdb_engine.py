"""The default engine: DuckDB in this process, bounded in memory, spilling to the data folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster.errors import OperatorError
from stationmaster.lake.schema import SCHEMA
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

    def __init__(self, settings: Settings) -> None:
        settings.scratch_dir.mkdir(parents=True, exist_ok=True)
        self._parts: list[Path] = []
        self._spill = Path(tempfile.mkdtemp(prefix="rollup-", dir=settings.scratch_dir))
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "threads": settings.rollup_threads,
                "memory_limit": f"{settings.rollup_memory // 2**20}MiB",
                "temp_directory": str(self._spill),
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def open(self, parts: list[Path], name: str = "events") -> None:
        self._parts = parts
        with self._faults():
            stored = self._connection.read_parquet(
                [str(part) for part in parts], union_by_name=True, hive_partitioning=False
            )
            present = set(stored.columns)
            columns = ", ".join(
                field.name
                if field.name in present
                else f"cast(null as {_SQL_TYPES[field.type]}) as {field.name}"
                for field in SCHEMA
            )
            stored.project(columns).create_view(name)

    def register(self, name: str, table: pa.Table) -> None:
        self._connection.register(name, table)

    def view(self, name: str, sql: str) -> None:
        with self._faults():
            self._connection.execute(f"create temp view {name} as {sql}")

    def keep(self, name: str, sql: str) -> int:
        with self._faults():
            self._connection.execute(f"create temp table {name} as {sql}")
            [(rows,)] = self._connection.execute(f"select count(*) from {name}").fetchall()
        return int(rows)

    def fetch(self, sql: str) -> pa.Table:
        with self._faults():
            return self._connection.sql(sql).to_arrow_table()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.OutOfMemoryException) as e:
            raise _explained(e, self._parts) from e
        except duckdb.Error as e:
            # A page that was cut short or overwritten shows in many ways; then a part names itself.
            damaged = _damaged(self._parts)
            if damaged is None:
                raise
            raise _damage(damaged) from e


def _explained(fault: duckdb.Error, parts: list[Path]) -> OperatorError:
    damaged = _damaged(parts)
    if damaged is not None:
        return _damage(damaged)
    return OperatorError(f"The rollup failed: {fault}", code="rollup_failed")


def _damage(part: Path) -> OperatorError:
    return OperatorError(
        f"{part} cannot be read; move it out of the lake or restore it, then roll up again.",
        code="damaged_part",
    )


def _damaged(parts: list[Path]) -> Path | None:
    """The first part that does not read from end to end."""
    for part in parts:
        try:
            for batch in pq.ParquetFile(part).iter_batches():
                del batch
        except (OSError, pa.ArrowException):
            return part
    return None
