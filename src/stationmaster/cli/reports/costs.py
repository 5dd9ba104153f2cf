"""`costs`: what agents cost in US dollars, by which line of which card, and by another card."""

from __future__ import annotations

import csv
import sys
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from stationmaster.analytics.formats.spreadsheets import csv_cell
from stationmaster.cli import groups, ranges
from stationmaster.cli.options import Connection, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.reports import rates
from stationmaster.cli.typed import choice
from stationmaster.errors import BadRequest

costs = groups.group(invoke_without_command=True)

_COSTS = "/api/platform/v1/costs"
_COUNTERS = (
    *("billable_tokens", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens"),
)
_GROUPINGS = ("model", "user", "agent", "repository", "team")
_MINIMUM = {
    "output_lower_bound": "some agents reported less output than there was",
    "context_tier": "long calls may be among reported sums of calls",
    "cache_retention": "some cache writes may be kept for longer than they are priced for",
}
_NAMED_MAX = 3
_NAMED = ("date", "group_key", "user_email", "model_id")
"""What names a row; it is first."""
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


@costs.callback()
def show_costs(
    connection: Connection,
    context: typer.Context,
    first: ranges.From = None,
    to: ranges.To = None,
    group_by: Annotated[
        str | None, typer.Option(help="model, user, agent, repository or team.")
    ] = None,
    csv: Csv = False,
    wide: Wide = False,
) -> output.Shown:
    """Show costs in US dollars, and the prices of models.

    By default of the last seven closed days.

    With --group-by, a table has one row for each group, highest cost first.
    """
    if context.invoked_subcommand is not None:
        return
    if group_by is not None:
        choice("--group-by", group_by, _GROUPINGS)
    api = connection.api()
    span = ranges.closed(first, to)
    answer = api.get(_COSTS, **_days(span), group_by=group_by)
    yield answer
    if csv:
        _as_csv(answer["data"])
    else:
        _print(answer, group_by, span, wide)


costs.command("rates")(rates.list_rates)


@costs.command("what-if")
def what_if(
    connection: Connection,
    card: Annotated[Path, typer.Option("--card", help="A TOML file: docs/costs.md.")],
    first: ranges.From = None,
    to: ranges.To = None,
    csv: Csv = False,
) -> output.Shown:
    """Show what past days would have cost with another rate card; nothing is stored."""
    try:
        text = card.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise BadRequest(f"{card} is not UTF-8", code="bad_rates") from fault
    api = connection.api()
    span = ranges.closed(first, to)
    answer = api.send("POST", f"{_COSTS}/what-if", {**_days(span), "card": text})
    yield answer
    if csv:
        _as_csv(answer["data"])
    else:
        _print_comparison(answer)


def _days(span: ranges.DayRange) -> dict[str, str]:
    return {"startDate": str(span.first), "endDate": str(span.last)}


def _print(answer: dict[str, Any], group_by: str | None, span: ranges.DayRange, wide: bool) -> None:
    rows = answer["data"]
    by_day = [[row["date"], *_amounts(row)] for row in rows]
    shown = by_day if group_by is None else _by_group(rows)
    name = "person" if group_by == "user" else group_by or "date"
    columns = (
        f"{name}, cost (dollars), credits, input, output, cache read (wide), cache write (wide)"
    )
    totals = answer["meta"]["totals"]
    empty = "No stored days in this range."
    output.as_table(columns, shown, totals=["total", *_amounts(totals)], wide=wide, empty=empty)
    if not any(row["billable_tokens"] for row in rows):
        output.remark(ranges.nothing_recorded(f"{span.last}"))
    if totals["is_minimum"]:
        why = "; ".join(_MINIMUM[total] for total in totals["minimum_reasons"])
        output.remark(f"The dollars are a minimum: {why}.")
    _show_age(answer["meta"])
    _show_unpriced(answer["meta"]["unknown_models"], wide)


def _show_age(meta: dict[str, Any]) -> None:
    remedy = ", and may be old: `stationmaster rates import`" if meta["prices_are_old"] else ""
    output.remark(f"Prices as of {meta['prices_as_of']}{remedy}.")


def _show_unpriced(models: list[dict[str, Any]], wide: bool) -> None:
    """Which models the dollars leave out: one line, or with `wide` a table with what is missing."""
    if not models:
        return
    count = len(models)
    names = ", ".join(model["model_id"] for model in models[:_NAMED_MAX])
    more = f" and {count - _NAMED_MAX} more" if count > _NAMED_MAX else ""
    output.remark(
        f"Not included: {table.counted(count, 'model')} without a complete price ({names}"
        f"{more}). {'Add prices' if wide else '--wide lists them; add prices'}: docs/costs.md."
    )
    if wide:
        output.gap()
        output.as_rows(
            "model_id: model, missing: missing prices, billable_tokens: credits, days, "
            "last_day: last day",
            models,
            title="Models without a complete price",
        )


def _by_group(rows: list[dict[str, Any]]) -> list[list[object]]:
    """The sums of each group over all days, the dearest first."""
    costs: dict[str, Decimal] = {}
    figures: dict[str, list[int]] = {}
    for row in rows:
        name = row.get("user_email") or row["group_key"]
        if row["cost_usd"] is not None:
            costs[name] = costs.get(name, Decimal(0)) + Decimal(row["cost_usd"])
        before = figures.get(name, [0] * len(_COUNTERS))
        figures[name] = [
            so_far + row[counter] for so_far, counter in zip(before, _COUNTERS, strict=True)
        ]
    ranked = sorted(figures, key=lambda name: (-costs.get(name, 0), -figures[name][0], name))
    return [[name, costs.get(name), *figures[name]] for name in ranked]


def _amounts(row: dict[str, Any]) -> list[object]:
    return [row["cost_usd"], *(row[name] for name in _COUNTERS)]


def _print_comparison(answer: dict[str, Any]) -> None:
    columns = (
        "date, model, credits now, then, difference, cost now (dollars), "
        "cost then: then (dollars), cost difference: difference (dollars)"
    )
    totals = answer["meta"]["totals"]
    rows = [[row["date"], row["model_id"], *_compared(row)] for row in answer["data"]]
    output.as_table(columns, rows, totals=["total", "", *_compared(totals)])
    if not totals["is_exact"]:
        output.remark(
            "Credits of days whose events were erased may differ by half a credit per call."
        )
    unknown = answer["meta"]["unknown_models"]
    if unknown:
        output.remark(f"Not included, because they have no price: {', '.join(unknown)}.")


def _compared(row: dict[str, Any]) -> list[object]:
    sides = ("now", "then", "difference")
    credits = [row[f"billable_tokens_{side}"] for side in sides]
    return [*credits, *(row[f"cost_usd_{side}"] for side in sides)]


def _as_csv(rows: list[dict[str, Any]]) -> None:
    """The plain members of each row; breakdowns are in JSON."""
    if not rows:
        return
    columns = [name for name, value in rows[0].items() if not isinstance(value, list)]
    columns.sort(key=lambda name: name not in _NAMED)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(
            [
                csv_cell(row[name] or "") if name in _NAMED else _figure(row[name])
                for name in columns
            ]
        )


def _figure(value: object) -> object:
    """An amount as it is: its sign begins no formula."""
    return csv_cell(value) if isinstance(value, bool) else value
