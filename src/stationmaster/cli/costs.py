"""`costs`: what agents cost in US dollars, by which line of which card, and by another card."""

from __future__ import annotations

import csv
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from stationmaster import clock
from stationmaster.cli import groups, output
from stationmaster.cli.configure import connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.errors import BadRequest

costs = groups.group(invoke_without_command=True)

_COSTS = "/api/platform/v1/costs"
_COUNTERS = (
    *("billable_tokens", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens"),
)
_NAMED = ("date", "group_key", "user_email", "model_id")
"""What names a row; it comes first."""
_RATE = (
    *("model", "tier", "since", "multiplier"),
    *("$ in", "$ out", "$ read", "$ write", "up to", "as of", "line"),
)
_PRICES = ("input", "output", "cache_read", "cache_write", "context_max", "as_of")

From = Annotated[str | None, typer.Option("--from", help="First day (UTC).", show_default=False)]
To = Annotated[str | None, typer.Option("--to", help="Last day (UTC).", show_default=False)]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def register(app: typer.Typer) -> None:
    app.add_typer(costs, name="costs")


@costs.callback()
def show_costs(
    context: typer.Context,
    first: From = None,
    to: To = None,
    group_by: Annotated[
        str | None, typer.Option(help="model, user, agent, repository or team.")
    ] = None,
    csv: Csv = False,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Show costs in US dollars, and the prices of models.

    Without --from and --to of the last seven closed days.

    With --group-by a table has one row for each group, the dearest first.
    """
    if context.invoked_subcommand is not None:
        return
    api = connect(data_dir, org, url, key)
    found = api.get(_COSTS, **_days(first, to), group_by=group_by)
    if json:
        output.as_json(found)
    elif csv:
        _as_csv(found["data"])
    else:
        _print(found, group_by)


@costs.command("rates")
def show_rates(
    model: Annotated[str | None, typer.Argument(help="A model's id; all without one.")] = None,
    day: Annotated[str | None, typer.Option(help="A UTC day; today unless told.")] = None,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Show the rate of a model on a day, and the line of the card that it comes from."""
    found = connect(data_dir, org, url, key).get(f"{_COSTS}/rates", model=model, day=day)
    if json:
        output.as_json(found)
        return
    output.as_table(_RATE, [_rate_row(each) for each in found["rates"]])
    if any(each["source"] is None for each in found["rates"]):
        output.say("No card names the model: it weighs 1 and has no price. See docs/costs.md.")


@costs.command("what-if")
def what_if(
    card: Annotated[Path, typer.Option("--card", help="A TOML file: docs/costs.md.")],
    first: From = None,
    to: To = None,
    csv: Csv = False,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Print what past days would have come to by another rate card; nothing is stored."""
    try:
        text = card.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise BadRequest(f"{card} is not UTF-8", code="bad_rates") from fault
    api = connect(data_dir, org, url, key)
    found = api.send("POST", f"{_COSTS}/what-if", {**_days(first, to), "card": text})
    if json:
        output.as_json(found)
    elif csv:
        _as_csv(found["data"])
    else:
        _print_comparison(found)


def _days(first: str | None, to: str | None) -> dict[str, str]:
    yesterday = clock.today() - timedelta(days=1)
    return {
        "startDate": first or str(yesterday - timedelta(days=6)),
        "endDate": to or str(yesterday),
    }


def _print(found: dict[str, Any], group_by: str | None) -> None:
    rows = found["data"]
    by_day = [[row["date"], *_amounts(row)] for row in rows]
    shown = by_day if group_by is None else _by_group(rows)
    columns = (group_by or "date", "usd", "credits", "input", "output", "cache read", "cache write")
    totals = found["meta"]["totals"]
    output.as_table(columns, [*shown, ["total", *_amounts(totals)]])
    if totals["is_minimum"]:
        output.say("At least: calls with very long input cost more, which sums do not show.")
    unknown = found["meta"]["unknown_models"]
    if unknown:
        output.say("Not complete: no price is known of these models, whose tokens cost something.")
    for each in unknown:
        figures = ", ".join(each["missing"])
        output.say(
            f"! {each['model_id']}: {figures}; {each['billable_tokens']} credits,"
            f" {each['days']} days, last on {each['last_day']}"
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
        figures[name] = [so_far + row[each] for so_far, each in zip(before, _COUNTERS, strict=True)]
    ranked = sorted(figures, key=lambda name: (-costs.get(name, 0), -figures[name][0], name))
    return [
        [name, _money(str(costs[name]) if name in costs else None), *figures[name]]
        for name in ranked
    ]


def _amounts(row: dict[str, Any]) -> list[object]:
    return [_money(row["cost_usd"]), *(row[name] for name in _COUNTERS)]


def _rate_row(rate: dict[str, Any]) -> list[object]:
    usd = rate["usd"] or {}
    place = None if rate["line"] is None else f"{rate['source']}:{rate['line']}"
    return [
        *(rate[name] for name in ("model", "tier", "since", "multiplier")),
        *(usd.get(name) for name in _PRICES),
        place or rate["source"] or "none",
    ]


def _print_comparison(found: dict[str, Any]) -> None:
    columns = (
        "date",
        "model",
        "credits now",
        "then",
        "difference",
        "usd now",
        "then",
        "difference",
    )
    totals = found["meta"]["totals"]
    rows = [[each["date"], each["model_id"], *_compared(each)] for each in found["data"]]
    output.as_table(columns, [*rows, ["total", "", *_compared(totals)]])
    if not totals["is_exact"]:
        output.say("Credits of days whose events are erased may be off by half a credit a call.")
    unknown = found["meta"]["unknown_models"]
    if unknown:
        output.say(f"Not in the dollars of the total, for want of a price: {', '.join(unknown)}.")


def _compared(each: dict[str, Any]) -> list[object]:
    sides = ("now", "then", "difference")
    credits = [each[f"billable_tokens_{side}"] for side in sides]
    return [*credits, *(_money(each[f"cost_usd_{side}"]) for side in sides)]


def _money(text: str | None) -> str:
    """Dollars for a person; JSON and CSV have every digit."""
    return "unknown" if text is None else f"{Decimal(text):,.4f}"


def _as_csv(rows: list[dict[str, Any]]) -> None:
    """The plain members of each row; breakdowns are in JSON."""
    from stationmaster.analytics.spreadsheets import inert

    if not rows:
        return
    columns = [name for name, value in rows[0].items() if not isinstance(value, list)]
    columns.sort(key=lambda name: name not in _NAMED)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for each in rows:
        writer.writerow(
            [inert(each[name] or "") if name in _NAMED else each[name] for name in columns]
        )
