"""What a day's events lack, and how far sources that reported the same sessions are apart."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.keys import Keys
from stationmaster.aggregate.queries import sql
from stationmaster.aggregate.slices import records
from stationmaster.lake.rollups.coverage import Comparison, Coverage, Quality, SessionCoverage

PRODUCTS_MAX = 50
"""Agents of a day of which this is kept, those with most events: anybody may invent names."""


def count(engine: Engine, keys: Keys) -> dict[date, Coverage]:
    """Look at days that have been counted."""
    tables = [keys.by_day(engine.fetch(sql(name))) for name in ("quality", "exact_outputs")]
    if engine.fetch("select product from several limit 1").num_rows:
        for name in ("source_totals", "settled", "compared"):
            engine.keep(name, sql(name))
        tables += [keys.by_day(engine.fetch(sql(name))) for name in ("comparisons", "worst")]
    return {day: _of_day(*(table[day] for table in tables)) for day in keys.days}


def _of_day(
    quality_rows: pa.Table,
    exact_outputs: pa.Table,
    comparisons: pa.Table | None = None,
    worst_sessions: pa.Table | None = None,
) -> Coverage:
    quality = [Quality(*row) for row in records(quality_rows)]
    quality.sort(key=lambda figures: (-figures.events, figures.product))
    quality = quality[:PRODUCTS_MAX]
    products = {figures.product for figures in quality}
    compared = [
        Comparison._make((*row, [])) for row in sorted(records(exact_outputs)) if row[0] in products
    ]
    if comparisons is None or worst_sessions is None:
        return Coverage(quality, compared)
    worst: dict[tuple[str, str, str], list[SessionCoverage]] = {}
    for *key, session_id, reported, counted in records(worst_sessions):
        product, source, figure = key
        worst.setdefault((product, source, figure), []).append(
            SessionCoverage(session_id, reported, counted)
        )
    compared += [
        Comparison._make((*row, sorted(worst.get(row[:3], []), key=SessionCoverage.place)))
        for row in sorted(records(comparisons))
        if row[0] in products
    ]
    return Coverage(quality, compared)
