"""The program, with the parser of all its commands."""

from __future__ import annotations

import typer

from stationmaster import __version__
from stationmaster.cli import exits
from stationmaster.cli.groups import WIDTH_MAX, Program

app = typer.Typer(
    name="stationmaster",
    cls=Program,
    context_settings={"max_content_width": WIDTH_MAX},
    help="The self-hosted platform on which an organization runs its AI coding agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"stationmaster {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Every command takes its settings from STATIONMASTER_… variables too; flags win."""


def run() -> None:
    """Run the program; exit 2 on wrong usage, else as `exits` decides."""
    exits.run(app)
