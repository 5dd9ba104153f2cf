"""Spark, for days that are too large for one machine. Runs the same queries as DuckDB.

The driver lives in this process and its context serves every rollup of it; an engine is a session
of its own in that. What an operator sets in `spark-defaults.conf` overrides what is set here,
except for what the results depend on.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from stationmaster.errors import MissingExtra, OperatorError
from stationmaster.lake.schema import SCHEMA
from stationmaster.settings import Settings

try:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError as missing:
    raise MissingExtra("the Spark engine", "server,spark", missing.name) from missing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL_ROWS = 20_000
"""Up to so many rows of a kept query are held by the driver: planned exactly, sent along."""

_MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
}
"""What the results depend on; every session has it."""
_DEFAULTS = {
    "spark.app.name": "stationmaster",
    "spark.master": "local[*]",
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    # Adaptive execution joins them again where there is little.
    "spark.sql.shuffle.partitions": "32",
    # A rollup compiles more classes than the 100 that are kept otherwise, and each again.
    "spark.sql.codegen.cache.maxEntries": "2000",
}
_SQL_TYPES = {
    pa.string(): "string",
    pa.int64(): "bigint",
    pa.int8(): "tinyint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}
_COLUMNS = ", ".join(f"`{field.name}` {_SQL_TYPES[field.type]}" for field in SCHEMA)
_GLOB = re.compile(r"([\\{}\[\]*?])")
_OF_DATA = ("ARITHMETIC_OVERFLOW", "CAST_OVERFLOW")
"""Faults that events cause, whatever they are wrapped in."""
_GONE = ("PATH_NOT_FOUND", "FILE_NOT_EXIST")
_NO_DRIVER = ("Connection refused", "Answer from Java side is empty", "not exist in the JVM")
_guard = threading.Lock()
# They write every fault to standard error, with its stack; it is raised, and reported in a
# sentence.
for _name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    logging.getLogger(_name).disabled = True


class SparkEngine:
    """A session of its own, to be opened once and then closed. See Engine.

    Raises OperatorError without Java, without pyspark, or when the master does not answer.
    """

    def __init__(self, settings: Settings) -> None:
        self._master = settings.spark_master or ""
        if self._master.startswith("sc://"):
            # Its client takes a session's checkpoints for those of another session (4.3).
            raise OperatorError(
                "Spark Connect cannot keep what a rollup derives; name a master instead, such as"
                " spark://host:port, yarn or k8s://…",
                code="bad_settings",
            )
        self._kept: dict[str, DataFrame] = {}
        self._session = self._new_session()

    def _new_session(self) -> SparkSession:
        with self._faults():
            session = _running(self._master).newSession()
            for name, value in _MEANING.items():
                session.conf.set(name, value)
        return session

    def close(self) -> None:
        """Release all rows that are kept."""
        # A driver that has ended has nothing left to release.
        with suppress(PySparkException, Py4JError, OSError):
            for frame in self._kept.values():
                _release(frame)

    def open(self, parts: list[str], name: str = "events") -> None:
        """Make a temporary view of parts, read with the columns of SCHEMA."""
        with self._faults():
            reader = self._session.read.schema(_COLUMNS)
            reader.parquet(*map(_address, parts)).createOrReplaceTempView(name)

    def digests(self, parts: list[str]) -> list[str]:
        """The SHA-256 of each part in hex, computed by the executors."""
        # By the executors, which read the parts afterwards, too.
        with self._faults():
            files = self._session.read.format("binaryFile").load([_address(part) for part in parts])
            hashed = files.selectExpr("path", "sha2(content, 256) AS digest").collect()
        by_name = {row["path"].rpartition("/")[2]: str(row["digest"]) for row in hashed}
        return [by_name[part.rpartition("/")[2]] for part in parts]

    def register(self, name: str, table: pa.Table) -> None:
        """Make a temporary view of an Arrow table."""
        with self._faults():
            self._session.createDataFrame(_plain(table)).createOrReplaceTempView(name)

    def view(self, name: str, sql: str) -> None:
        """Create or replace a temporary view of a query."""
        with self._faults():
            self._session.sql(sql).createOrReplaceTempView(name)

    def keep(self, name: str, sql: str) -> None:
        """Checkpoint the rows of a query; at most SMALL_ROWS of them become a local table."""
        # A checkpoint rather than a cache: plans that are built on one another grow with every
        # step, until making them takes longer than running them.
        with self._faults():
            frame = self._session.sql(sql).localCheckpoint(eager=False)
            self._kept[name] = frame
            head = frame.limit(SMALL_ROWS + 1).toArrow()
            if head.num_rows <= SMALL_ROWS:
                frame = self._session.createDataFrame(head)
            frame.createOrReplaceTempView(name)

    def drop(self, name: str) -> None:
        """Drop a view that `keep` made and release its rows."""
        with self._faults():
            self._session.catalog.dropTempView(name)
            _release(self._kept.pop(name))

    def fetch(self, sql: str) -> pa.Table:
        """The rows of a query as an Arrow table."""
        with self._faults():
            return self._session.sql(sql).toArrow()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (PySparkException, Py4JError, OSError) as fault:
            text = str(fault)
            if any(condition in text for condition in _OF_DATA):
                raise
            if any(condition in text for condition in _GONE):
                raise FileNotFoundError(_sentence(text)) from fault
            raise OperatorError(_advice(text, self._master), code="rollup_failed") from fault


def _plain(table: pa.Table) -> pa.Table:
    """A table without dictionaries, which Spark does not take, and without empty batches: Spark 4.3
    skips one at the beginning, and leaves out what follows any other without a word."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    schema = pa.schema(fields)
    batches = [batch for batch in table.cast(schema).to_batches() if batch.num_rows]
    return pa.Table.from_batches(batches, schema)


