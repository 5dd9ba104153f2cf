"""How much of what models are sent is from their caches, and what that saves."""

from __future__ import annotations

from stationmaster.analytics.spending.rate_lines import ListPrice
from stationmaster.errors import Forbidden
from stationmaster.web.charts.axes import long_label
from stationmaster.web.charts.figures import short
from stationmaster.web.figures import folds, reports
from stationmaster.web.figures.blocks import Card, Column, Row, Table
from stationmaster.web.figures.view import View

FIGURES = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
COLUMNS = (
    Column("Read from cache", "share"),
    Column("Tokens read", is_wide=True),
    Column("Saved", "usd"),
)
_PER = 1_000_000
"""Tokens that a list price is for."""


def card(view: View) -> Card:
    """The share of input that was read from caches, and what that saved where models are shown."""
    answer = view.report("cache")
    period = view.before()
    before = None if period is None else view.report("cache", of=period)
    notes = []
    try:
        saved = [row.values[-1] for row in by_model(view).rows]
        amounts = [value for value in saved if isinstance(value, float)]
        if amounts:
            notes.append(f"saved {short(sum(amounts), 'usd')}")
    except Forbidden:
        pass
    return Card(
        "Input from caches",
        answer.meta["totals"]["read_share"],
        "share",
        None if before is None else before.meta["totals"]["read_share"],
        is_compared=before is not None,
        days=folds.course(answer.rows, view.days(), "read_share"),
        notes=notes,
    )


def by_model(view: View) -> Table:
    """Each model with the share of its input that was read from the cache, and what that saved."""
    answer = view.report("cache", group_by="model", per="month")
    groups = folds.total(answer.rows, FIGURES)
    day = view.days()[-1]
    prices = reports.list_prices(view, groups, day)
    rows = []
    for model, figures in groups.items():
        sent, read, written = (value or 0 for value in figures)
        share = folds.share(read, sent + read + written)
        rows.append(Row(model, (share, read, saved(prices[model], read, written))))
    rows.sort(key=lambda row: (-_tokens(row), row.name))
    basis = f"Saved against the same input without a cache, at list prices of {long_label(day)}."
    return Table("caches", "Caches", "Model", COLUMNS, rows, answer.call, [basis])


def saved(price: ListPrice | None, read: float, written: float) -> float | None:
    """Dollars less than the same input would have cost without a cache: cheaper reads, less what
    writes cost more. Negative where more was written than used; None without a price."""
    if price is None or price.input is None or price.cache_read is None:
        return None
    plain = float(price.input)
    less = read * (plain - float(price.cache_read))
    if price.cache_write is not None:
        less -= written * (float(price.cache_write) - plain)
    return less / _PER


def _tokens(row: Row) -> float:
    read = row.values[1]
    return read if isinstance(read, int | float) else 0
