"""`rates`: price lists and the prices that they give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups, ranges
from stationmaster.cli.options import Connection, Wide
from stationmaster.cli.printing import output, table
from stationmaster.errors import OperatorError

rates = groups.group()

_LISTS = "/api/platform/v1/rates"
_RATES = "/api/platform/v1/costs/rates"
_FILE_MAX = 16 * 2**20
_SHOWN_MAX = 20
_COLUMNS = (
    "model, tier, since, multiplier, usd.input: $ in (number), usd.output: $ out (number), "
    "usd.cache_read: $ read (number), usd.cache_write: $ write (number), "
    "usd.cache_write_1h: $ 1h (number), usd.context_max: up to (wide), modes (wide), "
    "usd.region: region (wide), usd.as_of: as of, place|source|'none': list"
)
_AGES = (
    "origin: list, asOf: as of, ageDays: days old (number), models, oldestPrice: oldest price, "
    "newestPrice: newest price"
)
_CHANGES = (
    "kind: , model, region, inputBefore: $ in (number), outputBefore: $ out (number), "
    "inputAfter: $ in then (number), outputAfter: $ out then (number)"
)
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
    """Show the price of a model on a day, and its card or list.

    In US dollars per million tokens; by default of all models with a price.
    """
    api = connection.api()
    on = ranges.day("--day", day)
    parameters = {"model": model, "day": None if on is None else str(on), "region": region}
    answer = api.get(_RATES, **parameters)
    yield answer
    output.as_rows(_COLUMNS, map(_row, answer["rates"]), wide=wide)
    if any(rate["source"] is None for rate in answer["rates"]):
        output.remark(
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
        output.remark(
            "These lists are old: import a current one with `stationmaster rates import`."
        )


@rates.command("remove")
def remove_list(
    connection: Connection, origin: Annotated[str, typer.Argument(help="litellm or genai-prices.")]
) -> output.Shown:
    """Remove an imported price list; days whose prices change are counted again."""
    api = connection.api()
    answer = api.send("DELETE", f"{_LISTS}/{quote(origin, safe='')}")
    yield from output.as_answer(answer, f"Removed {origin}. {_due(answer['daysDue'])}")


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
        {"kind": kind, **row}
        for kind in ("new", "changed", "gone")
        for row in answer[kind][:_SHOWN_MAX]
    ]
    output.as_rows(_CHANGES, rows, empty="No price changes.")
    counts = ", ".join(f"{answer[f'{kind}Count']} {kind}" for kind in ("new", "changed", "gone"))
    verb = "Would import" if answer["isDryRun"] else "Imported"
    done = f"{verb} {answer['origin']} of {answer['asOf']}: {answer['models']} models, {counts}."
    output.remark(done if answer["isDryRun"] else f"{done} {_due(answer['daysDue'])}")


def _due(days: int) -> str:
    return f"{table.counted(days, 'closed day')} will be counted again."


def _row(rate: dict[str, Any]) -> dict[str, Any]:
    usd = rate["usd"] or {}
    place = None if rate["line"] is None else f"{rate['source']}:{rate['line']}"
    return {**rate, "modes": [mode for mode in _MODES if usd.get(mode)], "place": place}
