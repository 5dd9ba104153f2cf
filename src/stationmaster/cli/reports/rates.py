"""`rates`: price lists and the prices that they give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups, ranges
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Wide
from stationmaster.cli.printing import output, table
from stationmaster.errors import OperatorError

rates = groups.group()

_LISTS = "/api/platform/v1/rates"
_RATES = "/api/platform/v1/costs/rates"
_FILE_MAX = 16 * 2**20
_SHOWN_MAX = 20
_COLUMNS: tuple[str | table.Column, ...] = (
    *("model", "tier", "since", "multiplier"),
    *(
        table.Column(name, is_number=True)
        for name in ("$ in", "$ out", "$ read", "$ write", "$ 1h")
    ),
    *(table.wide("up to"), table.wide("modes"), table.wide("region"), "as of", "list"),
)
_AGES = {
    "origin": table.Column("list"),
    "asOf": table.Column("as of"),
    "ageDays": table.Column("days old", is_number=True),
    "models": table.Column("models"),
    "oldestPrice": table.Column("oldest price"),
    "newestPrice": table.Column("newest price"),
}
_AMOUNTS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
_MODES = ("fast", "flex", "priority", "batch")


@rates.command("list")
def list_rates(
    connection: Connection,
    model: Annotated[str | None, typer.Argument(help="A model's id; by default all.")] = None,
    day: Annotated[str | None, typer.Option(help="A UTC day; today by default.")] = None,
    region: Annotated[
        str | None, typer.Option(help="The region of a cloud that serves the model, such as `jp`.")
    ] = None,
    wide: Wide = False,
) -> output.Shown:
    """Show the price of a model on a day, and the card or list that it comes from.

    In US dollars per million tokens; by default of all models with a price.
    """
    api = connection.api()
    on = ranges.day("--day", day)
    parameters = {"model": model, "day": None if on is None else str(on), "region": region}
    answer = api.get(_RATES, **parameters)
    yield answer
    output.as_table(_COLUMNS, [_row(rate) for rate in answer["rates"]], wide=wide)
    if any(rate["source"] is None for rate in answer["rates"]):
        output.say(
            "No price list has this model: a token counts 1 credit, no dollars. See docs/costs.md."
        )


@rates.command("import")
def import_list(
    connection: Connection,
    file: Annotated[
        Path, typer.Argument(help="LiteLLM's price file, or the data of genai-prices.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--from", help="The UTC day from which prices without a date apply."),
    ] = None,
) -> output.Shown:
    """Import a published price list; days whose prices change are counted again.

    The file is recognised by its content: JSON of LiteLLM, JSON or YAML of genai-prices, or the
    data.py of its package. It replaces the earlier import of the same list.
    """
    content = _content(file)
    on = ranges.day("--from", since)
    parameters = {"dryRun": "true" if dry_run else None, "from": None if on is None else str(on)}
    answer = connection.api().request(
        "POST",
        f"{_LISTS}/import",
        params={name: value for name, value in parameters.items() if value is not None},
        content=content,
        headers={"Content-Type": "application/octet-stream"},
    )
    yield answer.json()
    _print_change(answer.json())


@rates.command("age")
def show_ages(connection: Connection) -> output.Shown:
    """Show the price lists in the order of their use, with their dates and ages."""
    answer = connection.api().get(_LISTS)
    yield answer
    output.as_rows(_AGES, answer["lists"])
    if answer["isOld"]:
        output.say("These lists are old: import a current one with `stationmaster rates import`.")


@rates.command("remove")
def remove_list(
    connection: Connection, origin: Annotated[str, typer.Argument(help="litellm or genai-prices.")]
) -> output.Shown:
    """Remove an imported price list; days whose prices change are counted again."""
    api = connection.api()
    answer = api.send("DELETE", f"{_LISTS}/{quote(origin, safe='')}")
    yield answer
    output.say(f"Removed {origin}. {_due(answer['daysDue'])}")


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(_FILE_MAX + 1)
    except OSError as fault:
        why = f"{file} cannot be read: {fault.strerror}."
        raise OperatorError(why, code="bad_price_list") from fault
    if len(content) > _FILE_MAX:
        why = f"{file} is larger than {_FILE_MAX // 2**20} MiB."
        raise OperatorError(why, code="bad_price_list")
    return content


def _print_change(answer: dict[str, Any]) -> None:
    rows = [
        [kind, row["model"], row["region"], *(row[name] for name in _CHANGES)]
        for kind in ("new", "changed", "gone")
        for row in answer[kind][:_SHOWN_MAX]
    ]
    columns: tuple[str | table.Column, ...] = (
        *("", "model", "region"),
        *(
            table.Column(name, is_number=True)
            for name in ("$ in", "$ out", "$ in then", "$ out then")
        ),
    )
    output.as_table(columns, rows, empty="No price changes.")
    counts = ", ".join(f"{answer[f'{kind}Count']} {kind}" for kind in ("new", "changed", "gone"))
    verb = "Would import" if answer["isDryRun"] else "Imported"
    done = f"{verb} {answer['origin']} of {answer['asOf']}: {answer['models']} models, {counts}."
    output.say(done if answer["isDryRun"] else f"{done} {_due(answer['daysDue'])}")


_CHANGES = ("inputBefore", "outputBefore", "inputAfter", "outputAfter")


def _due(days: int) -> str:
    return f"{days} closed {table.plural('day', days)} will be counted again."


def _row(rate: dict[str, Any]) -> list[object]:
    usd = rate["usd"] or {}
    place = None if rate["line"] is None else f"{rate['source']}:{rate['line']}"
    return [
        *(rate[name] for name in ("model", "tier", "since", "multiplier")),
        *(usd.get(name) for name in _AMOUNTS),
        *(usd.get("context_max"), [mode for mode in _MODES if usd.get(mode)], usd.get("region")),
        *(usd.get("as_of"), place or rate["source"] or "none"),
    ]
