"""What a day's events lack, and how far sources that told of the same sessions are apart."""

from __future__ import annotations

from stationmaster.aggregate.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.aggregate.slices import records
from stationmaster.rollups.coverage import Comparison, Coverage, Quality, Session

PRODUCTS_MAX = 50
"""Agents of a day of which this is kept, those with most events: anybody may invent names."""


def count(engine: Engine) -> Coverage:
    """Look at a day that has been counted."""
    quality = [Quality(*row) for row in records(engine.fetch(sql("quality")))]
    quality.sort(key=lambda each: (-each.events, each.product))
    quality = quality[:PRODUCTS_MAX]
    products = {each.product for each in quality}
    compared = [
        Comparison._make((*row, []))
        for row in sorted(records(engine.fetch(sql("exact_outputs"))))
        if row[0] in products
    ]
    if not engine.fetch("select product from several limit 1").num_rows:
        return Coverage(quality, compared)
    for name in ("told", "settled", "compared"):
        engine.keep(name, sql(name))
    worst: dict[tuple[str, str, str], list[Session]] = {}
    for *key, session_id, told, counted in records(engine.fetch(sql("worst"))):
        product, source, figure = key
        worst.setdefault((product, source, figure), []).append(Session(session_id, told, counted))
    compared += [
        Comparison._make((*row, sorted(worst.get(row[:3], []), key=Session.place)))
        for row in sorted(records(engine.fetch(sql("comparisons"))))
        if row[0] in products
    ]
    return Coverage(quality, compared)
