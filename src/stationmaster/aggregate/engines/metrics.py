"""The order in which the queries under `sql/` run, on any engine, and the prices of a day as rows
for those of them that choose one for every model call."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.agents import cards
from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.inputs import matching
from stationmaster.aggregate.keys import CountSeparately, Keys, partition
from stationmaster.aggregate.queries import sql
from stationmaster.pricing.credits.card import Card, Rate, Tier
from stationmaster.pricing.credits.price import Amounts, Bracket, Price, brackets, mode_of

_INPUT_MIN, _INPUT_MAX = -(2**63), 2**63 - 1
_PRICE_KEY = ("model", "tier", "region", "speed", "service_tier")
"""What prices go by, in the order of the query `models`."""
_WEIGHTS = ("multiplier_milli", "cache_read_milli", "cache_write_milli")
_AMOUNT = pa.decimal128(12, 0)

_STEPS = (
    "session_users",
    "session_clients",
    "sessions",
    "irregular_sessions",
    "modes",
    "creations",
    "replaced",
    "branches",
    "slices",
    "places",
)


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


_LARGE = ("other_events", "work", "tool_names", "tool_calls")
"""What is kept of a day until everything is made of it."""
_OF_LARGE = (
    *("names", "people", "git", "errors", "file_changes", "edits", "session_sums"),
    *("tools", "levels", "session_tools"),
)
_AS_REPORTED = """
select e.*, e.user_id as person_id, e.team as person_team from distinct_events as e
"""
_BY_AGENT = ("emails", "session_sums")
_BY_SLICE = tuple(set(Counts._fields) - {"slices", "unpriced", *_BY_AGENT})
"""The tables that have a row for each slice and more, and those that name the agent."""
NOTHING = Counts._make([*[pa.table({})] * (len(Counts._fields) - 1), ()])
"""The counts of a day without events."""


def count(
    engine: Engine, keys: Keys, card: Card, people: pa.Table, *, are_few: bool
) -> dict[date, Counts]:
    """Count the opened events of some days by a rate card; `people` is what
    `identities.IdentityContext` gives. Where events `are_few`, they are copied once instead of
    being looked for by each query.

    Raises CountSeparately where it has to be done day by day.
    """
    matched = _make_distinct(engine)
    if people.num_rows:
        engine.register("people", people)
        engine.view("attributed", sql("attributed"))
    else:
        engine.view("attributed", _AS_REPORTED)
    [named] = engine.fetch(sql("gaps")).to_pylist()
    is_complete = named["events"] == named["sessions"] == named["users"]
    engine.view("placed", sql("placed_complete" if is_complete else "placed"))
    engine.view("located", sql(_location(engine, named)))
    _weigh(engine, has_left_out=matched.has_left_out)
    (engine.keep if are_few else engine.view)("counted", sql("counted"))
    bit = matching.bit_of_source()
    engine.keep("session_activity", sql("session_activity").format(source_bit=bit))
    for name in _STEPS:
        engine.keep(name, sql(name))
    engine.view("sliced", sql("sliced"))
    for name in _LARGE:
        engine.keep(name, sql(name))
    tables = {name: engine.fetch(sql(name)) for name in _OF_LARGE}
    tool_names = engine.fetch("select * from tool_names")
    for name in _LARGE:
        engine.drop(name)
    models = engine.fetch(sql("models"))
    unpriced = register(engine, models, keys.days, card)
    caching = [agent.product for agent in cards.every() if agent.caches_for_an_hour]
    names = ", ".join(f"'{name}'" for product in caching for name in keys.named(product))
    usage = sql("usage").format(caching_for_an_hour=names, same_kind=same_kind(models))
    engine.keep("usage", usage)
    tables |= {name: engine.fetch(sql(name)) for name in ("tokens", "active_sessions", "emails")}
    tables["slices"] = engine.fetch("select * from slices")
    numbered = tool_names.sort_by("number").select(["tool", "mcp_server"])
    tables["tools"] = _named(tables["tools"], "number", numbered)
    tools = pa.table({"tool": numbered["tool"].unique()})
    tables["session_tools"] = _named(tables["session_tools"], "tool_number", tools)
    # Most days have none.
    has_unpriced = any(tables["tokens"]["unpriced"].to_pylist())
    without_price = engine.fetch(sql("without_price")) if has_unpriced else pa.table({})
    return _by_day(Counts(**tables, without_price=without_price, unpriced=unpriced), keys)


def _named(calls: pa.Table, number: str, names: pa.Table) -> pa.Table:
    """Rows with the names of their numbers, which are those of the rows of `names`. Dictionaries
    hold each text once."""
    numbers = calls[number].combine_chunks()
    calls = calls.drop_columns([number])
    for name in names.column_names:
        texts = names[name].cast(pa.string()).combine_chunks().dictionary_encode()
        column = pa.DictionaryArray.from_arrays(texts.indices.take(numbers), texts.dictionary)
        calls = calls.append_column(name, column)
    return calls


def _by_day(counts: Counts, keys: Keys) -> dict[date, Counts]:
    """The counts of each day. Its slices are numbered from 0 in their order."""
    if len(keys) == 1:
        return {keys.days[0]: counts}
    slices = counts.slices.sort_by("slice")
    places = keys.places(slices["product"])
    numbers: list[int] = []
    of_day = [0] * len(keys)
    for place in places.to_pylist():
        numbers.append(of_day[place])
        of_day[place] += 1
    local = pa.array(numbers, pa.int32())
    by_table: dict[str, list[pa.Table]] = {
        name: list(keys.by_day(getattr(counts, name)).values()) for name in _BY_AGENT
    }
    by_table["slices"] = list(keys.by_day(slices.set_column(0, "slice", local)).values())
    for name in _BY_SLICE:
        table = getattr(counts, name)
        if not table.num_rows:
            by_table[name] = [table] * len(keys)
            continue
        if "session_id" in table.column_names:
            table = keys.unmarked(table, "session_id")
        whose = table["slice"]
        table = table.set_column(table.schema.get_field_index("slice"), "slice", local.take(whose))
        by_table[name] = partition(table, places.take(whose), len(keys))
    return {
        day: _counts_of(counts, {name: tables[place] for name, tables in by_table.items()})
        for place, day in enumerate(keys.days)
    }


def _counts_of(counts: Counts, tables: dict[str, pa.Table]) -> Counts:
    """The counts of one of several days, from its tables."""
    tokens = tables["tokens"]
    models = set(tokens["model"].to_pylist()) if tokens.num_rows else set()
    unpriced = tuple(model for model in counts.unpriced if (model or "unknown") in models)
    return Counts(**tables, unpriced=unpriced)


def _make_distinct(engine: Engine) -> matching.Matched:
    """Make `distinct_events`: every event of the day once, however many sources reported it under
    which ids."""
    matched = matching.match(engine)
    plain = "select *, event_id_hi as id_hi, event_id_lo as id_lo from events"
    engine.view("identified", sql("identified") if matched.has_ids else plain)
    engine.keep("repeated", sql("repeated_matched" if matched.has_ids else "repeated"))
    if _rows(engine, "repeated"):
        engine.keep("merged", sql("merged"))
        engine.view("distinct_events", sql("distinct_events"))
    else:
        engine.view("distinct_events", "select * from events")
    return matched


def _weigh(engine: Engine, *, has_left_out: bool) -> None:
    """Make `counted_amounts`: what of each event counts."""
    whole = "select *, kind as its_kind from located"
    engine.view("eligible", sql("eligible") if has_left_out else whole)
    if engine.fetch("select product from products where has_counters").num_rows:
        engine.keep("counters", sql("counters"))
        engine.view("counted_amounts", sql("counted_amounts"))
    else:
        engine.view("counted_amounts", sql("counted_amounts_whole"))


def _location(engine: Engine, named: dict[str, int]) -> str:
    """What gives events their repository and team: the cheap query where it does as well."""
    if all(named[place] in (0, named["events"]) for place in ("repos", "teams")):
        return "located_complete"
    engine.keep("session_locations", sql("session_locations"))
    engine.keep("location_ranges", sql("location_ranges"))
    return "located"


def _rows(engine: Engine, name: str) -> int:
    [rows] = engine.fetch(f"select count(*) as rows from {name}").column("rows").to_pylist()
    return int(rows)


class _Row(NamedTuple):
    """One price, and the calls that it holds for."""

    key: tuple[str | None, ...]
    """The fields of _PRICE_KEY, as calls report them."""
    rate: Rate
    bracket: Bracket
    tiers_above: int | None
    """With more input than this a higher context tier holds."""


def register(engine: Engine, models: pa.Table, run: Iterable[date], card: Card) -> tuple[str, ...]:
    """Make the prices of `models` on some days the table `rates`. Returns models that no card
    names. Raises CountSeparately where a price is not the same on all of the days.

    Every call has exactly one row. Amounts are 10⁻¹² dollars per token; where one is missing,
    `lacks_…` is true. `has_retentions`: it matters for how long a cache write is kept.
    """
    names = models.to_pylist()
    starts = card.starts()
    unlike = {bisect_right(starts, day): day for day in run}.values()
    (rows, unknown), *others = (_price_rows(names, day, card) for day in unlike)
    if any(other != (rows, unknown) for other in others):
        raise CountSeparately
    engine.register("rates", _table(rows))
    return tuple(sorted(unknown))


def same_kind(models: pa.Table) -> str:
    """The condition, of usage.sql, that a price `r` is one for calls of the kind of `e`. It has
    only what distinguishes the day's calls, because each comparison costs some time for each
    call."""
    conditions = []
    for theirs, mine in zip(models.column_names, _PRICE_KEY, strict=True):
        if mine == "model" or pc.count_distinct(models[theirs], mode="all").as_py() > 1:
            how = "is not distinct from" if models[theirs].null_count else "="
            conditions.append(f"r.{mine} {how} e.{theirs}")
    return " and ".join(conditions)


def _price_rows(
    models: Iterable[dict[str, str | None]], day: date, card: Card
) -> tuple[list[_Row], set[str]]:
    rows: list[_Row] = []
    unknown: set[str] = set()
    for key in models:
        model = key["model"] or ""
        tier: Tier = "thinking" if key["model_tier"] == "thinking" else "standard"
        rate = card.rate(model, tier, day, key["region"])
        if not rate.is_known:
            unknown.add(key["model"] or "")
        steps = _price_steps(rate.usd, key["speed"], key["service_tier"])
        above = steps[0].up_to
        rows += [_Row(tuple(key.values()), rate, step, above) for step in steps]
    return rows, unknown


def _price_steps(price: Price | None, speed: str | None, service_tier: str | None) -> list[Bracket]:
    """The brackets of calls of one kind, shortest calls first; one without amounts for no price."""
    mode = mode_of(speed, service_tier)
    steps = [] if price is None else [step for step in brackets(price) if step.mode == mode]
    return steps or [Bracket("standard", -1, None, Amounts())]


def _table(rows: list[_Row]) -> pa.Table:
    columns = {"number": pa.array(range(len(rows)), pa.int32())}
    for place, name in enumerate(_PRICE_KEY):
        columns[name] = pa.array([row.key[place] for row in rows], pa.string())
    for name in _WEIGHTS:
        columns[name] = pa.array([getattr(row.rate, name) for row in rows], pa.int64())
    limits = {
        "input_from": [_after(row.bracket.above) for row in rows],
        "input_to": [_limit(row.bracket.up_to) for row in rows],
        "tiers_above": [_limit(row.tiers_above) for row in rows],
    }
    columns |= {name: pa.array(values, pa.int64()) for name, values in limits.items()}
    for name in Amounts._fields:
        amounts = [getattr(row.bracket.amounts, name) for row in rows]
        columns[name] = pa.array(amounts, _AMOUNT)
        columns[f"lacks_{name}"] = pa.array([amount is None for amount in amounts], pa.bool_())
    retentions = [_has_retentions(row.bracket.amounts) for row in rows]
    columns["has_retentions"] = pa.array(retentions, pa.bool_())
    return pa.table(columns)


def _after(tokens: int) -> int:
    return _INPUT_MIN if tokens < 0 else min(tokens + 1, _INPUT_MAX)


def _limit(tokens: int | None) -> int:
    return _INPUT_MAX if tokens is None else min(tokens, _INPUT_MAX)


def _has_retentions(amounts: Amounts) -> bool:
    return amounts.cache_write_1h is not None and amounts.cache_write_1h != amounts.cache_write
