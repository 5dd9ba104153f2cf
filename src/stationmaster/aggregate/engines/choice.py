"""The one place that decides which engine a rollup runs on."""

from __future__ import annotations

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.settings import Settings


def make(settings: Settings, *, are_few: bool = False) -> Engine:
    """A fresh engine of the kind that the settings name, to be closed by the caller.

    Where the events `are_few`, one thread takes less time than to share them among several.

    OperatorError where it cannot run here.
    """
    if settings.engine == "spark":
        # Loaded where it is used alone: it is an extra, and brings Java along.
        from stationmaster.aggregate.engines.spark import SparkEngine

        return SparkEngine(settings)
    return make_local(settings, are_few=are_few)


def make_local(settings: Settings, *, are_few: bool = False) -> Engine:
    """A fresh engine for tables that this process holds already, to be closed by the caller."""
    from stationmaster.aggregate.engines.duckdb import DuckDbEngine

    return DuckDbEngine(settings, threads=1 if are_few else settings.rollup_threads)