def _release(frame: DataFrame) -> None:
    """Drop the rows of a checkpoint, for which nothing public waits less than the garbage of the
    driver."""
    plan: Any = frame._jdf.queryExecution().logical()
    plan.rdd().unpersist(False)


def _running(master: str) -> SparkSession:
    """The one session that others of this process are made from."""
    with _guard:
        # The configuration of the installation is known once the driver runs.
        SparkContext._ensure_initialized()
        before = SparkContext._active_spark_context
        if before is not None and before._jsc.sc().isStopped():
            # It lost its master; this half of it does not know.
            before.stop()
        conf = SparkConf()
        if master:
            conf.setMaster(master)
        for name, value in _DEFAULTS.items():
            conf.setIfMissing(name, value)
        # Spark takes every driver in Python for a shell, where a person watches.
        conf.set("spark.ui.showConsoleProgress", "false")
        return SparkSession.builder.config(conf=conf).getOrCreate()


def _address(part: str) -> str:
    """A part as Spark wants it: with a scheme, and nothing in it read as a pattern."""
    if part.startswith("s3://"):
        part = f"s3a://{part.removeprefix('s3://')}"
    elif part.startswith("/"):
        part = f"file://{part}"
    return _GLOB.sub(r"\\\1", part)


def _advice(text: str, master: str) -> str:
    where = master or "its master"
    if "JAVA_GATEWAY_EXITED" in text:
        return "Java did not start for Spark: install version 17 or newer, or set JAVA_HOME."
    if "stopped SparkContext" in text or "unresponsive" in text or "StandaloneSchedulerB" in text:
        return f"Spark is not connected to {where}; check that it runs and can reach this machine."
    if any(sign in text for sign in _NO_DRIVER):
        return f"The Spark driver of this process or {where} has ended; start both again."
    if "Checkpoint block" in text:
        return "Spark lost an executor with rows of this day; roll up again."
    return f"The rollup on Spark failed: {_sentence(text)}"


def _sentence(text: str) -> str:
    """The line that states what happened, of a message that continues with stack traces."""
    lines = [line.strip(" :\t") for line in text.splitlines()]
    sentences = (line for line in lines if line and not line.startswith("An error occurred while"))
    return next(sentences, text)[:500]
