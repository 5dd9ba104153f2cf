"""The order in which the queries under `sql/` run, on any engine."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pyarrow as pa

from stationmaster.aggregate import matching, prices
from stationmaster.aggregate.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.credits.card import Card

_STEPS = (
    "seen",
    "session_users",
    "session_clients",
    "sessions",
    "irregular",
    "modes",
    "creations",
    "replaced",
    "branches",
    "slices",
)


COPIED_ROWS_MAX = 20_000
"""A day of up to so many events is copied into the engine once; a larger one is read in place."""


class Counts(NamedTuple):
    """The results; each table is described at the head of the query of its name."""

    slices: pa.Table
    tokens: pa.Table
    tools: pa.Table
    levels: pa.Table
    names: pa.Table
    people: pa.Table
    git: pa.Table
    edits: pa.Table
    errors: pa.Table
    file_changes: pa.Table
    active_sessions: pa.Table
    emails: pa.Table
    session_sums: pa.Table
    session_tools: pa.Table
    without_price: pa.Table
    unpriced: tuple[str, ...]
    """Models that the rate card does not name."""


NOTHING = Counts._make([*[pa.table({})] * (len(Counts._fields) - 1), ()])
"""The counts of a day without events."""


def count(engine: Engine, day: date, card: Card, people: pa.Table) -> Counts:
    """Count an opened day by a rate card. `people`: see `identities.Known`."""
    matched = _gather_once(engine)
    if people.num_rows:
        engine.register("people", people)
        engine.view("attributed", sql("attributed"))
    else:
        engine.view(
            "attributed", "select e.*, e.user_id as person_id, e.team as person_team from once as e"
        )
    incomplete = engine.fetch(sql("incomplete")).num_rows > 0
    engine.view("placed", sql("placed" if incomplete else "placed_complete"))
    engine.view("located", sql(_location(engine)))
    _weigh(engine, has_losers=matched.has_losers)
    # Planning a scan of many columns costs more than copying a few rows of them.
    name_it = engine.keep if _rows(engine, "events") <= COPIED_ROWS_MAX else engine.view
    name_it("counted", sql("counted"))
    for name in _STEPS:
        engine.keep(name, sql(name))
    unpriced = prices.register(engine, engine.fetch(sql("models")), day, card)
    engine.keep("usage", sql("usage"))
    tables = {
        name: engine.fetch(f"select * from {name}" if name in _STEPS else sql(name))
        for name in Counts._fields
        if name not in ("without_price", "unpriced")
    }
    # Most days have none.
    has_unpriced = any(tables["tokens"]["unpriced"].to_pylist())
    without_price = engine.fetch(sql("without_price")) if has_unpriced else pa.table({})
    return Counts(**tables, without_price=without_price, unpriced=unpriced)


def _gather_once(engine: Engine) -> matching.Matched:
    """Make `once`: every event of the day once, however many sources told it under which ids."""
    matched = matching.match(engine)
    plain = "select *, event_id_hi as id_hi, event_id_lo as id_lo from events"
    engine.view("identified", sql("identified") if matched.has_ids else plain)
    engine.keep("repeated", sql("repeated_matched" if matched.has_ids else "repeated"))
    if _rows(engine, "repeated"):
        engine.keep("merged", sql("merged"))
        engine.view("once", sql("once"))
    else:
        engine.view("once", "select * from events")
    return matched


def _weigh(engine: Engine, *, has_losers: bool) -> None:
    """Make `weighed`: what of each event counts."""
    whole = "select *, kind as its_kind from located"
    engine.view("eligible", sql("eligible") if has_losers else whole)
    if engine.fetch("select product from products where has_counters").num_rows:
        engine.keep("counters", sql("counters"))
        engine.view("weighed", sql("weighed"))
    else:
        engine.view("weighed", sql("weighed_whole"))


def _location(engine: Engine) -> str:
    """What gives events their repository and team: the cheap query where it does as well."""
    events, *named = (column[0].as_py() for column in engine.fetch(sql("gaps")).columns)
    if all(known in (0, events) for known in named):
        return "located_complete"
    engine.keep("stays", sql("stays"))
    engine.keep("stretches", sql("stretches"))
    return "located"


def _rows(engine: Engine, name: str) -> int:
    [rows] = engine.fetch(f"select count(*) as rows from {name}").column("rows").to_pylist()
    return int(rows)
