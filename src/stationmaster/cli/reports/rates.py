"""`rates`: price lists and the prices that they give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups, ranges
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.errors import OperatorError

rates = groups.group()

_LISTS = "/api/platform/v1/rates"
_RATES = "/api/platform/v1/costs/rates"
_FILE_MAX = 16 * 2**20
_SHOWN_MAX = 20
_COLUMNS: tuple[str | Column, ...] = (
    *("model", "tier", "since", "multiplier"),
    *(Column(name, is_number=True) for name in ("$ in", "$ out", "$ read", "$ write", "$ 1h")),
    *(table.wide("up to"), table.wide("modes"), table.wide("region"), "as of", "list"),
)
_AMOUNTS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
_MODES = ("fast", "flex", "priority", "batch")


def register(app: typer.Typer) -> None:
    """Add the group `rates`."""
    app.add_typer(rates, name="rates")


@rates.command("list")
def list_rates(
    connection: Connection,
    model: Annotated[str | None, typer.Argument(help="A model's id; all without one.")] = None,
    day: Annotated[str | None, typer.Option(help="A UTC day; today by default.")] = None,
    region: Annotated[
        str | None, typer.Option(help="Where a cloud serves the model, such as `jp`.")
    ] = None,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """Show the price of a model on a day, and the card or list that it comes from.

    In US dollars per million tokens; without a model of all that have a price.
    """
    api = connection.api()
    on = ranges.day("--day", day)
    asked = {"model": model, "day": None if on is None else str(on), "region": region}
    found = api.get(_RATES, **asked)
    if json:
        output.as_json(found)
        return
    output.as_table(_COLUMNS, [_row(each) for each in found["rates"]], wide=wide)
    if any(each["source"] is None for each in found["rates"]):
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
        typer.Option("--from", help="The UTC day from which prices without a date hold."),
    ] = None,
    json: Json = False,
) -> None:
    """Import a published price list; days whose prices change are counted again.

    The file is recognised by its content: JSON of LiteLLM, JSON or YAML of genai-prices, or the
    data.py of its package. It replaces the earlier import of the same list.
    """
    content = _content(file)
    on = ranges.day("--from", since)
    asked = {"dryRun": "true" if dry_run else None, "from": None if on is None else str(on)}
    found = connection.api().request(
        "POST",
        f"{_LISTS}/import",
        params={name: value for name, value in asked.items() if value is not None},
        content=content,
        headers={"Content-Type": "application/octet-stream"},
    )
    if json:
        output.as_json(found.json())
    else:
        _print_change(found.json())


@rates.command("age")
def show_ages(connection: Connection, json: Json = False) -> None:
    """Show the price lists, their dates, and how old they are; the first one is asked first."""
    found = connection.api().get(_LISTS)
    if json:
        output.as_json(found)
        return
    columns = (
        "list",
        "as of",
        Column("days old", is_number=True),
        "models",
        "oldest price",
        "newest price",
    )
    output.as_table(
        columns,
        [
            [
                each["origin"],
                each["asOf"],
                each["ageDays"],
                each["models"],
                each["oldestPrice"],
                each["newestPrice"],
            ]
            for each in found["lists"]
        ],
    )
    if found["isOld"]:
        output.say("These lists are old: import a current one with `stationmaster rates import`.")


@rates.command("remove")
def remove_list(
    connection: Connection,
    origin: Annotated[str, typer.Argument(help="litellm or genai-prices.")],
    json: Json = False,
) -> None:
    """Remove an imported price list; days whose prices change are counted again."""
    api = connection.api()
    found = api.send("DELETE", f"{_LISTS}/{quote(origin, safe='')}")
    if json:
        output.as_json(found)
    else:
        output.say(f"Removed {origin}. {_due(found['daysDue'])}")


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


def _print_change(found: dict[str, Any]) -> None:
    rows = [
        [kind, each["model"], each["region"], *(each[name] for name in _CHANGES)]
        for kind in ("new", "changed", "gone")
        for each in found[kind][:_SHOWN_MAX]
    ]
    columns: tuple[str | Column, ...] = (
        *("", "model", "region"),
        *(Column(name, is_number=True) for name in ("$ in", "$ out", "$ in then", "$ out then")),
    )
    output.as_table(columns, rows, empty="No price changes.")
    counts = ", ".join(f"{found[f'{kind}Count']} {kind}" for kind in ("new", "changed", "gone"))
    verb = "Would import" if found["isDryRun"] else "Imported"
    done = f"{verb} {found['origin']} of {found['asOf']}: {found['models']} models, {counts}."
    output.say(done if found["isDryRun"] else f"{done} {_due(found['daysDue'])}")


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
